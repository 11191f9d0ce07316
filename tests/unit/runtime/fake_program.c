/* Instrumented by hand: calls the hooks as the instrumentation pass makes code call them, so that the runtime
 * can be tested without a compiler. The first argument names what to do. */
#define _GNU_SOURCE
#include "abi/hooks.h"
#include "abi/models.h"
#include "abi/state.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATE (*(volatile fl_state*)FL_STATE_ADDRESS)
#define COLD __attribute__((preserve_most))

void fl_register(fl_module*);
COLD void fl_load(void*, uint64_t, uint32_t, uint32_t, fl_module*);
COLD void fl_load_wide(void*, uint64_t, uint32_t, fl_module*);
void fl_value(const void*, uint64_t, uint32_t, fl_module*);
void fl_ret(uint64_t, uint32_t, fl_module*);
void fl_model(uint32_t, uint64_t, uint32_t, fl_module*, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
              uint64_t);
void fl_copy(void*, const void*, uint64_t, uint32_t, fl_module*);
void fl_fill(void*, uint32_t, uint64_t);
void fl_sync(void*, uint64_t, uint32_t, fl_module*);
COLD uint64_t fl_enter(const uint64_t*, uint64_t, uint32_t, fl_module*);
void fl_setjmp(uint32_t, uint32_t, fl_module*);
void fl_smashed(uint32_t, fl_module*);
void fl_block(uint32_t, fl_module*);
void fl_unblock(uint32_t, fl_module*);

int main(int argc, char** argv);
static char data[64] = "initialised";
static void* symbols[] = {data, (void*)main};
static const uint64_t sizes[] = {sizeof data, 0};
static fl_module module = {0x1234abcd, 100, 2, symbols, sizes, 0, 0};

__attribute__((constructor(101))) static void registerModule(void) { fl_register(&module); }

/* One instruction, as the contract asks: it may fault and be tried again. */
static inline void epochPoint(void) { __asm__ volatile("addq $1, %0" : "+m"(*(uint64_t*)FL_EPOCH_ADDRESS)); }

static uint64_t enter(uint32_t id, uint64_t argument) {
  epochPoint();
  if (STATE.ext == 0) return 0;
  return fl_enter(&argument, 1, id, &module);
}
static void leave(uint64_t ext) { STATE.ext = ext; }
static void outside(uint32_t id) { STATE.ext = module.base + id + 2; }
static void inside(void) { STATE.ext = 0; }

static uint8_t* shadow(void* p) { return (uint8_t*)(((uintptr_t)p ^ FL_SHADOW_XOR) + FL_SHADOW_ADD); }
static void store8(void* p, uint64_t value) {
  memcpy(p, &value, 8);
  memcpy(shadow(p), &value, 8);
}
static uint64_t load8(void* p, uint32_t id) {
  uint64_t value, known;
  memcpy(&value, p, 8);
  memcpy(&known, shadow(p), 8);
  if (value != known) fl_load(p, value, 8, id, &module);
  return value;
}

static int doNothing(void) { return 3; }

static int doLoads(void) {
  static uint64_t cell;
  store8(&cell, 5);
  load8(&cell, 10); /* known: no record */
  cell = 77;        /* behind the shadow's back */
  load8(&cell, 11);
  load8(&cell, 12); /* known again */
  char wide[24] = "wide";
  fl_load_wide(wide, sizeof wide, 13, &module);
  fl_load_wide(wide, sizeof wide, 14, &module);
  fl_value("xyz", 3, 15, &module);
  return 0;
}

static int doModels(void) {
  static char text[64], copy[64];
  errno = 77;
  outside(20);
  int n = snprintf(text, sizeof text, "hello %d", 42);
  fl_model(FL_MODEL_snprintf | FL_MODEL_USED, (uint32_t)n, 20, &module, (uint64_t)text, sizeof text, 0, 0, 0,
           0);
  fl_copy(copy, text, 9, 21, &module); /* known: no record */
  text[0] = 'J';
  fl_copy(copy + 1, text, 9, 22, &module);
  fl_fill(copy, 'x', 3);
  fl_sync(copy, sizeof copy, 23, &module); /* known */
  outside(24);
  int bad = snprintf(0, 0, "abc");
  fl_model(FL_MODEL_snprintf, (uint32_t)bad, 24, &module, 0, 0, 0, 0, 0, 0);
  return errno == 77 && memcmp(copy, "xxxllo 42", 9) == 0 ? 0 : 1;
}

static int doRing(void) {
  for (uint32_t i = 0; i < 4000000; ++i) {
    epochPoint();
    outside(30);
    fl_ret(i * 2654435761u, 30, &module);
  }
  return 0;
}

