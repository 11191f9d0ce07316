// Read-write locks, barriers, semaphores, recursive and error-checking mutexes, spin locks, try and timed
// locks.
//
// flags: -pthread
// builds: O0,O2
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

enum { Threads = 4, Rounds = 20 };
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t tokens, done;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_spinlock_t spin;
static long cells[Threads], history[Rounds], shared, spun, serial;

static long nested(int depth) {
  pthread_mutex_lock(&recursive);
  long r = depth ? nested(depth - 1) + depth : shared++;
  pthread_mutex_unlock(&recursive);
  return r;
}

static void* work(void* argument) {
  long me = (long)argument, seen = 0;
  for (int round = 0; round < Rounds; ++round) {
    cells[me] = cells[me] * 3 + me + round;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
      pthread_rwlock_wrlock(&rwlock);
      for (int i = 0; i < Threads; ++i) history[round] += cells[i] % 1009;
      ++serial;
      pthread_rwlock_unlock(&rwlock);
    }
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rwlock);
    seen += history[round];
    pthread_rwlock_unlock(&rwlock);
    sem_wait(&tokens);
    nested(3);
    sem_post(&tokens);
    pthread_spin_lock(&spin);
    ++spun;
    pthread_spin_unlock(&spin);
  }
  sem_post(&done);
  return (void*)seen;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, Threads);
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  sem_init(&tokens, 0, 2);
  sem_init(&done, 0, 0);
  pthread_t threads[Threads];
  for (long i = 0; i < Threads; ++i) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < Threads; ++i) sem_wait(&done);
  long sum = 0;
  for (int i = 0; i < Threads; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    sum = sum * 2 + (long)result;
  }
  printf("%ld %ld %ld %ld\n", sum, shared, spun, serial);

  pthread_mutexattr_t checking;
  pthread_mutexattr_init(&checking);
  pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_t mutex;
  pthread_mutex_init(&mutex, &checking);
  int a = pthread_mutex_lock(&mutex), b = pthread_mutex_lock(&mutex), c = pthread_mutex_trylock(&mutex);
  printf("%d %d %d %d\n", a, b == EDEADLK, c == EBUSY, pthread_mutex_unlock(&mutex));
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += 1000000;
  if (soon.tv_nsec >= 1000000000) soon.tv_sec++, soon.tv_nsec -= 1000000000;
  int timed = sem_timedwait(&done, &soon);
  printf("%d %d\n", timed, errno == ETIMEDOUT);
  return 0;
}
