#include "runtime/own_maps.h"

#include "runtime/experiment.h"
#include "runtime/random.h"
#include "runtime/raw.h"
#include "runtime/real.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

namespace fl {
namespace {

// The shadow (abi/state.h) of all but the lowest memory lies below any program, that of the lowest right
// above; higher up is what a server keeps (abi/experiment.h).
constexpr uintptr_t kShadowBegin = 0x10000000000, kShadowEnd = FL_SHADOW_XOR + 0x20000000000;
constexpr uintptr_t kReadingAddress = FL_SERVER_ADDRESS - 0x1000000000;
constexpr size_t kLargest = 16 << 20;

bool isOurs(uintptr_t begin) {
  return (begin >= FL_EPOCH_ADDRESS && begin < FL_EPOCH_ADDRESS + FL_SHARED_SIZE) ||
         (begin >= kShadowBegin && begin < kShadowEnd) ||
         (begin >= kReadingAddress && begin <= FL_EXPERIMENT_ADDRESS);
}

uintptr_t addressAt(const char* at) {
  uintptr_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9')
      value = value * 16 + uintptr_t(*at - '0');
    else if (*at >= 'a' && *at <= 'f')
      value = value * 16 + uintptr_t(*at - 'a' + 10);
    else
      return value;
  }
}

size_t readAll(int fd, char* text, size_t room) {
  size_t size = 0;
  for (long got; size < room && (got = raw(SYS_read, fd, long(text + size), long(room - size))) > 0;)
    size += size_t(got);
  return size;
}

void putInstead(int fd, long own) {
  if (own < 0) return;
  raw(SYS_dup3, own, fd, raw(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0);
  raw(SYS_close, own);
}

// A file with the text, in place of the real one; that itself, if there is no memory for it.
int shownInstead(int fd) {
  long area = raw(SYS_mmap, long(kReadingAddress), kLargest, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (area != long(kReadingAddress)) return fd;
  auto* text = reinterpret_cast<char*>(kReadingAddress);
  const size_t all = readAll(fd, text, kLargest);
  const size_t size = keepOwnAreas(text, all);
  long own = all < kLargest ? raw(SYS_memfd_create, long("maps"), MFD_CLOEXEC) : -1;
  if (own >= 0 && raw(SYS_write, own, long(text), long(size)) == long(size)) {
    raw(SYS_lseek, own, 0, SEEK_SET);
    putInstead(fd, own);
  } else if (own >= 0) {
    raw(SYS_close, own);
  }
  raw(SYS_munmap, long(kReadingAddress), long(kLargest));
  return fd;
}

bool isOwnMaps(const char* path) {
  return (strcmp(path, "/proc/self/maps") == 0 || strcmp(path, "/proc/thread-self/maps") == 0);
}

// Where system calls are caught, it is done there.
int shown(const char* path, int fd) {
  if (fd < 0 || !path || serving) return fd;
  if (isOwnMaps(path)) return shownInstead(fd);
  if (isRandomGiven() && isRandomDevice(path)) putInstead(fd, openRandom());
  return fd;
}

FILE* shown(const char* path, FILE* file) {
  if (file) shown(path, fileno(file));
  return file;
}

mode_t modeIn(int flags, va_list& list) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

} // namespace

size_t keepOwnAreas(char* text, size_t size) {
  size_t kept = 0;
  for (size_t at = 0; at < size;) {
    const void* newline = memchr(text + at, '\n', size - at);
    const size_t end = newline ? size_t(static_cast<const char*>(newline) - text) + 1 : size;
    if (!isOurs(addressAt(text + at))) {
      memmove(text + kept, text + at, end - at);
      kept += end - at;
    }
    at = end;
  }
  return kept;
}

} // namespace fl

using namespace fl;

FL_EXPORT int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = modeIn(flags, list);
  va_end(list);
  return shown(path, REAL(open)(path, flags, mode));
}

FL_EXPORT int open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = modeIn(flags, list);
  va_end(list);
  return shown(path, REAL(open64)(path, flags, mode));
}

FL_EXPORT int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = modeIn(flags, list);
  va_end(list);
  return shown(path, REAL(openat)(folder, path, flags, mode));
}

FL_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = modeIn(flags, list);
  va_end(list);
  return shown(path, REAL(openat64)(folder, path, flags, mode));
}

FL_EXPORT FILE* fopen(const char* path, const char* mode) { return shown(path, REAL(fopen)(path, mode)); }
FL_EXPORT FILE* fopen64(const char* path, const char* mode) { return shown(path, REAL(fopen64)(path, mode)); }
