// The smallest integer divided by -1: the quotient does not fit. The remainder fails alike.
//
// args: -1
// ends: signal SIGFPE
// kind: crash
// builds: O0,O2
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static long rest(long a, long b) {
  return a % b; // <- fails in rest
}

int main(int argc, char** argv) {
  long b = argc > 1 ? atol(argv[1]) : 1;
  printf("%ld %ld\n", rest(17, 5), rest(-17, b));
  fflush(stdout);
  volatile long r = rest(LONG_MIN, b);
  printf("%ld\n", r);
  return 0;
}
