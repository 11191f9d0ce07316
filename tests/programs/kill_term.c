// A signal that ends the program by default: SIGTERM, by raise.
//
// ends: signal SIGTERM
// kind: killed
// builds: O0
#include <signal.h>
#include <stdio.h>

static void stop(int n) {
  if (n == 3) raise(SIGTERM); // <- fails in stop
}

int main(void) {
  for (int i = 0;; ++i) {
    printf("%d\n", i);
    fflush(stdout);
    stop(i);
  }
}
