// Hundreds of threads one after the other, and dozens at once, each with locals of its own.
//
// flags: -pthread
// builds: O0,O2
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;
static _Thread_local int mine = 1;

static void* work(void* argument) {
  unsigned long n = (unsigned long)argument, local[16], sum = 0;
  for (unsigned long i = 0; i < 16; ++i) local[i] = i * n;
  for (int i = 0; i < 16; ++i) sum = sum * 3 + local[i];
  mine += (int)n;
  pthread_mutex_lock(&mutex);
  total += sum % 1000003 + (unsigned long)mine;
  pthread_mutex_unlock(&mutex);
  return (void*)sum;
}

int main(void) {
  void* result;
  unsigned long all = 0;
  for (unsigned long i = 0; i < 300; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, work, (void*)i);
    pthread_join(thread, &result);
    all = all * 7 + (unsigned long)result;
  }
  pthread_t threads[50];
  for (unsigned long i = 0; i < 50; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < 50; ++i) {
    pthread_join(threads[i], &result);
    all = all * 7 + (unsigned long)result;
  }
  printf("%lu %lu %d\n", total, all, mine);
  return 0;
}
