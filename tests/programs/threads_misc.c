// Thread attributes, a detached thread, cancellation with clean-up handlers, keys with destructors,
// pthread_exit of the main thread while others still run.
//
// flags: -pthread
// builds: O0
// ends: exit 0
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t key;
static sem_t ready, gone;
static int destroyed, cleaned, stackBig;

static void destroy(void* value) { destroyed += (int)(long)value; }
static void clean(void* value) { cleaned = cleaned * 10 + (int)(long)value; }

static void* cancelled(void* argument) {
  pthread_setspecific(key, (void*)7);
  pthread_cleanup_push(clean, (void*)1);
  pthread_cleanup_push(clean, (void*)2);
  sem_post(&ready);
  for (;;) usleep(1000);
  pthread_cleanup_pop(1);
  pthread_cleanup_pop(1);
  return argument;
}

static void* detachedWork(void* argument) {
  pthread_setspecific(key, (void*)30);
  *(int*)argument = 42;
  sem_post(&gone);
  return 0;
}

static void* bigStack(void* argument) {
  char room[1 << 20];
  for (size_t i = 0; i < sizeof room; i += 4096) room[i] = (char)i;
  stackBig = room[4096] == 0 && argument == &stackBig;
  pthread_exit((void*)11);
}

static pthread_t mainThread;
static void* lastOne(void* argument) {
  void* result = 0;
  pthread_join(mainThread, &result);
  printf("main ended with %ld, %s\n", (long)result, (char*)argument);
  exit(0);
}

int main(void) {
  pthread_key_create(&key, destroy);
  sem_init(&ready, 0, 0);
  sem_init(&gone, 0, 0);
  pthread_t a, b, c, d;
  void* result;
  pthread_create(&a, 0, cancelled, 0);
  sem_wait(&ready);
  pthread_cancel(a);
  pthread_join(a, &result);
  printf("%d %d %d\n", result == PTHREAD_CANCELED, cleaned, destroyed);

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int value = 0;
  pthread_create(&b, &attributes, detachedWork, &value);
  sem_wait(&gone);
  printf("%d\n", value);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_JOINABLE);
  pthread_attr_setstacksize(&attributes, 4 << 20);
  pthread_create(&c, &attributes, bigStack, &stackBig);
  pthread_join(c, &result);
  printf("%ld %d\n", (long)result, stackBig);
  mainThread = pthread_self();
  pthread_create(&d, 0, lastOne, "good bye");
  pthread_exit((void*)5);
}
