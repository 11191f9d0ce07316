// Writing to a pipe that nobody reads: an error while SIGPIPE is ignored, the end when it is not.
//
// ends: signal SIGPIPE
// kind: killed
// builds: O0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static long send(int fd, const char* text, size_t size) {
  return write(fd, text, size); // <- fails in send
}

int main(void) {
  int fds[2];
  if (pipe(fds) != 0) return 1;
  printf("%ld\n", send(fds[1], "fine", 4));
  close(fds[0]);
  signal(SIGPIPE, SIG_IGN);
  long r = send(fds[1], "ignored", 7);
  printf("%ld %d\n", r, errno == EPIPE);
  fflush(stdout);
  signal(SIGPIPE, SIG_DFL);
  send(fds[1], "deadly", 6);
  puts("never");
  return 0;
}
