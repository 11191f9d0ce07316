// The world outside: environment, clocks, random numbers, process ids, /dev/urandom, host name, resource
// use. What it prints depends on none of their values, but what it computes does.
//
// args: name=value
// builds: O0,O2
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

static unsigned long state;
static void stir(const void* data, size_t size) {
  for (size_t i = 0; i < size; ++i) state = (state ^ ((const unsigned char*)data)[i]) * 1099511628211ul;
}

int main(int argc, char** argv) {
  const char* test = getenv("FAULTLINE_TEST");
  printf("%s %d %s\n", test ? test : "none", argc, argv[1]);
  for (char** e = environ; *e; ++e) stir(*e, strlen(*e));
  setenv("FAULTLINE_TEST", "changed", 1);
  putenv("FAULTLINE_OTHER=put");
  unsetenv("FAULTLINE_MISSING");
  printf("%s %s %d\n", getenv("FAULTLINE_TEST"), getenv("FAULTLINE_OTHER"), getenv("FAULTLINE_MISSING") == 0);

  time_t now = time(0);
  struct timespec precise;
  clock_gettime(CLOCK_MONOTONIC, &precise);
  struct timeval day;
  gettimeofday(&day, 0);
  struct tm parts;
  gmtime_r(&now, &parts);
  char text[40];
  strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  stir(&precise, sizeof precise);
  stir(&day, sizeof day);
  stir(text, strlen(text));
  printf("%zu %d %d\n", strlen(text), parts.tm_year >= 120, timegm(&parts) == now);
  clock_t c = clock();
  stir(&c, sizeof c);

  int fd = open("/dev/urandom", O_RDONLY);
  unsigned char bytes[32];
  if (read(fd, bytes, sizeof bytes) != sizeof bytes) return 1;
  stir(bytes, sizeof bytes);
  if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return 2;
  stir(bytes, sizeof bytes);
  srand((unsigned)now);
  for (int i = 0; i < 100; ++i) {
    int r = rand();
    stir(&r, sizeof r);
  }
  srand(7);
  srandom(7);
  srand48(7);
  printf("%d %ld %.6f\n", rand() % 1000, random() % 1000, drand48());

  pid_t me = getpid(), parent = getppid();
  stir(&me, sizeof me);
  stir(&parent, sizeof parent);
  struct utsname name;
  uname(&name);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  stir(&name, sizeof name);
  stir(&usage, sizeof usage);
  char directory[512];
  printf("%d %s %d\n", me > 1, name.sysname, getcwd(directory, sizeof directory) == directory);
  void* p = malloc(10);
  stir(&p, sizeof p);
  free(p);
  int branches = 0;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    if (state >> 63) ++branches;
  }
  return branches < 100 || branches > 900;
}
