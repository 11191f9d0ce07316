// The standard models. docs/models.md describes the language. What decided only how far a copy went (the size
// given to memcpy, the NUL that ended a string) is no source of the bytes that were copied.
#include "depend/models.h"

namespace faultline::depend {

// clang-format off
static constexpr std::string_view kText = R"models(
# ---- memory
memcpy, memmove, __memcpy_chk, __memmove_chk(d, s, n): d[n] <= s[n]; result <= d
mempcpy, __mempcpy_chk(d, s, n): d[n] <= s[n]; result <- d, n
bcopy(s, d, n): d[n] <= s[n]
memccpy(d, s, c, n): d[result - d] <= s[] if result != 0; d[n] <= s[n] if result == 0;
  result <- d, c, s[n]
memset, __memset_chk(d, c, n): d[n] <- c; result <= d
wmemset(d, c, n): d[n * 4] <- c; result <= d
wmemcpy, wmemmove(d, s, n): d[n * 4] <= s[n * 4]; result <= d
bzero, explicit_bzero(d, n): d[n] <- nothing
memcmp, bcmp(a, b, n): result <- a[diff(a, b, n)], b[diff(a, b, n)]
memchr(s, c, n): result <- s, c, s[result - s + 1] if result != 0; result <- s[n], c, n if result == 0
memrchr(s, c, n): result <- s, c, s[n], n
rawmemchr(s, c): result <- s, c, s[result - s + 1]
memmem(h, hn, n, nn): result <- h, h[hn], n[nn], hn, nn
swab(s, d, n): d[n] <- s[n] if int(n) > 0

# ---- strings
strlen(s): result <- s[result + 1]
strnlen(s, n): result <- s[min(result + 1, n)], n
wcslen(s): result <- s[(result + 1) * 4]
strcpy, __strcpy_chk(d, s): d[z(s)] <= s[]; result <= d
stpcpy, __stpcpy_chk(d, s): d[z(s)] <= s[]; result <- d, s[z(s)]
strncpy, __strncpy_chk(d, s, n): d[min(n, len(s, n) + 1)] <= s[]; (d + len(s, n) + 1)[max(n, len(s, n) + 1) - len(s, n) - 1] <- nothing; result <= d
stpncpy, __stpncpy_chk(d, s, n): d[min(n, len(s, n) + 1)] <= s[]; (d + len(s, n) + 1)[max(n, len(s, n) + 1) - len(s, n) - 1] <- nothing; result <- d, s[min(n, len(s, n) + 1)]
strcat, __strcat_chk(d, s): (d + len(d))[z(s)] <= s[]; result <= d
strncat, __strncat_chk(d, s, n): (d + len(d))[len(s, n)] <= s[]; (d + len(d) + len(s, n))[1] <- nothing; result <= d
strlcpy, __strlcpy_chk(d, s, n): d[min(len(s), max(n, 1) - 1)] <= s[] if n > 0; (d + min(len(s), max(n, 1) - 1))[1] <- nothing if n > 0; result <- s[z(s)]
strlcat, __strlcat_chk(d, s, n): (d + len(d))[min(len(s), n - len(d) - 1)] <= s[] if len(d) < n; (d + len(d) + min(len(s), n - len(d) - 1))[1] <- nothing if len(d) < n; result <- d[z(d)], s[z(s)]
strdup, __strdup(s): result[z(s)] <= s[] if result != 0; result <- world
strndup, __strndup(s, n): result[len(s, n)] <= s[] if result != 0; (result + len(s, n))[1] <- nothing if result != 0; result <- world
strcmp, strcoll(a, b): result <- a[diffz(a, b)], b[diffz(a, b)]
strncmp(a, b, n): result <- a[diffz(a, b, n)], b[diffz(a, b, n)]
strcasecmp(a, b): result <- a[diffi(a, b)], b[diffi(a, b)]
strncasecmp(a, b, n): result <- a[diffi(a, b, n)], b[diffi(a, b, n)]
strchr, index(s, c): result <- s, c, s[result - s + 1] if result != 0; result <- s[z(s)], c if result == 0
strchrnul, __rawmemchr(s, c): result <- s, c, s[result - s + 1]
strrchr, rindex(s, c): result <- s, c, s[z(s)]
strstr, strcasestr(s, t): result <- s, t[z(t)], s[result - s + len(t)] if result != 0; result <- s[z(s)], t[z(t)] if result == 0
strspn(s, set): result <- s[result + 1], set[z(set)]
strcspn(s, set): result <- s[result + 1], set[z(set)]
strpbrk(s, set): result <- s, set[z(set)], s[result - s + 1] if result != 0; result <- s[z(s)], set[z(set)] if result == 0
strsep(p, set): (*p + cspan(*p, set))[1] <- nothing if *p != 0; p[8] <- p[8], set[z(set)], (*p)[cspan(*p, set) + 1]; result <- p[8]
# Where no string is given the token comes from the one that strtok remembers: its bytes are the token's.
strtok(s, set): (result + cspan(result, set))[1] <- nothing if result != 0; result <- s, set[z(set)], s[result - s] if s != 0 and result != 0; result <- set[z(set)], result[cspan(result, set) + 1] if result != 0; result <- s, set[z(set)], s[z(s)] if result == 0
strtok_r, __strtok_r(s, set, save): (result + cspan(result, set))[1] <- nothing if result != 0; save[8] <- s, save[8], set[z(set)], result[cspan(result, set) + 1]; result <- s, set[z(set)], save[8], result[cspan(result, set) + 1]
strxfrm(d, s, n): d[min(n, result + 1)] <- s[z(s)]; result <- s[z(s)]
strerror, strsignal(n): result[after(z(result))] <- n; result <- n
strerror_r, __xpg_strerror_r(n, b, size): b[?] <- n; result <- n, b
basename, __xpg_basename, dirname(s): s[z(s)] <- s[z(s)]; result <- s, s[z(s)]
ffs, ffsl, ffsll(n): result <- n

# ---- numbers in text
atoi, atol, atoll(s): result <- s[integer(s, 10)]
atof(s): result <- s[decimal(s)]
strtol, strtoll, strtoul, strtoull, strtoimax, strtoumax, strtoq, strtouq,
  __isoc23_strtol, __isoc23_strtoll, __isoc23_strtoul, __isoc23_strtoull, __isoc23_strtoimax, __isoc23_strtoumax(s, end, base):
  result <- s[integer(s, base)], base; end[8] <- s, s[integer(s, base)], base
strtod, strtof, strtold(s, end): result <- s[decimal(s)]; end[8] <- s, s[decimal(s)]
abs, labs, llabs(n): result <- n
div, ldiv, lldiv(a, b): result <- a, b

# ---- characters
isalnum, isalpha, isblank, iscntrl, isdigit, isgraph, islower, isprint, ispunct, isspace, isupper, isxdigit, isascii,
  tolower, toupper, toascii, _tolower, _toupper, towlower, towupper, iswalpha, iswdigit, iswspace, iswalnum, iswupper,
  iswlower, iswprint, iswpunct, btowc, wctob(c): result <- c
__ctype_b_loc, __ctype_tolower_loc, __ctype_toupper_loc, __ctype_get_mb_cur_max(): result <- world
mblen(s, n): result <- s[min(n, 6)]
mbtowc(d, s, n): d[4] <- s[max(int(result), 1)] if result >= 0; result <- s[min(n, 6)]
wctomb(d, c): d[result] <- c if result > 0; result <- c
mbstowcs(d, s, n): d[min(result + 1, n) * 4] <- s[z(s)] if result >= 0; result <- s[z(s)]
wcstombs(d, s, n): d[min(result + 1, n)] <- s[?] if result >= 0; result <- s[64]

# ---- memory blocks: an address is not made from the size that was asked for, but that there is none may be
malloc, valloc, pvalloc(n): result <- world; result <- n if result == 0
aligned_alloc, memalign(align, n): result <- world; result <- align, n if result == 0
calloc(n, size): result[n * size] <- nothing if result != 0; result <- world; result <- n, size if result == 0
realloc(p, n): result[min(block(p), n)] <= p[] if result != 0 and p != 0; result <- world; result <- n if result == 0
reallocarray(p, n, size): result[min(block(p), n * size)] <= p[] if result != 0 and p != 0; result <- world; result <- n, size if result == 0
posix_memalign(p, align, n): p[8] <- world; result <- align, n
free, cfree(p): nothing
malloc_usable_block(p): result <- world
_Znwm, _Znam, _ZnwmRKSt9nothrow_t, _ZnamRKSt9nothrow_t, _ZnwmSt11align_val_t, _ZnamSt11align_val_t(n): result <- world
_ZdlPv, _ZdaPv, _ZdlPvm, _ZdaPvm, _ZdlPvSt11align_val_t, _ZdlPvmSt11align_val_t, _ZdaPvSt11align_val_t, _ZdaPvmSt11align_val_t(p): nothing
mmap, mmap64(a, n, prot, flags, fd, offset): result <- world
munmap, mprotect, madvise(a, n): result <- world
sbrk, brk(n): result <- world

# ---- sorting and searching
qsort, qsort_r(b, n, w): b[n * w] <- b[n * w]
bsearch(key, b, n, w): result <- b, key[w], b[n * w]
lfind(key, b, n, w): result <- b, key[w], b[u32(n) * w]

# ---- input
read, __read_chk(fd, b, n): b[result] <= input if result > 0; result <- input, fd, n
pread, pread64(fd, b, n, offset): b[result] <= input if result > 0; result <- input, fd, n, offset
recv, recvfrom(fd, b, n): b[result] <= input if result > 0; result <- input, fd, n
readv(fd, v, n): (*v)[min(result, *(v + 8))] <= input if result > 0;
  (*(v + 16))[min(result - *(v + 8), *(v + 24))] <= input if n > 1 and result > *(v + 8);
  (*(v + 32))[min(result - *(v + 8) - *(v + 24), *(v + 40))] <= input if n > 2 and result > *(v + 8) + *(v + 24);
  result <- input, fd, v[n * 16]; takes result if result > 0
recvmsg(fd, m, flags): (**(m + 16))[min(result, *(*(m + 16) + 8))] <= input if result > 0; result <- input, fd; takes result if result > 0
fread, fread_unlocked(b, size, n, f): b[result * size] <= input; result <- input, size, n
__fread_chk, __fread_unlocked_chk(b, room, size, n, f): b[result * size] <= input; result <- input, size, n
fgets, fgets_unlocked(b, n, f): b[after(len(b))] <= input if result != 0; (b + after(len(b)))[1] <- nothing if result != 0; result <- input, b
__fgets_chk(b, size, n, f): b[after(len(b))] <= input if result != 0; (b + after(len(b)))[1] <- nothing if result != 0; result <- input, b
gets(b): b[after(len(b))] <= input if result != 0; (b + after(len(b)))[1] <- nothing if result != 0; result <- input, b;
  takes after(len(b)) + 1 if result != 0
getc, fgetc, getchar, _IO_getc, getc_unlocked, fgetc_unlocked, getchar_unlocked, getw, __uflow, __underflow(f): result <- input; takes 1 if result >= 0
getwc, fgetwc, getwchar(f): result <- input; takes 1 if result >= 0
ungetc(c, f): result <- c
getline(line, n, f): (after(*line))[result] <= input if result >= 0; (after(*line) + result)[1] <- nothing if result >= 0; line[8] <- line[8], world if after(*line) != *line; n[8] <- world, n[8] if after(*n) != *n; result <- input
getdelim, __getdelim(line, n, c, f): (after(*line))[result] <= input if result >= 0; (after(*line) + result)[1] <- nothing if result >= 0; line[8] <- line[8], world if after(*line) != *line; n[8] <- world, n[8] if after(*n) != *n; result <- input, c
scanf, __isoc99_scanf, __isoc23_scanf(f, ...): scan(input, f)
fscanf, __isoc99_fscanf, __isoc23_fscanf(file, f, ...): scan(input, f)
vscanf, __isoc99_vscanf, __isoc23_vscanf(f, list): scan(input, f, list)
vfscanf, __isoc99_vfscanf, __isoc23_vfscanf(file, f, list): scan(input, f, list)
sscanf, __isoc99_sscanf, __isoc23_sscanf(s, f, ...): scan(s, f)
vsscanf, __isoc99_vsscanf, __isoc23_vsscanf(s, f, list): scan(s, f, list)
getrandom, getentropy(b, n): b[n] <- world; result <- world

# ---- text in memory
sprintf(d, f, ...): d[] <= format(f); result <- format(f)
vsprintf(d, f, list): d[] <= format(f, list); result <- format(f, list)
snprintf(d, n, f, ...): d[n] <= format(f); result <- format(f)
vsnprintf(d, n, f, list): d[n] <= format(f, list); result <- format(f, list)
__sprintf_chk(d, flag, size, f, ...): d[] <= format(f); result <- format(f)
__vsprintf_chk(d, flag, size, f, list): d[] <= format(f, list); result <- format(f, list)
__snprintf_chk(d, n, flag, size, f, ...): d[n] <= format(f); result <- format(f)
__vsnprintf_chk(d, n, flag, size, f, list): d[n] <= format(f, list); result <- format(f, list)
asprintf(p, f, ...): p[8] <- world; (after(*p))[] <= format(f) if result >= 0; result <- format(f)
vasprintf(p, f, list): p[8] <- world; (after(*p))[] <= format(f, list) if result >= 0; result <- format(f, list)
__asprintf_chk(p, flag, f, ...): p[8] <- world; (after(*p))[] <= format(f) if result >= 0; result <- format(f)
__vasprintf_chk(p, flag, f, list): p[8] <- world; (after(*p))[] <= format(f, list) if result >= 0; result <- format(f, list)

# ---- output: writes no memory of the program (but for %n)
printf(f, ...): prints; format(f); result <- format(f), world
fprintf, dprintf, __printf_chk(file, f, ...): prints; format(f); result <- format(f), world
__fprintf_chk, __dprintf_chk(file, flag, f, ...): prints; format(f); result <- format(f), world
vprintf(f, list): prints; format(f, list); result <- format(f, list), world
vfprintf, vdprintf, __vprintf_chk(file, f, list): prints; format(f, list); result <- format(f, list), world
__vfprintf_chk, __vdprintf_chk(file, flag, f, list): prints; format(f, list); result <- format(f, list), world
puts(s): prints; result <- s[z(s)], world
fputs, fputs_unlocked(s, f): prints; result <- s[z(s)], world
putchar, putchar_unlocked, putc, fputc, _IO_putc, putc_unlocked, fputc_unlocked(c): prints; result <- c, world
__overflow(f, c): prints; result <- c, world
fwrite, fwrite_unlocked(b, size, n, f): prints; result <- size, n, world
write, pwrite, pwrite64, send, sendto(fd, b, n): prints; result <- n, world
writev(fd, v, n): prints; result <- v[n * 16], world
sendmsg(fd, m): result <- world
perror, psignal(s): nothing
warn, warnx, vwarn, vwarnx(f): nothing
syslog, vsyslog, openlog, closelog(): nothing
fflush, fflush_unlocked, setvbuf, setbuf, setlinebuf, flockfile, funlockfile(f): result <- world

# ---- files
open, open64, __open_2, __open64_2, creat, creat64(path): result <- path[z(path)], world
openat, openat64, __openat_2(dir, path): result <- path[z(path)], world
fopen, fopen64(path, mode): result <- world
freopen, freopen64(path, mode, f): result <- f, world
fdopen(fd, mode): result <- world
fmemopen(b, n, mode): result <- world
open_memstream(p, n): result <- world
popen(command, mode): result <- world
tmpfile, tmpfile64(): result <- world
mkstemp, mkstemp64, mkdtemp, mktemp(s): s[z(s)] <- s[z(s)], world; result <- s, world
close, fclose, pclose, fileno, fileno_unlocked, feof, ferror, feof_unlocked, ferror_unlocked, clearerr, rewind, isatty, fsync, fdatasync, dup(f): result <- f, world
dup2, dup3(a, b): result <- a, b, world
lseek, lseek64, fseek, fseeko, fseeko64(f, offset, whence): result <- offset, whence, world
ftell, ftello, ftello64(f): result <- world
fgetpos(f, p): p[16] <- world; result <- world
fsetpos(f, p): result <- world
stat, lstat, stat64, lstat64(path, b): b[144] <- world, path[z(path)] if result == 0; result <- path[z(path)], world
fstat, fstat64(fd, b): b[144] <- world, fd if result == 0; result <- fd, world
fstatat, fstatat64, newfstatat(dir, path, b): b[144] <- world, path[z(path)] if result == 0; result <- path[z(path)], world
access, faccessat, unlink, rmdir, mkdir, chdir, chmod, remove, truncate, opendir(path): result <- path[z(path)], world
rename, link, symlink(a, b): result <- a[z(a)], b[z(b)], world
ftruncate, fchmod, fchown, fchdir, flock, fcntl, fcntl64, ioctl(fd): result <- fd, world
readdir, readdir64, closedir, rewinddir, dirfd(d): result <- world
readlink(path, b, n): b[result] <- world, path[z(path)] if result > 0; result <- world, path[z(path)]
realpath(path, b): b[?] <- world, path[z(path)]; result <- world, path[z(path)], b
getcwd(b, n): (result)[after(z(result))] <- world if result != 0; result <- world, b
pipe, pipe2(p): p[8] <- world if result == 0; result <- world
umask, fnmatch, select, poll, ppoll, epoll_create, epoll_create1, eventfd(): result <- world
epoll_wait(e, events, n): events[result * 12] <- world if result > 0; result <- world
socket, socketpair, bind, listen, connect, setsockopt, shutdown(): result <- world
accept, accept4(fd, a, n): a[?] <- world; n[4] <- world; result <- world
getsockopt(fd, level, name, b, n): b[?] <- world; result <- world
htonl, htons, ntohl, ntohs(n): result <- n
inet_addr, inet_network(s): result <- s[z(s)]

# ---- environment and time
getenv, secure_getenv(name): result <- world, name[z(name)]; result[after(z(result))] <= input if result != 0
setenv, putenv, unsetenv(name): result <- world
time(p): p[8] <- world; result <- world
clock_gettime, clock_getres(clock, p): p[16] <- world if result == 0; result <- world
gettimeofday(p, zone): p[16] <- world if result == 0; result <- world
clock, times, getpid, getppid, getuid, geteuid, getgid, getegid, gettid, sysconf, getpagesize, get_nprocs, getpgrp, sched_getcpu(): result <- world
getrusage(who, p): p[144] <- world if result == 0; result <- world
gmtime_r, localtime_r(t, p): p[56] <- t[8]; result <= p
gmtime, localtime(t): result <- world; result[56] <- t[8]
mktime, timegm, timelocal(p): result <- p[56]; p[56] <- p[56]
difftime(a, b): result <- a, b
strftime(d, n, f, t): d[result + 1] <- f[z(f)], t[56] if result > 0; result <- f[z(f)], t[56], n
asctime, ctime(t): result <- world; result[26] <- t[56]
ctime_r(t, d): d[26] <- t[8]; result <= d
asctime_r(t, d): d[26] <- t[56]; result <= d
rand, random, lrand48, mrand48, drand48, arc4random(): result <- world
rand_r(p): result <- p[4]; p[4] <- p[4]
arc4random_uniform(n): result <- world, n
srand, srandom, srand48(n): nothing
sleep, usleep, alarm, nanosleep, clock_nanosleep, sched_yield, pause(): result <- world
uname, gethostname(b): b[?] <- world; result <- world
system(command): result <- world
fork, vfork, wait, waitpid, kill, raise, getpriority, setpriority(): result <- world
getlogin, ttyname, getpwuid, getpwnam, getgrgid, getgrnam(): result <- world
setlocale, nl_langinfo, localeconv, newlocale, uselocale, duplocale, freelocale, textdomain, bindtextdomain(): result <- world
gettext, dcgettext(s): result <- s, s[z(s)]
dlopen, dlsym, dlclose, dlerror(): result <- world
getopt(argc, argv, options): global(optarg)[?8] <- argv[argc * 8]; argv[?argc * 8] <- argv[argc * 8]; global(optind)[?4] <- global(optind)[4], argv[argc * 8]; global(optopt)[?4] <- argv[argc * 8];
  result <- argc, argv[argc * 8], options[z(options)], global(optind)[4]
getopt_long, getopt_long_only(argc, argv, options, longs, index): global(optarg)[?8] <- argv[argc * 8]; argv[?argc * 8] <- argv[argc * 8]; global(optind)[?4] <- global(optind)[4], argv[argc * 8]; global(optopt)[?4] <- argv[argc * 8];
  index[?4] <- argv[argc * 8]; result <- argc, argv[argc * 8], options[z(options)], global(optind)[4]
__errno_location, __h_errno_location(): result <- world

# ---- how a program ends, jumps and begins
exit, _exit, _Exit, quick_exit, pthread_exit, thrd_exit(status): noreturn
abort, __stack_chk_fail, __chk_fail, __fortify_fail, longjmp, _longjmp, siglongjmp, __longjmp_chk(): noreturn
__assert_fail, __assert, __assert_perror_fail(text): noreturn
err, errx, verr, verrx(): noreturn
error(): nothing
setjmp, _setjmp, __sigsetjmp, sigsetjmp(b): result <- world
atexit, at_quick_exit, on_exit, __cxa_atexit, __cxa_thread_atexit(f): result <- world

# ---- signals
signal, sysv_signal, __sysv_signal, bsd_signal(n, handler): result <- world
sigaction(n, new, old): old[?] <- world; result <- world
sigemptyset, sigfillset(s): s[128] <- nothing; result <- world
sigaddset, sigdelset(s, n): s[128] <- s[128], n; result <- n
sigismember(s, n): result <- s[128], n
sigprocmask, pthread_sigmask(how, new, old): old[?] <- world; result <- world
sigsuspend, sigwait, sigaltstack, sigqueue, setitimer, getitimer, timer_create, timer_settime(): result <- world

# ---- threads
pthread_create(t, attributes, f, argument): t[8] <- world; result <- world
pthread_join(t, p): p[8] <- world; result <- world
pthread_self, pthread_equal, pthread_detach, pthread_cancel, pthread_kill, pthread_once, pthread_setname_np(): result <- world
pthread_mutex_lock, pthread_mutex_unlock, pthread_mutex_trylock, pthread_mutex_timedlock, pthread_mutex_init, pthread_mutex_destroy,
  pthread_cond_wait, pthread_cond_timedwait, pthread_cond_signal, pthread_cond_broadcast, pthread_cond_init, pthread_cond_destroy,
  pthread_rwlock_rdlock, pthread_rwlock_wrlock, pthread_rwlock_unlock, pthread_rwlock_init, pthread_rwlock_destroy,
  pthread_spin_lock, pthread_spin_unlock, pthread_spin_init, pthread_barrier_wait, pthread_barrier_init, pthread_barrier_destroy,
  sem_wait, sem_post, sem_trywait, sem_init, sem_destroy,
  mtx_lock, mtx_unlock, mtx_init, mtx_destroy, cnd_wait, cnd_signal, cnd_broadcast(p): p[?] <- world; result <- world
pthread_mutexattr_init, pthread_mutexattr_settype, pthread_mutexattr_destroy, pthread_attr_init, pthread_attr_destroy,
  pthread_attr_setstacksize, pthread_attr_setdetachstate, pthread_condattr_init(p): p[?] <- world; result <- world
pthread_key_create(p, f): p[4] <- world; result <- world
pthread_getspecific, pthread_setspecific, pthread_key_delete(): result <- world

# ---- mathematics
sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, exp2, exp10, expm1, log, log2, log10, log1p,
  sqrt, cbrt, fabs, ceil, floor, trunc, round, rint, nearbyint, lround, llround, lrint, llrint, erf, erfc, tgamma, lgamma,
  logb, ilogb, j0, j1, y0, y1,
  sinf, cosf, tanf, asinf, acosf, atanf, sinhf, coshf, tanhf, expf, exp2f, expm1f, logf, log2f, log10f, log1pf, sqrtf, cbrtf,
  fabsf, ceilf, floorf, truncf, roundf, rintf, lroundf, llroundf, lrintf, erff, erfcf, tgammaf, lgammaf,
  sinl, cosl, tanl, asinl, acosl, atanl, expl, logl, log2l, log10l, sqrtl, cbrtl, fabsl, ceill, floorl, truncl, roundl,
  __isnan, __isinf, __finite, __fpclassify, __signbit, isnan, isinf, finite, __isnanf, __isinff, __fpclassifyf, __signbitf(x): result <- x
pow, atan2, fmod, remainder, hypot, fmin, fmax, fdim, copysign, nextafter, nexttoward, ldexp, scalbn, scalbln, drem,
  powf, atan2f, fmodf, remainderf, hypotf, fminf, fmaxf, fdimf, copysignf, nextafterf, ldexpf, scalbnf,
  powl, atan2l, fmodl, hypotl, fminl, fmaxl, copysignl, ldexpl(x, y): result <- x, y
fma, fmaf, fmal(x, y, z0): result <- x, y, z0
frexp, frexpf, frexpl(x, p): result <- x; p[4] <- x
modf(x, p): result <- x; p[8] <- x
modff(x, p): result <- x; p[4] <- x
sincos(x, s, c): s[8] <- x; c[8] <- x
sincosf(x, s, c): s[4] <- x; c[4] <- x
nan, nanf(s): result <- s[z(s)]
fegetround, fesetround, feclearexcept, fetestexcept, feraiseexcept(n): result <- n, world
)models"
R"models(
# ---- C++: exceptions and the like
__cxa_allocate_exception, __cxa_get_globals(n): result <- world
__cxa_throw, __cxa_rethrow, __cxa_bad_cast, __cxa_bad_typeid, __cxa_pure_virtual, __cxa_throw_bad_array_new_length,
  _ZSt9terminatev, _ZSt17__throw_bad_allocv, _ZSt16__throw_bad_castv, _ZSt25__throw_bad_function_callv,
  _ZSt28__throw_bad_array_new_lengthv, _ZSt19__throw_logic_errorPKc, _ZSt20__throw_length_errorPKc,
  _ZSt20__throw_out_of_rangePKc, _ZSt24__throw_out_of_range_fmtPKcz, _ZSt24__throw_invalid_argumentPKc,
  _ZSt21__throw_runtime_errorPKc, _ZSt20__throw_domain_errorPKc, _ZSt20__throw_system_errori,
  _Unwind_Resume, __clang_call_terminate(p): noreturn
