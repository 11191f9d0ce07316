// Files mapped into memory: read through a private mapping, changed through a shared one, seen by read;
// memory shared with a child that changes it; mremap and munmap.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned sum(const unsigned char* p, size_t n) {
  unsigned h = 5;
  for (size_t i = 0; i < n; ++i) h = h * 33 + p[i];
  return h;
}

int main(void) {
  char name[] = "/tmp/faultline-map-XXXXXX";
  int fd = mkstemp(name);
  if (fd < 0) return 1;
  unlink(name);
  for (int i = 0; i < 1000; ++i) dprintf(fd, "line %d\n", i * i);
  off_t size = lseek(fd, 0, SEEK_END);
  unsigned char* copy = mmap(0, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
  unsigned char* shared = mmap(0, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  printf("%ld %u\n", (long)size, sum(copy, (size_t)size));
  memcpy(shared + 100, "CHANGED", 7);
  shared[200] = '#';
  copy[300] = '@';
  char back[16] = {0};
  if (pread(fd, back, 8, 100) != 8) return 2;
  printf("%s %c %u\n", back, shared[200], sum(copy, (size_t)size));
  if (pwrite(fd, "written", 7, 500) != 7) return 3;
  printf("%.7s %u\n", (char*)shared + 500, sum(shared, (size_t)size));

  int* both = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  both[0] = 1, both[1] = 10;
  pid_t pid = fork();
  if (pid == 0) {
    for (int i = 0; i < 100; ++i) both[i % 7] += both[(i + 1) % 7] + i;
    _exit(0);
  }
  waitpid(pid, 0, 0);
  for (int i = 0; i < 7; ++i) printf("%d ", both[i]);
  putchar('\n');
  char* grown = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(grown + 4000, "moves along");
  grown = mremap(grown, 4096, 1 << 20, MREMAP_MAYMOVE);
  grown[1 << 19] = 'z';
  printf("%s %d\n", grown + 4000, grown[1 << 19] + grown[12345]);
  munmap(grown, 1 << 20);
  grown = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  printf("%d %d\n", grown[4000], grown[1 << 19]);
  return 0;
}
