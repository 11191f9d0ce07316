// A stack overflow that a handler on its own stack survives by siglongjmp, twice.
//
// flags: -Wno-infinite-recursion
// builds: O0
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf out;
static volatile int overflows;

static void onSegv(int signal) {
  ++overflows;
  siglongjmp(out, signal);
}

static int descend(int depth) {
  volatile int room[200];
  room[depth % 200] = depth;
  return descend(depth + 1) + room[depth % 200];
}

static int shallow(int depth) { return depth ? shallow(depth - 1) + depth : 0; }

int main(void) {
  static char stack[1 << 16];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, 0);
  struct sigaction action = {.sa_handler = onSegv, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  int sum = 0;
  for (volatile int i = 0; i < 2; i = i + 1) {
    if (sigsetjmp(out, 1) == 0) sum = descend(0);
    sum += shallow(100 * (i + 1));
  }
  printf("%d %d\n", overflows, sum);
  return 0;
}