__cxa_begin_catch, __cxa_get_exception_ptr(p): result <- p
__cxa_end_catch, __cxa_free_exception, __cxa_call_unexpected(p): nothing
__cxa_guard_acquire(p): p[8] <- world; result <- p[8]
__cxa_guard_release, __cxa_guard_abort(p): p[8] <- world
__dynamic_cast(p, from, to, hint): result <- p, p[8]
__cxa_demangle(name): result <- name[z(name)]
_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, _ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base,
  _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, _ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(p): result <- p, p[32]
_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(left, x, parent, header):
  x[32] <- x, parent, left; parent[32] <- parent[32], x, left; header[32] <- header[32], x; header[?] <- arguments
_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(x, header): header[32] <- header[32], x[32], x; x[?] <- arguments; result <- x, header[32]
_ZNSt8__detail15_List_node_base7_M_hookEPS0_(this, position): this[16] <- position, position[16]; position[16] <- this, position[16]; (*(position + 8))[16] <- this, position[16]
_ZNSt8__detail15_List_node_base9_M_unhookEv(this): (*this + 8)[8] <- this[16]; (*(this + 8))[8] <- this[16]
_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(this, buckets, elements, more): this[16] <- this[16], buckets, elements, more; result <- this[16], buckets, elements, more
_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(this, n): this[16] <- this[16], n; result <- this[16], n
_ZSt11_Hash_bytesPKvmm(p, n, seed): result <- p[n], n, seed
)models"
R"models(
# ---- std::string. Where its bytes are is known only from calls that give a pointer to them, so what a string
# holds is kept at this + 16 (where a short one has its bytes), its size at this + 8. A pointer into it that the
# library hands out leads there, for what the program later finds written.
$s = _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE
$k = _ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE
$a = _ZNSaIcE
{a}C1Ev, {a}C2Ev, {a}D1Ev, {a}D2Ev, {a}C1ERKS_, {a}C2ERKS_(this): nothing
{s}C1Ev, {s}C2Ev, {s}C1ERKS3_, {s}C2ERKS3_(this): this[32] <- nothing; data(this) = this + 16
{s}D1Ev, {s}D2Ev, {s}10_M_disposeEv, {s}10_M_destroyEm(this): nothing
{s}C1ERKS4_, {s}C2ERKS4_, {s}C1EOS4_, {s}C2EOS4_(this, o): this[8] <- world; (this + 8)[8] <= (o + 8)[8]; (this + 16)[16] <- (o + 16)[16], (data(o))[?]; data(this) = 0
{s}C1ERKS4_mm, {s}C2ERKS4_mm, {s}C1ERKS4_m, {s}C2ERKS4_m(this, o, from, n): this[8] <- world; (this + 8)[8] <- (o + 8)[8], from, n; (this + 16)[16] <- (o + 16)[16], (data(o))[?], from; data(this) = 0
{s}C1EPKcRKS3_, {s}C2EPKcRKS3_(this, t): this[8] <- world; (this + 8)[8] <- t[z(t)]; (this + 16)[16] <- t[z(t)]; data(this) = 0
{s}C1EPKcmRKS3_, {s}C2EPKcmRKS3_(this, t, n): this[8] <- world; (this + 8)[8] <- n; (this + 16)[16] <- t[n]; data(this) = 0
{s}C1EmcRKS3_, {s}C2EmcRKS3_, {s}12_M_constructEmc(this, n, c): this[8] <- world; (this + 8)[8] <- n; (this + 16)[16] <- c; data(this) = 0
{s}aSERKS4_, {s}aSEOS4_, {s}6assignERKS4_, {s}6assignEOS4_, {s}9_M_assignERKS4_(this, o): (this + 8)[8] <= (o + 8)[8]; (this + 16)[16] <- (o + 16)[16], (data(o))[?]; result <= this; data(this) = 0
{s}aSEPKc, {s}6assignEPKc(this, t): (this + 8)[8] <- t[z(t)]; (this + 16)[16] <- t[z(t)]; result <= this; data(this) = 0
{s}6assignEPKcm(this, t, n): (this + 8)[8] <- n; (this + 16)[16] <- t[n]; result <= this; data(this) = 0
{s}aSEc(this, c): (this + 8)[8] <- nothing; (this + 16)[16] <- c; result <= this; data(this) = 0
{s}pLERKS4_, {s}6appendERKS4_(this, o): (this + 8)[8] <- (this + 8)[8], (o + 8)[8]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], (o + 16)[16], (data(o))[?]; result <= this; data(this) = 0
{s}pLEPKc, {s}6appendEPKc(this, t): (this + 8)[8] <- (this + 8)[8], t[z(t)]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], t[z(t)]; result <= this; data(this) = 0
{s}6appendEPKcm, {s}9_M_appendEPKcm(this, t, n): (this + 8)[8] <- (this + 8)[8], n; (this + 16)[16] <- (this + 16)[16], (data(this))[?], t[n]; result <= this; data(this) = 0
{s}pLEc, {s}9push_backEc(this, c): (this + 8)[8] <- (this + 8)[8]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], c; result <= this; data(this) = 0
{s}6appendEmc, {s}6resizeEmc(this, n, c): (this + 8)[8] <- (this + 8)[8], n; (this + 16)[16] <- (this + 16)[16], (data(this))[?], c; result <= this; data(this) = 0
{s}6resizeEm, {s}7reserveEm(this, n): (this + 8)[8] <- (this + 8)[8], n; (this + 16)[16] <- (this + 16)[16], (data(this))[?]; data(this) = 0
{s}8pop_backEv, {s}7reserveEv, {s}13shrink_to_fitEv(this): (this + 8)[8] <- (this + 8)[8]; (this + 16)[16] <- (this + 16)[16], (data(this))[?]; data(this) = 0
{s}5clearEv(this): (this + 8)[8] <- nothing; (this + 16)[16] <- nothing
{s}5eraseEmm, {s}8_M_eraseEmm(this, from, n): (this + 8)[8] <- (this + 8)[8], from, n; (this + 16)[16] <- (this + 16)[16], (data(this))[?], from, n; result <= this
{s}6insertEmPKc(this, at, t): (this + 8)[8] <- (this + 8)[8], t[z(t)]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, t[z(t)]; result <= this; data(this) = 0
{s}6insertEmPKcm(this, at, t, n): (this + 8)[8] <- (this + 8)[8], n; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, t[n]; result <= this; data(this) = 0
{s}6insertEmRKS4_(this, at, o): (this + 8)[8] <- (this + 8)[8], (o + 8)[8]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, (o + 16)[16], (data(o))[?]; result <= this; data(this) = 0
{s}6insertEmmc(this, at, n, c): (this + 8)[8] <- (this + 8)[8], n; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, c; result <= this; data(this) = 0
{s}7replaceEmmPKc(this, at, n, t): (this + 8)[8] <- (this + 8)[8], n, t[z(t)]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, n, t[z(t)]; result <= this; data(this) = 0
{s}7replaceEmmPKcm, {s}10_M_replaceEmmPKcm(this, at, n, t, m): (this + 8)[8] <- (this + 8)[8], n, m; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, n, t[m]; result <= this; data(this) = 0
{s}7replaceEmmRKS4_(this, at, n, o): (this + 8)[8] <- (this + 8)[8], n, (o + 8)[8]; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, n, (o + 16)[16], (data(o))[?]; result <= this; data(this) = 0
{s}7replaceEmmmc, {s}14_M_replace_auxEmmmc(this, at, n, m, c): (this + 8)[8] <- (this + 8)[8], n, m; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, n, c; result <= this; data(this) = 0
{s}9_M_mutateEmmPKcm(this, at, n, t, m): this[8] <- world; (this + 16)[16] <- (this + 16)[16], (data(this))[?], at, n, t[m]; data(this) = 0
{s}4swapERS4_(this, o): this[32] <- this[32], o[32], (data(o))[?]; o[32] <- this[32], o[32], (data(this))[?]; data(this) = 0; data(o) = 0
{k}4sizeEv, {k}6lengthEv, {k}5emptyEv(this): result <- (this + 8)[8]
{k}8capacityEv, {k}8max_sizeEv(this): result <- world
{k}5c_strEv, {k}4dataEv, {s}4dataEv, {k}7_M_dataEv, {s}5beginEv, {k}5beginEv, {k}6cbeginEv, {s}5frontEv, {k}5frontEv(this): result <- this[8]; result[?] <- (this + 16)[16]; data(this) = result
{s}3endEv, {k}3endEv, {k}4cendEv(this): result <- this[16]
{s}4backEv, {k}4backEv(this): result <- this[16]; result[?] <- (this + 16)[16]
{s}ixEm, {k}ixEm, {s}2atEm, {k}2atEm(this, n): result <- this[8], n; result[?] <- (this + 16)[16]; data(this) = result - n
{k}7compareEPKc(this, t): result <- (this + 8)[24], (data(this))[?], t[z(t)]
{k}7compareERKS4_(this, o): result <- (this + 8)[24], (data(this))[?], (o + 8)[24], (data(o))[?]
{k}7compareEmmPKc(this, at, n, t): result <- (this + 8)[24], (data(this))[?], at, n, t[z(t)]
{k}7compareEmmRKS4_(this, at, n, o): result <- (this + 8)[24], (data(this))[?], at, n, (o + 8)[24], (data(o))[?]
{k}4findEcm, {k}5rfindEcm, {k}13find_first_ofEcm, {k}12find_last_ofEcm, {k}17find_first_not_ofEcm, {k}16find_last_not_ofEcm(this, c, from): result <- (this + 8)[24], (data(this))[?], c, from
{k}4findEPKcm, {k}5rfindEPKcm, {k}13find_first_ofEPKcm, {k}12find_last_ofEPKcm, {k}17find_first_not_ofEPKcm, {k}16find_last_not_ofEPKcm(this, t, from): result <- (this + 8)[24], (data(this))[?], t[z(t)], from
{k}4findEPKcmm, {k}5rfindEPKcmm, {k}13find_first_ofEPKcmm, {k}12find_last_ofEPKcmm, {k}17find_first_not_ofEPKcmm(this, t, from, n): result <- (this + 8)[24], (data(this))[?], t[n], from
{k}4findERKS4_m, {k}5rfindERKS4_m, {k}13find_first_ofERKS4_m, {k}12find_last_ofERKS4_m, {k}17find_first_not_ofERKS4_m(this, o, from): result <- (this + 8)[24], (data(this))[?], (o + 8)[24], (data(o))[?], from
{k}6substrEmm(out, this, from, n): out[8] <- world; (out + 8)[8] <- (this + 8)[8], from, n; (out + 16)[16] <- (this + 16)[16], (data(this))[?], from; data(out) = 0
{k}4copyEPcmm(this, d, n, from): d[result] <- (this + 16)[16], (data(this))[?], from; result <- (this + 8)[8], n, from
# Its inner parts, which header code calls: these know their places.
{s}13_M_local_dataEv, {k}13_M_local_dataEv(this): result <- this
{s}12_Alloc_hiderC1EPcRKS3_, {s}12_Alloc_hiderC2EPcRKS3_, {s}12_Alloc_hiderC1EPcOS3_, {s}12_Alloc_hiderC2EPcOS3_(this, p): this[8] <- p; data(this) = p
{s}7_M_dataEPc(this, p): this[8] <- p; data(this) = p
{s}11_M_capacityEm(this, n): (this + 16)[8] <- n
{s}9_M_lengthEm(this, n): (this + 8)[8] <- n
{s}13_M_set_lengthEm(this, n): (this + 8)[8] <- n; (data(this) + n)[1] <- nothing
{s}9_M_createERmm(this, n, old): n[8] <- n[8], old; result <- world
{s}7_M_copyEPcPKcm, {s}7_M_moveEPcPKcm(d, t, n): d[n] <= t[n]
{s}9_M_assignEPcmc(d, n, c): d[n] <- c
{s}13_S_copy_charsEPcPKcS7_, {s}13_S_copy_charsEPcS5_S5_, {s}13_S_copy_charsEPcN9__gnu_cxx17__normal_iteratorIPKcS4_EESA_, {s}13_S_copy_charsEPcN9__gnu_cxx17__normal_iteratorIS5_S4_EES8_(d, from, to): d[to - from] <= from[to - from]
{k}11_M_is_localEv, {k}11_M_disjunctEPKc, {k}15_M_check_lengthEmmPKc, {k}8_M_limitEmm, {k}8_M_checkEmPKc, {k}16_M_get_allocatorEv, {s}16_M_get_allocatorEv, {k}13get_allocatorEv(this): result <- arguments
)models"
R"models(
# ---- input streams. One in memory (istringstream) keeps what it has at this + 8 ff.; where the state of a
# stream is, its table of virtual functions tells, once the program has looked there.
$i = _ZNSi
{i}rsERb, {i}10_M_extractIbEERSiRT_(this, p): p[1] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
{i}rsERs, {i}rsERt, {i}10_M_extractItEERSiRT_(this, p): p[2] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
{i}rsERi, {i}rsERj, {i}rsERf, {i}10_M_extractIjEERSiRT_, {i}10_M_extractIfEERSiRT_(this, p): p[4] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
{i}rsERl, {i}rsERm, {i}rsERx, {i}rsERy, {i}rsERd, {i}rsERPv, {i}10_M_extractIlEERSiRT_, {i}10_M_extractImEERSiRT_, {i}10_M_extractIxEERSiRT_, {i}10_M_extractIyEERSiRT_, {i}10_M_extractIdEERSiRT_(this, p): p[8] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
{i}rsERe, {i}10_M_extractIeEERSiRT_(this, p): p[10] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
{i}rsEPFRSiS_E, {i}rsEPFRSt8ios_baseS0_E, {i}rsEPFRSt9basic_iosIcSt11char_traitsIcEES3_E(this, f): result <= this
_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_, _ZStrsISt11char_traitsIcEERSt13basic_istreamIcT_ES5_Rc, {i}3getERc(this, p): p[1] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_PS3_, _ZStrsISt11char_traitsIcEERSt13basic_istreamIcT_ES5_Pc(this, b): b[?] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
_ZStrsIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE,
  _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE,
  _ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EES4_(this, o):
  (o + 8)[8] <- input, (this + 8)[24]; (o + 16)[16] <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this; data(o) = 0
{i}3getEv, {i}4peekEv(this): result <- input, (this + 8)[24]; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; takes 1 if result >= 0
{i}4readEPcl, {i}3getEPcl, {i}7getlineEPcl, {i}7getlineEPclc, {i}8readsomeEPcl(this, b, n): b[?] <- input, (this + 8)[24]; (this + 8)[8] <- input, n; (this + *(*this - 24) + 32)[4] <- input, (this + 8)[24]; result <= this
_ZNKSi6gcountEv(this): result <- (this + 8)[8]
{i}6ignoreEv, {i}6ignoreEl, {i}6ignoreEli, {i}5ungetEv, {i}7putbackEc, {i}4syncEv, {i}5seekgElSt12_Ios_Seekdir, {i}5seekgESt4fposI11__mbstate_tE(this): (this + *(*this - 24) + 32)[4] <- input; result <= this
{i}5tellgEv(this): result <- world
_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv, _ZNKSt9basic_iosIcSt11char_traitsIcEEntEv, _ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv,
  _ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv, _ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv, _ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv,
  _ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv(this): result <- (this + 32)[4]
_ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate, _ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(this, n): (this + 32)[4] <- (this + 32)[4], n

# ---- output streams. A stream in memory (ostringstream) keeps what was written to it at this + 8.
$o = _ZNSo
{o}lsEb, {o}lsEs, {o}lsEt, {o}lsEi, {o}lsEj, {o}lsEl, {o}lsEm, {o}lsEx, {o}lsEy, {o}lsEf, {o}lsEd, {o}lsEe, {o}lsEPKv,
  {o}9_M_insertIbEERSoT_, {o}9_M_insertIlEERSoT_, {o}9_M_insertImEERSoT_, {o}9_M_insertIxEERSoT_, {o}9_M_insertIyEERSoT_,
  {o}9_M_insertIdEERSoT_, {o}9_M_insertIeEERSoT_, {o}9_M_insertIPKvEERSoT_, {o}3putEc,
  _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a,
  _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h(this, v): (this + 8)[8] <- (this + 8)[8], v; result <= this
_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKa,
  _ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKh(this, t): (this + 8)[8] <- (this + 8)[8], t[z(t)]; result <= this
_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(this, t): (this + 8)[8] <- (this + 8)[8], (t + 16)[16], (data(t))[?]; result <= this
_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l, {o}5writeEPKcl(this, t, n): (this + 8)[8] <- (this + 8)[8], t[n]; result <= this
{o}lsEPFRSoS_E, {o}lsEPFRSt8ios_baseS0_E, {o}lsEPFRSt9basic_iosIcSt11char_traitsIcEES5_E, {o}5flushEv, {o}6sentryC1ERSo, {o}6sentryD1Ev,
  _ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_, _ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(this): result <= this
