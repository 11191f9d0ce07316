// longjmp out of a comparison function called by qsort, over frames that are not ours, many times over; and
// sigsetjmp, which puts the signal mask back.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf out;
static int calls, limit;

static int compare(const void* a, const void* b) {
  if (++calls == limit) longjmp(out, calls);
  return *(const int*)a - *(const int*)b;
}

static int sortUntil(int most) {
  int values[40];
  for (int i = 0; i < 40; ++i) values[i] = (i * 37 + 11) % 41;
  calls = 0, limit = most;
  int stopped = setjmp(out);
  if (stopped) return -stopped;
  qsort(values, 40, sizeof *values, compare);
  int sum = 0;
  for (int i = 0; i < 40; ++i) sum += values[i] * i;
  return sum;
}

static sigjmp_buf recovery;
static void onSignal(int signal) { siglongjmp(recovery, signal); }

static int blocked(int signal) {
  sigset_t now;
  sigprocmask(SIG_BLOCK, 0, &now);
  return sigismember(&now, signal);
}

int main(void) {
  long total = 0;
  for (int most = 1; most < 60; most += 7) total = total * 3 + sortUntil(most);
  printf("%ld %d\n", total, sortUntil(0));

  signal(SIGUSR1, onSignal);
  for (volatile int round = 0; round < 3; round = round + 1) {
    int code = sigsetjmp(recovery, 1);
    printf("round %d code %d blocked %d\n", round, code, blocked(SIGUSR1));
    if (code == 0) raise(SIGUSR1);
  }
  int code = sigsetjmp(recovery, 0);
  if (code == 0) raise(SIGUSR1);
  printf("without mask: %d blocked %d\n", code, blocked(SIGUSR1));
  return 0;
}
