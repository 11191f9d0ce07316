// The second of three threads follows a null pointer while the others wait.
//
// flags: -pthread
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <pthread.h>
#include <stdio.h>

struct job {
  int number;
  int* result;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void finish(struct job* job, int value) {
  *job->result = value; // <- fails in finish
}

static void* work(void* argument) {
  struct job* job = argument;
  int sum = 0;
  for (int i = 0; i < 1000; ++i) sum += i * job->number;
  if (job->number == 1) {
    finish(job, sum);
    return 0;
  }
  pthread_mutex_lock(&mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
}

int main(void) {
  static int results[3];
  static struct job jobs[3] = {{0, &results[0]}, {1, 0}, {2, &results[2]}};
  pthread_t threads[3];
  puts("start");
  fflush(stdout);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, &jobs[i]);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
