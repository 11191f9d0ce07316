// A timer's handler leaves a busy loop by siglongjmp, as programs do to limit time; again and again, out of
// nested calls with locals of dynamic size, and out of a library call.
//
// builds: O0,O2
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static sigjmp_buf out;
static volatile int rounds;

static void onAlarm(int signal) { siglongjmp(out, signal); }

static void start(long micro) {
  struct itimerval timer = {{0, 0}, {0, micro}};
  setitimer(ITIMER_REAL, &timer, 0);
}

static int spin(int depth) {
  volatile char room[depth * 10 + 1];
  memset((char*)room, depth, sizeof room);
  if (depth < 20) return spin(depth + 1) + room[depth];
  for (volatile unsigned n = 0;; ++n) room[n % sizeof room] ^= 1;
}

static int compare(const void* a, const void* b) {
  for (volatile int i = 0; i < 1000; ++i) {
  }
  return *(const int*)a - *(const int*)b;
}

static void sortForever(void) {
  static int values[1000];
  for (unsigned seed = 1;; ++seed) {
    for (int i = 0; i < 1000; ++i) values[i] = (int)(seed = seed * 1103515245 + 12345) / 65536;
    qsort(values, 1000, sizeof *values, compare);
  }
}

int main(void) {
  signal(SIGALRM, onAlarm);
  int after[4] = {1, 2, 3, 4};
  for (volatile int round = 0; round < 6; round = round + 1) {
    if (sigsetjmp(out, 1) == 0) {
      start(10000);
      if (round % 2)
        sortForever();
      else
        spin(1);
    }
    ++rounds;
    after[round % 4] += rounds;
  }
  printf("%d %d %d %d %d\n", rounds, after[0], after[1], after[2], after[3]);
  return 0;
}
