// A block on the heap is overrun; glibc finds out at free and aborts with a message.
//
// ends: signal SIGABRT
// kind: heap-corruption
// stderr: free(): invalid next size
// message: free(): invalid next size
// builds: O0,O2
// memory: out-of-bounds
#include <stdio.h>
#include <stdlib.h>

static void fill(int* to, int n) {
  for (int i = 0; i <= n; ++i) to[i] = i * 0x01010101 | 1; // beyond the last one lies the next block's size
}

int main(void) {
  int* volatile blocks[4];
  for (int i = 0; i < 4; ++i) blocks[i] = malloc(264 * sizeof(int));
  fill(blocks[1], 268);
  puts("filled");
  fflush(stdout);
  free(blocks[1]); // <- fails in main
  puts("never");
  return 0;
}
