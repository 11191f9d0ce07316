// Pipes and socket pairs inside one process: read, write, readv, writev, dup2, poll, select, non-blocking
// ends.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  int fds[2], pair[2];
  if (pipe(fds) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  char a[8] = "scatter", b[8], c[40] = {0};
  struct iovec out[2] = {{a, 3}, {"gathered", 8}}, in[2] = {{b, 4}, {c, sizeof c}};
  ssize_t written = writev(fds[1], out, 2), got = readv(fds[0], in, 2);
  printf("%zd %zd %.4s %s\n", written, got, b, c);

  struct pollfd polled[2] = {{fds[0], POLLIN, 0}, {pair[0], POLLIN | POLLOUT, 0}};
  int ready = poll(polled, 2, 0);
  printf("%d %d %d\n", ready, polled[0].revents, polled[1].revents);
  if (write(pair[1], "datagram", 8) != 8) return 2;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fds[0], &set);
  FD_SET(pair[0], &set);
  struct timeval now = {0, 0};
  ready = select(pair[0] > fds[0] ? pair[0] + 1 : fds[0] + 1, &set, 0, 0, &now);
  printf("%d %d %d\n", ready, FD_ISSET(fds[0], &set) != 0, FD_ISSET(pair[0], &set) != 0);
  memset(c, 0, sizeof c);
  got = recv(pair[0], c, 4, MSG_PEEK);
  printf("%zd %s ", got, c);
  got = recv(pair[0], c, sizeof c, 0);
  printf("%zd %s\n", got, c);

  fcntl(fds[0], F_SETFL, O_NONBLOCK);
  got = read(fds[0], c, 1);
  printf("%zd %d\n", got, errno == EAGAIN);
  int copy = dup2(fds[1], 40);
  dprintf(copy, "%s %d", "formatted", 99);
  close(fds[1]);
  close(copy);
  memset(c, 0, sizeof c);
  got = read(fds[0], c, sizeof c);
  printf("%zd %s %zd\n", got, c, read(fds[0], c, 1));
  shutdown(pair[1], SHUT_WR);
  printf("%zd\n", read(pair[0], c, 1));
  return 0;
}