static int doCrash(void) {
  epochPoint();
  *(volatile int*)16 = 1;
  return 0;
}
static int doCopyCrash(void) {
  fl_copy((void*)32, data, 8, 40, &module);
  return 0;
}
static int doDivide(void) {
  volatile int one = 10, zero = 0;
  return one / zero;
}
static int doAbort(void) {
  outside(41);
  abort();
}
static int doKill(void) {
  outside(42);
  fl_ret(9, 42, &module);
  outside(43);
  kill(getpid(), SIGKILL);
  return 0;
}
static int doUnderscoreExit(void) {
  outside(44);
  _exit(9);
}
__attribute__((noinline)) static int recurse(volatile char* p) {
  volatile char room[4096];
  room[0] = p[0];
  return recurse(room) + room[1];
}
static int doStackOverflow(void) {
  char c = 0;
  return recurse(&c);
}
static int doFrameOverflow(void) {
  for (volatile char* p = (char*)STATE.frame_top;; p -= 4096) p[-1] = 1;
}
static int doSmashed(void) {
  fl_smashed(45, &module);
  return 0;
}

static int doFork(void) {
  outside(50);
  pid_t pid = fork();
  fl_ret(pid != 0, 50, &module);
  if (pid == 0) {
    for (int i = 0; i < 100; ++i) fl_ret(0x77, 51, &module); /* must not reach the log */
    outside(52);
    exit(5);
  }
  int status;
  outside(53);
  waitpid(pid, &status, 0);
  fl_ret(WEXITSTATUS(status), 53, &module);
  return WEXITSTATUS(status);
}

static volatile int caught;
static void handler(int signal) {
  uint64_t ext = enter(60, signal);
  caught++;
  leave(ext);
}

static int doSignalOutside(void) {
  outside(61);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  fl_ret(1, 61, &module);
  return caught;
}

static int doSignalInside(void) {
  struct sigaction action = {.sa_handler = handler}, seen;
  outside(62);
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGUSR1, 0, &seen);
  inside();
  if (seen.sa_handler != handler) return 90;
  /* Strikes with ext == 0, and must wait for the epoch point. */
  syscall(234 /* tgkill */, getpid(), gettid(), SIGUSR1);
  if (caught != 0) return 91;
  epochPoint();
  if (caught != 1) return 92;
  epochPoint();
  return caught == 1 ? 0 : 93;
}

static int doTerminateInside(void) {
  outside(63);
  alarm(1);
  inside();
  for (;;) epochPoint();
}

static sigjmp_buf back;
static void faultHandler(int signal, siginfo_t* info, void* context) {
  uint64_t ext = enter(64, (uint64_t)info->si_addr);
  (void)ext;
  outside(65);
  siglongjmp(back, 7);
}
static int doFaultHandler(void) {
  struct sigaction action = {.sa_sigaction = faultHandler, .sa_flags = SA_SIGINFO | SA_NODEFER};
  outside(66);
  sigaction(SIGSEGV, &action, 0);
  outside(67);
  int value = sigsetjmp(back, 1);
  fl_setjmp(value, 67, &module);
  if (value == 0) *(volatile int*)8 = 1;
  return value;
}

static int doAllBlocked(void) {
  sigset_t all, seen;
  sigfillset(&all);
  outside(68);
  sigprocmask(SIG_SETMASK, &all, 0);
  sigprocmask(SIG_BLOCK, 0, &seen);
  inside();
  mprotect((void*)FL_EPOCH_ADDRESS, 4096, PROT_READ); /* as the runtime does it */
  epochPoint();
  return sigismember(&seen, SIGSEGV) && sigismember(&seen, SIGTERM) ? 0 : 1;
}

static int doHang(void) {
  for (;;) epochPoint();
}
static int doHangOutside(void) {
  outside(69);
  for (;;) pause();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t counter;
static void* worker(void* argument) {
  uint64_t ext = enter(70, (uint64_t)argument);
  for (int i = 0; i < 200; ++i) {
    epochPoint();
    outside(71);
    pthread_mutex_lock(&mutex);
    inside();
    uint64_t seen = counter;
    for (int j = 0; j < 500; ++j) epochPoint();
    counter = seen + 1;
    outside(72);
    pthread_mutex_unlock(&mutex);
    inside();
  }
  leave(ext);
  return 0;
}
static int doThreads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    outside(73);
    pthread_create(&threads[i], 0, worker, (void*)(intptr_t)i);
    fl_ret(0, 73, &module);
  }
  for (int i = 0; i < 4; ++i) {
    outside(74);
    pthread_join(threads[i], 0);
    inside();
  }
  return counter == 800 ? 0 : 1;
}

