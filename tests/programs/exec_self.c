// The program replaces itself by another one; what that prints, and its status, count.
//
// ends: exit 5
// builds: O0
#include <stdio.h>
#include <unistd.h>

int main(void) {
  char* wrong[] = {"none", 0};
  int r = execv("/nonexistent/program", wrong);
  printf("%d still here\n", r);
  fflush(stdout);
  char* argv[] = {"sh", "-c", "echo \"from $0 $1\"; exit 5", "first", "second", 0};
  char* environment[] = {"PATH=/usr/bin:/bin", 0};
  execve("/bin/sh", argv, environment);
  return 1;
}
