// A thread that sleeps in a call of which nothing is known (a lock of files, a System V semaphore, a pipe
// behind stdio), while the thread that will wake it waits for its turn.
//
// flags: -pthread
// builds: O0,O2
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sem.h>
#include <unistd.h>

static int semaphore, order[8], orders;
static FILE* narrow;
static int wide[2];

static void add(int n) { order[orders++ & 7] = n; }

static void* wake(void* argument) {
  struct sembuf up = {0, 1, 0};
  for (int i = 0; i < 3; ++i) {
    int sum = 0;
    for (int k = 0; k < 100000; ++k) sum += k ^ i;
    add(sum & 7);
    semop(semaphore, &up, 1);
  }
  return argument;
}

static void* empty(void* argument) {
  static char buffer[1 << 16];
  long total = 0;
  for (ssize_t got; (got = read(wide[0], buffer, sizeof buffer)) > 0;) total += got;
  *(long*)argument = total;
  return argument;
}

int main(void) {
  semaphore = semget(IPC_PRIVATE, 1, 0600);
  if (semaphore < 0 || pipe(wide) != 0) return 1;
  pthread_t threads[2];
  long total = 0;
  pthread_create(&threads[0], 0, wake, 0);
  struct sembuf down = {0, -1, 0};
  for (int i = 0; i < 3; ++i) {
    int local = i * 3;
    semop(semaphore, &down, 1);
    add(local);
  }
  pthread_join(threads[0], 0);
  semctl(semaphore, 0, IPC_RMID);
  pthread_create(&threads[1], 0, empty, &total);
  narrow = fdopen(wide[1], "w");
  for (int i = 0; i < 40000; ++i) fprintf(narrow, "line %06d\n", i);
  fclose(narrow);
  pthread_join(threads[1], 0);
  int sum = 0;
  for (int i = 0; i < 6; ++i) sum += order[i];
  printf("%d %d %ld\n", orders, sum, total);
  return 0;
}
