// A call into memory that may be read but not executed: the bytes of an array.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>

static unsigned char code[4096] = {0xc3};

static int jump(int (*f)(int), int v) {
  return f(v); // <- fails in jump
}
static int identity(int v) { return v; }

int main(void) {
  printf("%d\n", jump(identity, 4));
  fflush(stdout);
  return jump((int (*)(int))(void*)(code + 64), 4);
}