_ZNSt8ios_base4InitC1Ev, _ZNSt8ios_base4InitD1Ev, _ZNSt8ios_base15sync_with_stdioEb, _ZNSt8ios_baseD2Ev(this): result <- world
_ZNSt9basic_iosIcSt11char_traitsIcEE3tieEPSo(this, o): result <- world

# ---- streams in memory and in files
$q = _ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE
$t = _ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE
$u = _ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE
{q}C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode, {q}C1EONS_12basic_stringIcS2_S3_EESt13_Ios_Openmode, {u}C1ERKNS_12basic_stringIcS2_S3_EESt13_Ios_Openmode(this, t): this[8] <- world; (this + 8)[32] <- (t + 8)[24], (data(t))[?]
{q}3strERKNS_12basic_stringIcS2_S3_EE, {u}3strERKNS_12basic_stringIcS2_S3_EE(this, t): (this + 16)[24] <- (t + 8)[24], (data(t))[?]
{q}C1Ev, {t}C1Ev, {u}C1Ev(this): this[8] <- world; (this + 8)[32] <- nothing
{q}D1Ev, {t}D1Ev, {u}D1Ev, {q}D2Ev, {t}D2Ev, {u}D2Ev(this): nothing
_ZNKSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv, _ZNKRSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEE3strEv(out, this): out[8] <- world; (out + 8)[24] <- (this + 8)[8]; data(out) = 0
_ZNKSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, _ZNKRSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEE3strEv, _ZNKSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEE3strEv(out, this): out[8] <- world; (out + 8)[24] <- (this + 8)[32]; data(out) = 0
{t}3strERKNS_12basic_stringIcS2_S3_EE(this, t): (this + 8)[8] <- (t + 8)[24], (data(t))[?]
_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode, _ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode,
  _ZNSt13basic_fstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode(this, path): this[512] <- world
