// abort with a handler for SIGABRT that prints, aborts again inside, three deep, then lets it happen.
//
// ends: signal SIGABRT
// kind: abort
// builds: O0,O2
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int depth;

static void onAbort(int signal) {
  (void)signal;
  ++depth;
  if (write(1, "in the handler\n", 15) != 15) _exit(9);
  if (depth < 3) abort();
}

static void work(int n) {
  if (n == 4) abort(); // <- fails in work
  printf("%d\n", n);
  fflush(stdout);
  work(n + 1);
}

int main(void) {
  signal(SIGABRT, onAbort);
  work(0);
  return depth;
}
