// An assertion fails in a program that has a handler for SIGABRT, which returns: libc then ends it all the
// same.
//
// ends: signal SIGABRT
// kind: assertion
// builds: O0
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void onAbort(int signal) {
  if (signal == SIGABRT && write(1, "aborting\n", 9) < 0) _exit(9);
}

int main(void) {
  signal(SIGABRT, onAbort);
  for (int i = 3; i >= 0; --i) {
    printf("%d\n", i);
    fflush(stdout);
    assert(i > 0); // <- fails in main
  }
  return 0;
}