_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_Ios_Openmode,
  _ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1ERKNSt7__cxx1112basic_stringIcS1_SaIcEEESt13_Ios_Openmode,
  _ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1Ev, _ZNSt14basic_ofstreamIcSt11char_traitsIcEEC1Ev(this): this[512] <- world
_ZNSt14basic_ifstreamIcSt11char_traitsIcEED1Ev, _ZNSt14basic_ofstreamIcSt11char_traitsIcEED1Ev, _ZNSt13basic_fstreamIcSt11char_traitsIcEED1Ev,
  _ZNSt14basic_ifstreamIcSt11char_traitsIcEE5closeEv, _ZNSt14basic_ofstreamIcSt11char_traitsIcEE5closeEv,
  _ZNSoD1Ev, _ZNSoD2Ev, _ZNSiD1Ev, _ZNSt15basic_streambufIcSt11char_traitsIcEED2Ev(this): nothing
_ZNSt14basic_ifstreamIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode, _ZNSt14basic_ofstreamIcSt11char_traitsIcEE4openEPKcSt13_Ios_Openmode(this, path): nothing
_ZNSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv, _ZNKSt14basic_ifstreamIcSt11char_traitsIcEE7is_openEv, _ZNSt14basic_ofstreamIcSt11char_traitsIcEE7is_openEv(this): result <- world
_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw,
  _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St14_Resetiosflags,
  _ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St12_Setiosflags(this, n): (this + 8)[8] <- (this + 8)[8], n; result <= this
