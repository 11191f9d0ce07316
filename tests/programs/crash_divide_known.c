// Division by a zero that a compiler can foresee: it must still be the machine that stops the program.
//
// ends: signal SIGFPE
// kind: division-by-zero
// message: parts is 0
#include <stdio.h>

int main(void) {
  double share = 0.25;
  int parts = (int)(share * 3);
  printf("%d\n", 100 / parts); // <- fails in main
  return 0;
}
