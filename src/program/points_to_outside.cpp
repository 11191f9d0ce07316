#include "program/points_to_outside.h"

#include "abi/models.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace faultline::fir {
namespace {

constexpr fl_model_effect kModelEffects[] = {
#define FL_EFFECT_OF_(name, effect, flags) effect,
    FL_MODELS(FL_EFFECT_OF_)
#undef FL_EFFECT_OF_
};
constexpr std::string_view kModelNames[] = {
#define FL_NAME_OF_(name, effect, flags) #name,
    FL_MODELS(FL_NAME_OF_)
#undef FL_NAME_OF_
};

uint32_t writesOf(fl_model_effect effect) {
  switch (effect) {
  case FL_EFFECT_NONE:
  case FL_EFFECT_CALLOC:
  case FL_EFFECT_REALLOC:
  case FL_EFFECT_ZR:
  case FL_EFFECT_R1_R:
  case FL_EFFECT_R0_RA1:
  case FL_EFFECT_R1_A2:
  case FL_EFFECT_RZ0:
  case FL_EFFECT_RZ1:
  case FL_EFFECT_RTEXT1:
  case FL_EFFECT_RFORMAT0:
  case FL_EFFECT_RFORMAT1:
  case FL_EFFECT_RFORMAT2:
    return 0;
  case FL_EFFECT_W1_R:
  case FL_EFFECT_STAT:
  case FL_EFFECT_W1_8:
  case FL_EFFECT_W1_16:
    return 2;
  case FL_EFFECT_STAT_AT:
    return 4;
  case FL_EFFECT_GETLINE:
    return 3;
  default:
    return 1;
  }
}

// Names separated by blanks.
struct Group {
  uint32_t flow;
  uint32_t writes;
  const char* names;
};

constexpr Group kGroups[] = {
    {kReturnsNew, 0,
     "malloc calloc aligned_alloc memalign valloc pvalloc mmap mmap64 strdup strndup __strdup fopen fopen64 "
     "fdopen "
     "popen tmpfile opendir _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t "
     "_ZnamSt11align_val_t _ZnwmSt11align_val_tRKSt9nothrow_t _ZnamSt11align_val_tRKSt9nothrow_t realpath "
     "dlopen "
     "dlsym"},
    {kReturnsNew | kReturnsFirst, 0, "realloc reallocarray mremap"},
    {kReturnsShared, 0,
     "__errno_location getenv secure_getenv strerror localtime gmtime ctime asctime __ctype_b_loc "
     "__ctype_tolower_loc "
     "__ctype_toupper_loc setlocale localeconv getpwuid getpwnam getgrgid getlogin ttyname readdir readdir64 "
     "nl_langinfo gettext sbrk strsignal dlerror tmpnam ctermid"},
    {kReturnsShared, 1, "localtime_r gmtime_r"},
    // Read, and give back no pointer.
    {0, 0,
     "printf fprintf dprintf vprintf vfprintf __printf_chk __fprintf_chk __vfprintf_chk __vprintf_chk puts "
     "fputs fputc "
     "putc putchar perror fwrite write pwrite pwrite64 send strlen strnlen strcmp strncmp strcasecmp "
     "strncasecmp "
     "strcoll memcmp bcmp strspn strcspn free cfree fclose fflush exit _exit abort atoi atol atoll atof "
     "isatty close "
     "open open64 openat access unlink rmdir mkdir chdir rename remove ftell ftello fseek fseeko lseek "
     "lseek64 rewind "
     "feof ferror clearerr fileno munmap mprotect msync fsync fdatasync ftruncate ftruncate64 chmod fchmod "
     "geteuid "
     "getpid __assert_fail __stack_chk_fail puts_unlocked fputs_unlocked fwrite_unlocked putenv setenv "
     "unsetenv kill "
     "raise signal sigaction atexit _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZSt9terminatev __cxa_guard_acquire "
     "__cxa_guard_release __cxa_guard_abort __cxa_free_exception pthread_mutex_lock pthread_mutex_unlock "
     "pthread_mutex_trylock pthread_cond_wait pthread_cond_signal pthread_cond_broadcast tolower toupper "
     "isalpha sqrt "
     "pow floor ceil fmod sin cos tan log log2 log10 exp malloc_usable_size syslog pclose closedir dlclose "
     "srand rand "
     "random srandom setbuf setvbuf fputwc wcslen wcscmp"},
    {kReturnsFirst, 1,
     "strcpy strncpy strcat strncat stpcpy stpncpy memcpy memmove memset mempcpy memccpy bzero fgets gets "
     "fgets_unlocked __strcpy_chk __strncpy_chk __strcat_chk __strncat_chk __stpcpy_chk __memcpy_chk "
     "__memmove_chk "
     "__memset_chk __fgets_chk getcwd strtok inet_ntop"},
    {kReturnsFirst, 0,
     "strchr strrchr strstr strcasestr strpbrk memchr memrchr rawmemchr strchrnul index rindex basename "
     "dirname wcschr"},
    {kReturnsSecond | kCallsWithBoth, 0, "bsearch lfind"},
    {kCallsWithFirst, 1, "qsort qsort_r"},
    {0, 1,
     "snprintf vsnprintf sprintf vsprintf __snprintf_chk __vsnprintf_chk __sprintf_chk __vsprintf_chk time "
     "gettimeofday pipe fread fread_unlocked sigemptyset sigfillset sigaddset pthread_mutex_init "
     "pthread_cond_init pthread_attr_init regcomp"},
    {0, 2,
     "read pread pread64 recv recvfrom readlink stat stat64 lstat lstat64 fstat fstat64 clock_gettime "
     "__read_chk "
     "getrusage uname sigprocmask"},
    {kStoresFirstInSecond, 2,
     "strtol strtoul strtoll strtoull strtod strtof strtold strtoimax strtoumax __isoc23_strtol "
     "__isoc23_strtoul __isoc23_strtoll __isoc23_strtoull"},
    {kStoresNewInFirst, 1, "posix_memalign asprintf vasprintf __asprintf_chk __vasprintf_chk"},
    {kStoresNewInFirst, 3, "getline getdelim __getdelim"},
    {kReturnsFirst | kStoresFirstInSecond, 2, "strtok_r __strtok_r"},
    {kReturnsWhatFirstHolds, 1, "strsep"},
    {kKeepsSecond, 0, "pthread_setspecific tss_set"},
    {kReturnsKept, 0, "pthread_getspecific tss_get"},
    {kStoresKeptInSecond, 2, "pthread_join"},
    {kStartsWithFourth, 1, "pthread_create"},
    {kCallsWithAny, 1, "thrd_create pthread_once call_once ftw nftw tsearch twalk scandir"},
    {kThrown, 0,
     "__cxa_allocate_exception __cxa_throw __cxa_begin_catch __cxa_end_catch __cxa_rethrow "
     "__cxa_get_exception_ptr __cxa_current_primary_exception _Unwind_Resume"},
    {kReturnsFirst, 0, "__dynamic_cast"},
};

std::unordered_map<std::string_view, OutsideFunction> makeTable() {
  std::unordered_map<std::string_view, OutsideFunction> table;
  // The models of the C++ library say what is printed, not where pointers go.
  auto isCxx = [](std::string_view name) { return name.starts_with("_Z"); };
  for (size_t k = 0; k < std::size(kModelNames); ++k)
    if (!isCxx(kModelNames[k])) table[kModelNames[k]] = {0, writesOf(kModelEffects[k]), true};
  for (const Group& g : kGroups) {
    std::string_view names = g.names;
    while (!names.empty()) {
      size_t end = std::min(names.find(' '), names.size());
      table[names.substr(0, end)] = {g.flow, g.writes, true};
      names.remove_prefix(std::min(end + 1, names.size()));
    }
  }
  return table;
}

} // namespace

OutsideFunction outsideFunction(std::string_view name, uint32_t model) {
  static const std::unordered_map<std::string_view, OutsideFunction> table = makeTable();
  if (auto it = table.find(name); it != table.end()) return it->second;
  if (auto it = model < FL_MODEL_COUNT ? table.find(kModelNames[model]) : table.end(); it != table.end())
    return it->second;
  // Member functions of the C++ library give back their object, or what it owns.
  bool isCxx = name.starts_with("_Z");
  return {(isCxx ? kReturnsFirst : kReturnsAny) | uint32_t(kReturnsShared) | kCallsWithAny, kWritesAll,
          false};
}

} // namespace faultline::fir
