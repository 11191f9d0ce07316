// _exit from a nested call: no atexit handlers, no flush of stdio; what was written directly is there.
//
// ends: exit 6
// kind: exit-status
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void never(void) { puts("never seen"); }

static void leave(int depth) {
  if (depth == 6) _exit(depth); // <- fails in leave
  leave(depth + 1);
}

int main(void) {
  atexit(never);
  printf("lost");
  if (write(1, "kept\n", 5) != 5) return 1;
  leave(0);
  return 0;
}
