// A busy loop that ends only because a timer's handler sets a flag; the handler runs between two
// instructions of ours. Then a periodic timer, and pause.
//
// builds: O0,O2
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t flag;
static volatile int ticks;
static int table[64];

static void onAlarm(int signal) {
  (void)signal;
  ++ticks;
  table[ticks % 64] += ticks * 3;
  flag = 1;
}

static void start(long micro, long every) {
  struct itimerval timer = {{0, every}, {0, micro}};
  setitimer(ITIMER_REAL, &timer, 0);
}

int main(void) {
  signal(SIGALRM, onAlarm);
  start(20000, 0);
  unsigned long spins = 0;
  while (!flag) ++spins;
  printf("%d %d\n", ticks, spins > 0);

  start(3000, 3000);
  unsigned long work = 1;
  while (ticks < 6)
    for (int i = 0; i < 100; ++i) work = work * 6364136223846793005ul + (unsigned)table[i % 64];
  start(0, 0);
  int sum = 0;
  for (int i = 0; i < 6; ++i) sum += table[i];
  printf("%d %d %d\n", ticks >= 6, sum, work != 0);

  flag = 0;
  start(5000, 0);
  while (!flag) pause();
  alarm(0);
  puts("done");
  return 0;
}
