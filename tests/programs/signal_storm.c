// A fast periodic timer interrupts computing, allocation, stdio and sorting alike; what is computed must
// not change.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile unsigned ticks;
static unsigned ring[16];

static unsigned mix(unsigned a, unsigned b) {
  unsigned local[4] = {a, b, a ^ b, a + b};
  return local[a % 4] * 31 + local[b % 4];
}
static void onTick(int signal) {
  ++ticks;
  ring[ticks % 16] = mix(ring[(ticks + 1) % 16], (unsigned)signal);
}
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

int main(void) {
  struct sigaction action = {.sa_handler = onTick, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, 0);
  struct itimerval timer = {{0, 500}, {0, 500}}, off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &timer, 0);
  unsigned h = 1, rounds = 0;
  for (; rounds < 60 || ticks < 20; ++rounds) {
    int values[100];
    for (int i = 0; i < 100; ++i) values[i] = (int)(mix((unsigned)i, 7) % 1000);
    qsort(values, 100, sizeof *values, compare);
    char* text = malloc(2000);
    int n = 0;
    for (int i = 0; i < 100; ++i) n += snprintf(text + n, 2000 - (size_t)n, "%d,", values[i]);
    unsigned now = 5;
    for (int i = 0; i < n; ++i) now = now * 33 + (unsigned char)text[i];
    free(text);
    if (rounds == 0) h = now;
    if (now != h) {
      printf("round %u differs\n", rounds);
      return 1;
    }
  }
  setitimer(ITIMER_REAL, &off, 0);
  printf("%u %d\n", h, ticks >= 20);
  return 0;
}