_ZNSt9basic_iosIcSt11char_traitsIcEE10exceptionsESt12_Ios_Iostate(this, n): (this + 28)[4] <- n
_ZNKSt9basic_iosIcSt11char_traitsIcEE5rdbufEv(this): result <- this[264]

# ---- exceptions of the library: {table, text}
_ZNSt11logic_errorC1EPKc, _ZNSt11logic_errorC2EPKc, _ZNSt13runtime_errorC1EPKc, _ZNSt13runtime_errorC2EPKc, _ZNSt12domain_errorC1EPKc,
  _ZNSt12out_of_rangeC1EPKc, _ZNSt16invalid_argumentC1EPKc, _ZNSt12length_errorC1EPKc, _ZNSt11range_errorC1EPKc,
  _ZNSt14overflow_errorC1EPKc, _ZNSt15underflow_errorC1EPKc(this, t): this[8] <- world; (this + 8)[8] <- t[z(t)]
_ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE, _ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE,
  _ZNSt12out_of_rangeC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE, _ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE,
  _ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE, _ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(this, t): this[8] <- world; (this + 8)[8] <- (t + 16)[16], (data(t))[?]
_ZNSt13runtime_errorC1ERKS_, _ZNSt13runtime_errorC2ERKS_, _ZNSt13runtime_errorC2EOS_, _ZNSt11logic_errorC1ERKS_, _ZNSt11logic_errorC2ERKS_(this, e): this[16] <= e[16]
_ZNKSt13runtime_error4whatEv, _ZNKSt11logic_error4whatEv(this): result <- (this + 8)[8]; result[?] <- (this + 8)[8]
_ZNKSt9exception4whatEv, _ZNKSt9bad_alloc4whatEv, _ZNKSt8bad_cast4whatEv(this): result <- world
_ZNSt9exceptionD2Ev, _ZNSt9exceptionD1Ev, _ZNSt11logic_errorD1Ev, _ZNSt11logic_errorD2Ev, _ZNSt13runtime_errorD1Ev, _ZNSt13runtime_errorD2Ev,
  _ZNSt12domain_errorD1Ev, _ZNSt12out_of_rangeD1Ev, _ZNSt16invalid_argumentD1Ev, _ZNSt12length_errorD1Ev, _ZNSt9bad_allocD1Ev,
  _ZNSt12bad_weak_ptrD1Ev, _ZNSt16nested_exceptionD2Ev, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv,
  _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(this): nothing
