// The C library divides by zero for its caller: no memory is at fault, and none is named.
//
// ends: signal SIGFPE
// kind: crash
// message: Arithmetic error in div(), called
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

static int rest(int all, int parts) {
  return div(all, parts).rem; // <- fails in rest
}

int main(int argc, char** argv) {
  for (int parts = 3; parts >= 0; --parts) printf("%d\n", rest(100 + argc, parts));
  return 0;
}
