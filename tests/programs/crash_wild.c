// A pointer is overwritten through a union and then followed: an address that no process has.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>

union cell {
  long number;
  int* pointer;
};

static int follow(union cell* c) {
  return *c->pointer; // <- fails in follow
}

int main(void) {
  int value = 5;
  union cell cells[3] = {{.pointer = &value}, {.pointer = &value}, {.number = 0x5a5a5a5a5a5a5a5a}};
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += follow(&cells[i]);
    printf("%d\n", sum);
    fflush(stdout);
  }
  return sum;
}
