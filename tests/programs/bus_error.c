// A mapped file is cut short, and the page that is no longer there is read.
//
// ends: signal SIGBUS
// kind: crash
// builds: O0
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int sum(const char* p, int n) {
  int total = 0;
  for (int i = 0; i < n; i += 1024) total += p[i]; // <- fails in sum
  return total;
}

int main(void) {
  FILE* f = tmpfile();
  for (int i = 0; i < 8192; ++i) fputc(i % 100, f);
  fflush(f);
  char* p = mmap(0, 8192, PROT_READ, MAP_SHARED, fileno(f), 0);
  printf("%d\n", sum(p, 8192));
  fflush(stdout);
  if (ftruncate(fileno(f), 4096) != 0) return 1;
  printf("%d\n", sum(p, 8192));
  return 0;
}
