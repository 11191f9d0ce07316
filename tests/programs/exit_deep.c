// exit(3) deep inside, with atexit handlers and a destructor that still run.
//
// ends: exit 3
// kind: exit-status
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

static int depth;

static void report(void) { printf("handler %d\n", depth); }
__attribute__((destructor)) static void destructor(void) { printf("destructor %d\n", depth); }

static void check(int value) {
  ++depth;
  if (value > 100) exit(3); // <- fails in check
  check(value * 2 + 1);
}

int main(void) {
  atexit(report);
  check(1);
  return 0;
}
