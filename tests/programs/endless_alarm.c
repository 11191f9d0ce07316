// An endless loop that the alarm's default action ends.
//
// ends: signal SIGALRM
// kind: killed
// fails-in: search
// builds: O0,O2
#include <stdio.h>
#include <sys/time.h>

static volatile unsigned steps;

static unsigned search(unsigned v) {
  while (v != 7) {
    v = v % 2 ? v * 2 : v / 2 * 3 + 2;
    v &= 0xfffe;
    ++steps;
  }
  return v;
}

int main(void) {
  puts("searching");
  fflush(stdout);
  struct itimerval timer = {{0, 0}, {0, 50000}};
  setitimer(ITIMER_REAL, &timer, 0);
  return (int)search(10);
}
