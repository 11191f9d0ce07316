// A crash in a constructor, before main.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>

static int* volatile table;

__attribute__((constructor)) static void prepare(void) {
  puts("preparing");
  fflush(stdout);
  table[3] = 1; // <- fails in prepare
}

int main(void) {
  puts("never");
  return 0;
}
