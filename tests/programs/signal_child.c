// SIGCHLD's handler reaps children while the program waits in sigsuspend.
//
// builds: O0
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int reaped, statuses;

static void onChild(int signal) {
  (void)signal;
  int status;
  while (waitpid(-1, &status, WNOHANG) > 0) {
    ++reaped;
    statuses += WEXITSTATUS(status);
  }
}

int main(void) {
  struct sigaction action = {.sa_handler = onChild, .sa_flags = SA_RESTART};
  sigaction(SIGCHLD, &action, 0);
  sigset_t block, old;
  sigemptyset(&block);
  sigaddset(&block, SIGCHLD);
  sigprocmask(SIG_BLOCK, &block, &old);
  for (int i = 0; i < 5; ++i)
    if (fork() == 0) _exit(10 + i);
  while (reaped < 5) sigsuspend(&old);
  sigprocmask(SIG_SETMASK, &old, 0);
  printf("%d %d\n", reaped, statuses);
  return 0;
}
