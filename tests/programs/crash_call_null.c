// A call through a function pointer that is null.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>

static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
int (*operations[4])(int, int) = {add, multiply};

static int apply(int which, int a, int b) {
  return operations[which](a, b); // <- fails in apply
}

int main(void) {
  int v = 1;
  for (int i = 0; i < 4; ++i) {
    v = apply(i, v, i + 2);
    printf("%d\n", v);
    fflush(stdout);
  }
  return 0;
}
