// SIGSEGV sent while the program has it blocked: by sigprocmask, where it waits until it is let in, and
// within its own handler, where it waits for the handler's end. With SA_NODEFER it does not wait. A jump that
// brings the mask back lets it in, too.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int depth, handled, nested;
static sigjmp_buf out;
static volatile int jumps;

static void onSegv(int signal) {
  ++depth;
  if (depth > 1) nested = 1;
  ++handled;
  if (handled == 1 || handled == 4) raise(signal);
  --depth;
}

static void leave(int signal) { siglongjmp(out, signal); }

static void install(void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigaction(SIGSEGV, &action, 0);
}

int main(void) {
  install(onSegv, 0);
  raise(SIGSEGV);
  printf("in the handler: handled %d, nested %d\n", handled, nested);
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGSEGV);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGSEGV);
  raise(SIGSEGV);
  sigprocmask(SIG_BLOCK, 0, &old);
  printf("blocked: handled %d, told so %d\n", handled, sigismember(&old, SIGSEGV));
  sigprocmask(SIG_UNBLOCK, &set, 0);
  printf("let in: handled %d\n", handled);
  install(onSegv, SA_NODEFER);
  raise(SIGSEGV);
  printf("not deferred: handled %d, nested %d\n", handled, nested);

  install(leave, 0);
  for (jumps = 0; jumps < 3; ++jumps)
    if (sigsetjmp(out, 1) == 0) {
      int* volatile p = 0;
      *p = 1;
    }
  printf("jumped out %d times\n", jumps);
  return 0;
}