_ZSt17current_exceptionv(out): out[8] <- world
_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(e): noreturn
_ZSt18uncaught_exceptionv, _ZSt19uncaught_exceptionsv, _ZSt15get_new_handlerv, _ZSt15set_new_handlerPFvvE, _ZSt13set_terminatePFvvE(): result <- world
_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE(this, state): this[8] <- world
_ZNSt6thread4joinEv, _ZNSt6thread6detachEv(this): this[8] <- nothing
_ZNSt6thread6_StateD2Ev(this): nothing
_ZNSt6thread20hardware_concurrencyEv, _ZNSt6chrono3_V212system_clock3nowEv, _ZNSt6chrono3_V212steady_clock3nowEv(): result <- world
_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(this, first, last): this[16] <- this[16], first, last, first[16], last[16]; first[16] <- this[16], first[16], last[16], this; last[16] <- this[16], first[16], last[16], this
_ZNSt8__detail15_List_node_base10_M_reverseEv(this): this[16] <- this[16]
_ZNSt8__detail15_List_node_base4swapERS0_S1_(a, b): a[16] <- a[16], b[16], b; b[16] <- a[16], b[16], a

# ---- less frequent parts of the C library
wcscpy, wcscat(d, t): d[?] <- t[64], d[64]; result <= d
wcscmp, wcscoll(a, b): result <- a[64], b[64]
wcsncmp(a, b, n): result <- a[n * 4], b[n * 4]
wcschr, wcsrchr(t, c): result <- t, t[64], c
swprintf, vswprintf(d, n, f): d[?] <- arguments; result <- arguments
wprintf, fwprintf, vwprintf, putwchar, fputwc, putwc, fputws(): result <- world
strverscmp(a, b): result <- a[z(a)], b[z(b)]
cabs, cabsf, carg, creal, cimag(x, y): result <- x, y
tsearch(key, root, f): root[8] <- root[8], key, world; result <- root[8], key, key[8]
tfind(key, root, f): result <- root[8], key, key[8]
tdelete(key, root, f): root[8] <- root[8], key; result <- root[8], key, key[8]
twalk(root, f): nothing
regcomp(p, t, flags): p[64] <- t[z(t)], flags; result <- t[z(t)], flags
regexec(p, t, n, m, flags): m[n * 8] <- p[64], t[z(t)], flags if result == 0; result <- p[64], t[z(t)], flags
regfree(p): nothing
iconv_open, iconv_close(): result <- world
iconv(c, in, inLeft, out, outLeft): (*out)[*outLeft - after(*outLeft)] <- (*in)[*inLeft]; in[8] <- in[8], (*in)[*inLeft]; inLeft[8] <- inLeft[8], (*in)[*inLeft]; out[8] <- out[8], (*in)[*inLeft]; outLeft[8] <- outLeft[8], (*in)[*inLeft]; result <- (*in)[*inLeft]
execl, execlp, execle, execv, execvp, execve, posix_spawn, posix_spawnp, syscall, prctl, getauxval, mremap, sched_setaffinity,
  epoll_ctl, signalfd, timerfd_create, timerfd_settime, inotify_init, sem_timedwait, __libc_current_sigrtmin, __libc_current_sigrtmax,
  __register_atfork, pthread_atfork, thrd_join, thrd_detach, tss_get, tss_set(): result <- world
