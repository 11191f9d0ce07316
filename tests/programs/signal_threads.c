// Signals and threads: pthread_kill to a chosen thread, one that is blocked in a call, sigwait in a thread
// of its own, a process signal that any thread may take.
//
// flags: -pthread
// builds: O0
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static _Thread_local int mine;
static volatile int handled[3], interrupted;
static sem_t ready, done;
static int fds[2];

static void onSignal(int signal) {
  (void)signal;
  handled[mine]++;
}

static void* reader(void* argument) {
  mine = (int)(long)argument;
  sem_post(&ready);
  char c;
  if (read(fds[0], &c, 1) == -1 && errno == EINTR) interrupted = 1;
  sem_post(&done);
  if (read(fds[0], &c, 1) != 1) return (void*)-1;
  return (void*)(long)c;
}

static void* waiter(void* argument) {
  sigset_t* set = argument;
  long sum = 0;
  for (int i = 0; i < 3; ++i) {
    int signal = 0;
    sem_post(&ready);
    sigwait(set, &signal);
    sum = sum * 10 + (signal == SIGUSR2 ? 1 : signal == SIGHUP ? 2 : 9);
    sem_post(&done);
  }
  return (void*)sum;
}

int main(void) {
  sem_init(&ready, 0, 0);
  sem_init(&done, 0, 0);
  if (pipe(fds) != 0) return 1;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  struct sigaction action = {.sa_handler = onSignal};
  sigaction(SIGUSR1, &action, 0);
  pthread_t a, b;
  void *first, *second;
  pthread_create(&a, 0, reader, (void*)1);
  sem_wait(&ready);
  usleep(20000);
  pthread_kill(a, SIGUSR1);
  sem_wait(&done);
  printf("%d %d %d\n", handled[0], handled[1], interrupted);
  if (write(fds[1], "x", 1) != 1) return 2;
  pthread_join(a, &first);
  pthread_create(&b, 0, waiter, &set);
  const int signals[] = {SIGUSR2, SIGHUP, SIGUSR2};
  for (int i = 0; i < 3; ++i) {
    sem_wait(&ready);
    kill(getpid(), signals[i]);
    sem_wait(&done);
  }
  pthread_join(b, &second);
  printf("%c %ld\n", (char)(long)first, (long)second);
  return 0;
}
