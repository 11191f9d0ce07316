// Producers and consumers over a bounded queue: mutex, two condition variables, join, results in order.
//
// flags: -pthread
// builds: O0,O2
#include <pthread.h>
#include <stdio.h>

enum { Size = 4, Items = 200 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t notFull = PTHREAD_COND_INITIALIZER, notEmpty = PTHREAD_COND_INITIALIZER;
static int queue[Size], head, count, produced, consumed;
static long sums[3];

static void* produce(void* argument) {
  (void)argument;
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (count == Size) pthread_cond_wait(&notFull, &mutex);
    if (produced == Items) {
      pthread_mutex_unlock(&mutex);
      return 0;
    }
    queue[(head + count++) % Size] = ++produced;
    pthread_cond_signal(&notEmpty);
    pthread_mutex_unlock(&mutex);
  }
}

static void* consume(void* argument) {
  long* sum = argument;
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (count == 0 && consumed < Items) pthread_cond_wait(&notEmpty, &mutex);
    if (consumed == Items) {
      pthread_cond_broadcast(&notEmpty);
      pthread_cond_broadcast(&notFull);
      pthread_mutex_unlock(&mutex);
      return sum;
    }
    int item = queue[head];
    head = (head + 1) % Size, --count, ++consumed;
    if (consumed == Items) pthread_cond_broadcast(&notEmpty);
    pthread_cond_signal(&notFull);
    pthread_mutex_unlock(&mutex);
    *sum += item * item;
  }
}

int main(void) {
  pthread_t producers[2], consumers[3];
  for (int i = 0; i < 3; ++i) pthread_create(&consumers[i], 0, consume, &sums[i]);
  for (int i = 0; i < 2; ++i) pthread_create(&producers[i], 0, produce, 0);
  long total = 0;
  for (int i = 0; i < 2; ++i) pthread_join(producers[i], 0);
  for (int i = 0; i < 3; ++i) {
    void* result;
    pthread_join(consumers[i], &result);
    total += *(long*)result;
  }
  printf("%ld %d %d\n", total, produced, consumed);
  return 0;
}
