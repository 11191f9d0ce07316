// Recursion without end: the machine's stack or the frame stack runs into its guard page.
//
// ends: signal SIGSEGV
// kind: stack-overflow
// message: descend
// fails-in: descend
// flags: -Wno-infinite-recursion
#include <stdio.h>

static unsigned sink;

static unsigned descend(unsigned depth) {
  volatile char room[512];
  room[depth % 512] = (char)depth;
  sink += (unsigned)room[depth % 512];
  return descend(depth + 1) * 3 + (unsigned)room[(depth + 1) % 512];
}

int main(void) {
  puts("before");
  fflush(stdout);
  return (int)descend(1);
}
