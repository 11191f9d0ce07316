// abort, after a message of the program's own.
//
// ends: signal SIGABRT
// kind: abort
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

static void fatal(const char* what, int code) {
  fprintf(stderr, "fatal: %s (%d)\n", what, code);
  if (code > 2) abort(); // <- fails in fatal
}

int main(void) {
  for (int i = 0; i < 10; ++i) {
    printf("%d\n", i);
    fflush(stdout);
    fatal("problem", i);
  }
  return 0;
}
