/* Stands in the place of a program and records it, for scripts/real_programs.sh: same words (the first too,
 * which programs print), same streams, same status. Built with -D for what differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char name[4096], cache[4096];
  snprintf(name, sizeof name, RECORDINGS "/" NAME "-%d-%lx.flr", (int)getpid(),
           (unsigned long)random() + (unsigned long)argc);
  const char* front[] = {FAULTLINE,   "record", "--quiet", "--pass-status", "--output", name,
                         "--program", PROGRAM,  "--"};
  enum { kFront = sizeof front / sizeof front[0] };
  char** words = calloc((size_t)argc + kFront + 1, sizeof *words);
  memcpy(words, front, sizeof front);
  memcpy(words + kFront, argv, (size_t)argc * sizeof *argv);
  snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", CACHE);
  putenv(cache);
  /* The shadow needs address space; tests that set `ulimit -v` want to see that little is used. */
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    execv(PROGRAM, argv);
    return 127;
  }
  execv(FAULTLINE, words);
  return 127;
}
