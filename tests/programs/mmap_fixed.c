// Memory at addresses that the program chose: low ones, ones far from all others, sparse gigabytes, pages
// whose protection changes, memory given back and taken again.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void* at(uintptr_t address, size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  if (address && address < 1ul << 40) flags |= MAP_FIXED_NOREPLACE;
  void* p = mmap((void*)address, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  return p == MAP_FAILED ? 0 : p;
}

static unsigned use(unsigned* p, size_t words, unsigned seed) {
  if (!p) return 0;
  size_t step = words / 8;
  for (size_t i = 0; i < words; i += step) p[i] = seed += p[i] + (unsigned)i * 3;
  for (size_t i = 0; i < words; i += step) seed = seed * 31 + p[i];
  return seed;
}

int main(void) {
  const uintptr_t places[] = {
      0x10000000, 0x100000000, 0x8000000000, 0x200000000000, 0x400000000000, 0x600000000000, 0};
  for (int i = 0; i < 7; ++i) printf("%u\n", use(at(places[i], 1 << 20), 1 << 18, (unsigned)i + 1));
  printf("%u\n", use(at(0, 4ul << 30), 1ul << 30, 5));
  char* p = at(0, 3 << 12);
  memset(p, 'a', 3 << 12);
  mprotect(p + 4096, 4096, PROT_READ);
  printf("%c%c%c ", p[0], p[4096], p[8192]);
  mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE);
  p[5000] = 'b';
  madvise(p, 4096, MADV_DONTNEED);
  printf("%d%c ", p[0], p[5000]);
  munmap(p + 4096, 4096);
  mmap(p + 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  printf("%d%c\n", p[5000], p[8192]);
  return 0;
}