thrd_create(t, f, argument): t[8] <- world; result <- world
cnd_init, tss_create, call_once(p): p[?] <- world; result <- world
sigpending(s): s[128] <- world; result <- world
getsockname, getpeername(fd, a, n): a[?] <- world; n[4] <- world; result <- world
inet_ntop(family, a, d, n): d[?] <- a[16]; result <= d
inet_pton(family, t, d): d[?] <- t[z(t)]; result <- t[z(t)]
inet_aton(t, d): d[4] <- t[z(t)]; result <- t[z(t)]
getaddrinfo(host, service, hints, p): p[8] <- world; result <- world
freeaddrinfo(p): nothing
gai_strerror, hstrerror(n): result <- n
__divdc3, __muldc3(a, b, c, d): result <- a, b, c, d
_ZSt10from_charsPKcS0_RdSt12chars_format, _ZSt10from_charsPKcS0_RfSt12chars_format(from, to, p): p[?8] <- from[to - from]; result <- from, from[to - from]
_ZSt8to_charsPcS_d, _ZSt8to_charsPcS_f(from, to, v): from[?] <- v; result <- from, v
_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale, _ZSt9use_facetINSt7__cxx117collateIcEEERKT_RKSt6locale, _ZNKSt6locale2id5_M_idEv(this): result <- world
_ZNKSt7__cxx117collateIcE9transformEPKcS3_(out, this, from, to): out[8] <- world; (out + 8)[24] <- from[to - from]; data(out) = 0
_ZNSt6localeC1Ev, _ZNSt6localeC1ERKS_, _ZNSt6localeC1EPKc(this): this[8] <- world
_ZNSt6localeD1Ev(this): nothing
_ZNSt6localeaSERKS_(this, o): this[8] <= o[8]; result <= this
_ZNSt18condition_variableC1Ev, _ZNSt18condition_variableD1Ev, _ZNSt18condition_variable10notify_allEv, _ZNSt18condition_variable10notify_oneEv(this): nothing
_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(this, lock): nothing
_ZNSt13__future_base12_Result_baseC2Ev(this): this[16] <- world
_ZNSt13__future_base12_Result_baseD2Ev, _ZNSt28__atomic_futex_unsigned_base19_M_futex_notify_allEPj(this): nothing
argz_next(list, n, entry): result <- list, n, entry, list[n]
obstack_printf(o, f, ...): format(f); result <- format(f)
)models"
;
// clang-format on

std::string_view standardModelsText() { return kText; }

} // namespace faultline::depend
