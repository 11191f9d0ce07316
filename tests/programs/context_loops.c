// getcontext and setcontext as a loop, contexts made again and again, one that ends by its link, one that
// leaves by setcontext, arguments, and contexts within a thread.
//
// flags: -pthread
// builds: O0,O2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

struct generator {
  ucontext_t inside, outside;
  int value, done;
};

static void count(int from, int to, int lowOfThis, int highOfThis) {
  struct generator* g =
      (struct generator*)(((unsigned long)(unsigned)highOfThis << 32) | (unsigned)lowOfThis);
  int squares[4] = {0};
  for (int i = from; i < to; ++i) {
    squares[i & 3] = i * i;
    g->value = squares[i & 3];
    swapcontext(&g->inside, &g->outside);
  }
  g->done = 1;
  if (from & 1) setcontext(&g->outside);
}

static int sumOf(struct generator* g, int from, int to) {
  int sum = 0;
  getcontext(&g->inside);
  g->inside.uc_link = &g->outside;
  g->done = 0;
  makecontext(&g->inside, (void (*)(void))count, 4, from, to, (int)(unsigned long)g,
              (int)((unsigned long)g >> 32));
  while (1) {
    swapcontext(&g->outside, &g->inside);
    if (g->done) return sum;
    sum += g->value;
  }
}

static void* work(void* argument) {
  static __thread char stack[1 << 16];
  struct generator* g = calloc(1, sizeof *g);
  long total = 0;
  for (int i = 0; i < 20; ++i) {
    g->inside.uc_stack.ss_sp = stack;
    g->inside.uc_stack.ss_size = sizeof stack;
    getcontext(&g->inside);
    g->inside.uc_stack.ss_sp = stack;
    g->inside.uc_stack.ss_size = sizeof stack;
    total = total * 3 + sumOf(g, i, i + (int)(long)argument);
  }
  free(g);
  return (void*)(total & 0xffffff);
}

int main(void) {
  volatile int rounds = 0;
  ucontext_t again;
  getcontext(&again);
  printf("round %d\n", rounds);
  if (++rounds < 3) setcontext(&again);
  printf("%ld\n", (long)work((void*)4));
  pthread_t threads[2];
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, (void*)(i + 2));
  for (int i = 0; i < 2; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    printf("%ld\n", (long)result);
  }
  return 0;
}
