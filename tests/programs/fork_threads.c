// fork in a program with threads: the child has one, runs atfork handlers and goes on by itself.
//
// flags: -pthread
// builds: O0
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter, stop;
static char order[10];
static int orders;

static void prepare(void) { order[orders++] = 'p', pthread_mutex_lock(&mutex); }
static void parent(void) { order[orders++] = 'a', pthread_mutex_unlock(&mutex); }
static void child(void) { order[orders++] = 'c', pthread_mutex_unlock(&mutex); }

static void* work(void* argument) {
  for (int go = 1; go;) {
    pthread_mutex_lock(&mutex);
    ++counter;
    go = !stop;
    pthread_mutex_unlock(&mutex);
    usleep(100);
  }
  return argument;
}

int main(void) {
  pthread_atfork(prepare, parent, child);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  int status = 0, sum = 0;
  for (int i = 0; i < 3; ++i) {
    orders = 0;
    pid_t pid = fork();
    if (pid == 0) {
      pthread_mutex_lock(&mutex);
      int sane = counter >= 0 && order[0] == 'p' && order[1] == 'c';
      pthread_mutex_unlock(&mutex);
      _exit(sane ? 40 + i : 1);
    }
    waitpid(pid, &status, 0);
    sum = sum * 100 + WEXITSTATUS(status);
  }
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  printf("%d %c%c\n", sum, order[0], order[1]);
  return 0;
}
