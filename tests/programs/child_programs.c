// system, popen to read and to write, posix_spawn; vfork followed by exec.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

int main(void) {
  printf("start\n");
  fflush(stdout);
  int status = system("echo from system; exit 3");
  printf("%d %d\n", WIFEXITED(status), WEXITSTATUS(status));
  fflush(stdout);
  FILE* in = popen("printf 'one\\ntwo words\\nthree\\n'", "r");
  char line[80];
  int lines = 0;
  while (fgets(line, sizeof line, in)) printf("%d:%zu:%s", ++lines, strlen(line), line);
  printf("%d\n", pclose(in));
  fflush(stdout);
  FILE* out = popen("tr a-z A-Z", "w");
  fprintf(out, "shout %d\n", lines);
  pclose(out);
  pid_t pid;
  char* argv[] = {"sh", "-c", "exit 7", 0};
  posix_spawn(&pid, "/bin/sh", 0, 0, argv, environ);
  waitpid(pid, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  pid = vfork();
  if (pid == 0) {
    execl("/bin/sh", "sh", "-c", "exit 8", (char*)0);
    _exit(127);
  }
  waitpid(pid, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
  return 0;
}
