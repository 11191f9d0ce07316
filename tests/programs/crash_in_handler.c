// A crash inside a signal handler that interrupted a library call.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int* volatile target;

static void onSignal(int signal) {
  *target = signal; // <- fails in onSignal
}

static int compare(const void* a, const void* b) {
  if (*(const int*)a == 3) raise(SIGUSR1);
  return *(const int*)a - *(const int*)b;
}

int main(void) {
  signal(SIGUSR1, onSignal);
  int good;
  target = &good;
  raise(SIGUSR1);
  printf("%d\n", good == SIGUSR1);
  fflush(stdout);
  target = 0;
  int values[] = {5, 4, 3, 2, 1};
  qsort(values, 5, sizeof *values, compare);
  return 0;
}
