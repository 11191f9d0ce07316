// Division by zero.
//
// args: 10 5 0 2
// ends: signal SIGFPE
// kind: division-by-zero
// message: part is 0
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

static int ratio(int total, int part) {
  return total / part; // <- fails in ratio
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    printf("%d\n", ratio(100, atoi(argv[i])));
    fflush(stdout);
  }
  return 0;
}
