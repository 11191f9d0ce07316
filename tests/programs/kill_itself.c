// kill -9 of itself: nothing in the process can see that coming, and the recording is whole all the same.
//
// ends: signal SIGKILL
// kind: killed
// builds: O0
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static int countdown(int n) {
  printf("%d\n", n);
  fflush(stdout);
  if (n == 0) kill(getpid(), SIGKILL); // <- fails in countdown
  return n > 0 ? countdown(n - 1) + 1 : 0;
}

int main(void) { return countdown(5); }
