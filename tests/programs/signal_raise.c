// Handlers entered by raise and by kill of the own process, nested ones, masks and pending signals,
// SA_SIGINFO, SA_RESETHAND, and errno kept by the handler.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count[65];
static char trail[200];

static void note(const char* what) { strcat(trail, what); }

static void plain(int signal) {
  count[signal]++;
  note(signal == SIGUSR1 ? "u" : "h");
  errno = 1234;
}

static void nested(int signal) {
  count[signal]++;
  note("[");
  raise(SIGUSR1);
  note("]");
}

static void detailed(int signal, siginfo_t* info, void* context) {
  char text[40];
  snprintf(text, sizeof text, "<%d:%d:%d:%d>", signal == info->si_signo, info->si_code,
           info->si_value.sival_int, context != 0 && info->si_pid == getpid());
  note(text);
}

int main(void) {
  signal(SIGUSR1, plain);
  signal(SIGHUP, plain);
  signal(SIGUSR2, nested);
  raise(SIGUSR1);
  kill(getpid(), SIGUSR1);
  raise(SIGUSR2);
  printf("%s %d %d\n", trail, count[SIGUSR1], count[SIGUSR2]);

  sigset_t set, pending, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_BLOCK, &set, &old);
  raise(SIGUSR1);
  raise(SIGUSR1);
  kill(getpid(), SIGHUP);
  sigpending(&pending);
  printf("%d pending %d %d %d\n", count[SIGUSR1], sigismember(&pending, SIGUSR1),
         sigismember(&pending, SIGHUP), sigismember(&pending, SIGUSR2));
  sigprocmask(SIG_SETMASK, &old, 0);
  printf("%d %d\n", count[SIGUSR1], count[SIGHUP]);

  struct sigaction action = {.sa_sigaction = detailed, .sa_flags = SA_SIGINFO | SA_RESETHAND};
  sigaction(SIGRTMIN + 2, &action, 0);
  union sigval value = {.sival_int = 77};
  sigqueue(getpid(), SIGRTMIN + 2, value);
  struct sigaction now;
  sigaction(SIGRTMIN + 2, 0, &now);
  printf("%s %d\n", trail, now.sa_handler == SIG_DFL);

  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, 0);
  raise(SIGUSR2);
  int got = 0;
  sigwait(&set, &got);
  printf("waited for %d, %d\n", got == SIGUSR2, count[SIGUSR2]);
  return 0;
}