static volatile int go, spinning;
static void* spinner(void* argument) {
  uint64_t ext = enter(75, 0);
  spinning = 1;
  while (!go) epochPoint();
  leave(ext);
  return 0;
}
static int doSpin(void) {
  pthread_t thread;
  outside(76);
  pthread_create(&thread, 0, spinner, 0);
  while (!spinning) sched_yield();
  inside();
  go = 1;
  outside(77);
  pthread_join(thread, 0);
  inside();
  return 0;
}
static void* crasher(void* argument) {
  uint64_t ext = enter(78, 0);
  *(volatile int*)24 = 1;
  leave(ext);
  return 0;
}
static int doThreadCrash(void) {
  pthread_t thread;
  outside(79);
  pthread_create(&thread, 0, crasher, 0);
  pthread_join(thread, 0);
  return 0;
}

/* Signals and switches strike everywhere: in hooks, in outside calls, at epoch points. */
static void* stormy(void* argument) {
  uint64_t ext = enter(81, (uint64_t)argument);
  static uint64_t cell;
  for (int i = 0; i < 30000; ++i) {
    epochPoint();
    cell = (uint64_t)i * 3;
    load8(&cell, 82);
    outside(83);
    fl_ret(i, 83, &module);
    if (i % 50 == 0) {
      outside(84);
      pthread_mutex_lock(&mutex);
      inside();
      epochPoint();
      outside(85);
      pthread_mutex_unlock(&mutex);
      inside();
    }
    if (i % 1000 == 0) {
      outside(86);
      fl_block(86, &module);
      usleep(50);
      fl_unblock(86, &module);
      fl_ret(0, 86, &module);
    }
  }
  leave(ext);
  return 0;
}
static int doStorm(void) {
  struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  pthread_t threads[3];
  outside(87);
  sigaction(SIGALRM, &action, 0);
  setitimer(ITIMER_REAL, &often, 0);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, stormy, 0);
  inside();
  stormy(0);
  outside(88);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  setitimer(ITIMER_REAL, &never, 0);
  inside();
  return caught > 5 ? 0 : 1;
}

static int doExec(void) {
  outside(80);
  execl("/bin/sh", "sh", "-c", "test -z \"$FAULTLINE_RECORD$FAULTLINE_EXE$FAULTLINE_SEED\" && exit 6",
        (char*)0);
  return 1;
}

static int doLook(void) {
  char name[256] = "";
  ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
  if (length < 0 || strcmp(name, "/original/program") != 0) return 1;
  for (char** e = environ; *e; ++e)
    if (strncmp(*e, "FAULTLINE_", 10) == 0) return 2;
  int fd = dup(0);
  if (fd != 3) return 3;
  struct sigaction action;
  sigaction(SIGTERM, 0, &action);
  if (action.sa_handler != SIG_DFL) return 4;
  stack_t stack;
  sigaltstack(0, &stack);
  if (!(stack.ss_flags & SS_DISABLE)) return 5;
  char line[64] = "";
  if (!fgets(line, sizeof line, stdin) || strcmp(line, "some input\n") != 0) return 6;
  printf("to stdout\n");
  fprintf(stderr, "to stderr\n");
  return 0;
}

static const struct {
  const char* name;
  int (*run)(void);
} actions[] = {{"nothing", doNothing},
               {"loads", doLoads},
               {"models", doModels},
               {"ring", doRing},
               {"crash", doCrash},
               {"copy-crash", doCopyCrash},
               {"divide", doDivide},
               {"abort", doAbort},
               {"kill", doKill},
               {"_exit", doUnderscoreExit},
               {"stack", doStackOverflow},
               {"frames", doFrameOverflow},
               {"smashed", doSmashed},
               {"fork", doFork},
               {"signal-outside", doSignalOutside},
               {"signal-inside", doSignalInside},
               {"terminate", doTerminateInside},
               {"fault-handler", doFaultHandler},
               {"all-blocked", doAllBlocked},
               {"hang", doHang},
               {"hang-outside", doHangOutside},
               {"threads", doThreads},
               {"spin", doSpin},
               {"thread-crash", doThreadCrash},
               {"storm", doStorm},
               {"exec", doExec},
               {"look", doLook}};

int main(int argc, char** argv) {
  uint64_t ext = enter(1, argc);
  int status = 99;
  for (size_t i = 0; i < sizeof actions / sizeof actions[0]; ++i)
    if (argc > 1 && strcmp(argv[1], actions[i].name) == 0) status = actions[i].run();
  leave(ext);
  return status;
}
