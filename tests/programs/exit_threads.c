// exit in one thread while others still compute, wait and sleep.
//
// flags: -pthread
// ends: exit 9
// kind: exit-status
// builds: O0
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t never;
static atomic_int running;

static void* spin(void* argument) {
  ++running;
  for (volatile unsigned n = 0;; ++n) {
  }
  return argument;
}
static void* waitForever(void* argument) {
  ++running;
  sem_wait(&never);
  return argument;
}
static void* leaver(void* argument) {
  while (running < 3) usleep(100);
  puts("leaving");
  exit((int)(long)argument); // <- fails in leaver
}

int main(void) {
  sem_init(&never, 0, 0);
  pthread_t t;
  pthread_create(&t, 0, spin, 0);
  pthread_create(&t, 0, waitForever, 0);
  pthread_create(&t, 0, leaver, (void*)9);
  ++running;
  pthread_join(t, 0);
  return 0;
}
