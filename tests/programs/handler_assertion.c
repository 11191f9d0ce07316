// A handler for SIGABRT that ends the program with a status: the assertion failed.
//
// ends: exit 4
// kind: assertion
// message: count < 3
// stderr: count < 3
// builds: O0
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static void onAbort(int signal) {
  if (signal == SIGABRT && write(1, "aborting\n", 9) < 0) _exit(9);
  _exit(4);
}

static void check(int count) {
  assert(count < 3); // <- fails in check
  printf("%d\n", count);
  fflush(stdout);
}

int main(void) {
  signal(SIGABRT, onAbort);
  for (int i = 0; i < 5; ++i) check(i);
  return 0;
}
