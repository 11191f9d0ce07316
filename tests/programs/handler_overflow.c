// A handler that tells a stack overflow from other faults and ends the program.
//
// flags: -Wno-infinite-recursion
// ends: exit 5
// kind: stack-overflow
// builds: O0
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void onSegv(int signal) {
  (void)signal;
  if (write(1, "stack overflow\n", 15) < 0) _exit(9);
  _exit(5);
}

static int descend(int depth) {
  volatile int room[200];
  room[depth % 200] = depth;
  return descend(depth + 1) + room[depth % 200];
}

int main(void) {
  static char stack[1 << 16];
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, 0);
  struct sigaction action = {.sa_handler = onSegv, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  return descend(0);
}
