// Threads that wait for each other in loops over atomics, with no call in them: the scheduler must take the
// turn away. Peterson's lock, a ticket lock, and a plain busy wait.
//
// flags: -pthread
// builds: O0,O2
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int go, ticket, serving, finished;
static atomic_int wants[2], turn;
static int counter, petersons, order[8], orders;

static void* worker(void* argument) {
  int me = (int)(long)argument;
  while (!atomic_load_explicit(&go, memory_order_acquire)) {
  }
  for (int i = 0; i < 3; ++i) {
    int mine = atomic_fetch_add(&ticket, 1);
    while (atomic_load(&serving) != mine) {
    }
    counter = counter * 2 % 10007 + 1;
    atomic_store(&serving, mine + 1);
  }
  if (me < 2) {
    for (int i = 0; i < 3; ++i) {
      atomic_store(&wants[me], 1);
      atomic_store(&turn, 1 - me);
      while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me) {
      }
      ++petersons;
      atomic_store(&wants[me], 0);
    }
  }
  while (atomic_load(&finished) != me) {
  }
  order[orders++] = me;
  atomic_fetch_add(&finished, 1);
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i) pthread_create(&threads[i], 0, worker, (void*)i);
  atomic_store(&go, 1);
  while (atomic_load(&finished) < 3) {
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  printf("%d %d %d%d%d %d\n", counter, petersons, order[0], order[1], order[2], atomic_load(&serving));
  return 0;
}
