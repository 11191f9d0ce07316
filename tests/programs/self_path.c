// What a program can learn about itself: its name, /proc/self/exe, its argument strings and environment as
// the kernel laid them out, its own symbols.
//
// args: one two
// flags: -rdynamic -ldl
// builds: O0
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int exported(int v) { return v + 1; }

int main(int argc, char** argv, char** envp) {
  char link[PATH_MAX] = {0}, *real = realpath(argv[0], 0);
  ssize_t n = readlink("/proc/self/exe", link, sizeof link - 1);
  printf("%d %d %s\n", n > 0, real && strcmp(real, link) == 0, strrchr(link, '/') + 1);
  printf("%s %d %s\n", program_invocation_short_name, argc, argv[argc - 1]);
  const char* file = (const char*)getauxval(AT_EXECFN);
  printf("%d %d\n", file && strstr(file, "program") != 0, argv[argc] == 0);
  int found = 0;
  for (char** e = envp; *e; ++e) found += strncmp(*e, "FAULTLINE_TEST=", 15) == 0;
  printf("%d %d\n", found, envp == environ);
  char line[256];
  FILE* f = fopen("/proc/self/comm", "r");
  printf("%s", f && fgets(line, sizeof line, f) ? line : "?\n");
  f = fopen("/proc/self/cmdline", "r");
  size_t size = f ? fread(line, 1, sizeof line, f) : 0;
  printf("%s\n", size > 4 ? line + size - 4 : "?");
  int (*self)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, "exported");
  printf("%d\n", self ? self(41) : -1);
  int ours = 0;
  for (char** e = envp; *e; ++e) ours += strncmp(*e, "FAULTLINE_", 10) == 0;
  printf("%d\n", ours);
  for (int fd = 3; fd < 20; ++fd) ours += lseek(fd, 0, SEEK_CUR) != -1 || errno != EBADF;
  printf("%d\n", ours);
  return 0;
}
