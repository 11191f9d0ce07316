// Descriptors for events: eventfd, timerfd, signalfd, epoll, inotify-like waiting with poll; raw system
// calls.
//
// builds: O0
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int main(void) {
  int event = eventfd(3, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0), all = epoll_create1(0);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, 0);
  int signals = signalfd(-1, &set, 0);
  int fds[3] = {event, timer, signals};
  for (int i = 0; i < 3; ++i) {
    struct epoll_event e = {.events = EPOLLIN, .data.u32 = (unsigned)i};
    epoll_ctl(all, EPOLL_CTL_ADD, fds[i], &e);
  }
  struct itimerspec soon = {{0, 0}, {0, 2000000}};
  timerfd_settime(timer, 0, &soon, 0);
  raise(SIGUSR1);
  int seen[3] = {0}, rounds = 0;
  while ((!seen[0] || !seen[1] || !seen[2]) && ++rounds < 1000) {
    struct epoll_event ready[4];
    int n = epoll_wait(all, ready, 4, 1000);
    for (int i = 0; i < n; ++i) {
      unsigned which = ready[i].data.u32;
      uint64_t value = 0;
      struct signalfd_siginfo info;
      if (which == 2 && read(signals, &info, sizeof info) == sizeof info)
        seen[2] = (int)info.ssi_signo == SIGUSR1;
      else if (read(fds[which], &value, 8) == 8)
        seen[which] = (int)value;
    }
  }
  printf("%d %d %d\n", seen[0], seen[1], seen[2]);
  uint64_t add = 40;
  if (write(event, &add, 8) != 8) return 1;
  struct pollfd p = {event, POLLIN, 0};
  poll(&p, 1, 0);
  printf("%d\n", p.revents);
  long me = syscall(SYS_getpid);
  char text[20] = "raw system call\n";
  fflush(stdout);
  printf("%d %ld\n", me == getpid(), syscall(SYS_write, 1, text, strlen(text)));
  return 0;
}
