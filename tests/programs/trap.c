// __builtin_trap.
//
// ends: signal SIGILL
// kind: illegal-instruction
// builds: O0,O2
#include <stdio.h>

static int lookup(const int* table, int n, int key) {
  for (int i = 0; i < n; ++i)
    if (table[i] == key) return i;
  __builtin_trap(); // <- fails in lookup
}

int main(void) {
  static const int table[] = {4, 8, 15, 16, 23, 42};
  printf("%d\n", lookup(table, 6, 15));
  fflush(stdout);
  printf("%d\n", lookup(table, 6, 7));
  return 0;
}
