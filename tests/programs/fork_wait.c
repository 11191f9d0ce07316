// fork: children that compute, exit with a status or die, waited for; a pipe between; memory is not shared.
//
// builds: O0,O2
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int value = 1;

static int child(int n, int fd) {
  value += n * 100;
  char text[40];
  int size = snprintf(text, sizeof text, "child %d has %d;", n, value);
  if (write(fd, text, (size_t)size) != size) return 99;
  if (n == 2) raise(SIGTERM);
  if (n == 3) abort();
  return n + 10;
}

int main(void) {
  int fds[2];
  if (pipe(fds) != 0) return 1;
  printf("before ");
  fflush(stdout);
  for (int n = 0; n < 5; ++n) {
    pid_t pid = fork();
    if (pid == 0) {
      close(fds[0]);
      _exit(child(n, fds[1]));
    }
    int status = 0;
    if (waitpid(pid, &status, 0) != pid) return 2;
    if (WIFEXITED(status))
      printf("[%d] ", WEXITSTATUS(status));
    else
      printf("<%d> ", WTERMSIG(status));
    ++value;
  }
  close(fds[1]);
  char all[400];
  size_t n = 0;
  for (ssize_t got; (got = read(fds[0], all + n, sizeof all - n)) > 0;) n += (size_t)got;
  printf("%d\n%.*s\n", value, (int)n, all);
  fflush(stdout);
  pid_t last = fork();
  if (last == 0) {
    printf("the last child writes through stdio\n");
    exit(0);
  }
  wait(0);
  return 0;
}
