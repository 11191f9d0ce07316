// memcpy, memmove, memset, memcmp of all small sizes, overlapping in both directions, large ones, of sizes
// known and not, through builtins, through structures, on heap, stack and globals; realloc that moves.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char area[4096], other[4096];

static unsigned hash(const void* data, size_t size) {
  unsigned h = 17;
  for (size_t i = 0; i < size; ++i) h = h * 131 + ((const unsigned char*)data)[i];
  return h;
}

#define FIXED(n)                                                                                             \
  memcpy(other + n * 3, area + n, n), memset(area + n * 5, n, n), memmove(area + n * 2, area + n * 2 + 1, n)

int main(void) {
  for (size_t i = 0; i < sizeof area; ++i) area[i] = (unsigned char)(i * 7 + i / 256);
  unsigned h = 1;
  for (size_t n = 0; n < 70; ++n)
    for (size_t shift = 0; shift < 9; ++shift) {
      memcpy(other + shift * 100, area + n, n);
      memmove(area + 1000 + shift, area + 1000, n);
      memmove(area + 2000, area + 2000 + shift, n);
      memset(other + 2000 + shift, (int)(n + shift), n);
      h = h * 3 + (unsigned)(memcmp(area + n, other + shift * 100, n + 1) > 0);
    }
  printf("%u %u %u\n", h, hash(area, sizeof area), hash(other, sizeof other));
  FIXED(1), FIXED(2), FIXED(3), FIXED(4), FIXED(7), FIXED(8), FIXED(15), FIXED(16), FIXED(31), FIXED(32),
      FIXED(64), FIXED(100);
  printf("%u %u\n", hash(area, sizeof area), hash(other, sizeof other));

  size_t size = 3 << 20;
  unsigned char* big = malloc(size);
  memset(big, 'b', size);
  for (size_t i = 0; i < size; i += 997) big[i] = (unsigned char)(i / 997);
  memmove(big + 5, big, size - 5);
  memmove(big, big + 13, size - 13);
  memcpy(big + size / 2, big, size / 2);
  printf("%u\n", hash(big, size));
  unsigned char* moved = 0;
  for (size_t n = 1; n < 300000; n = n * 3 + 1) {
    moved = realloc(moved, n);
    for (size_t i = n / 3; i < n; ++i) moved[i] = (unsigned char)(i ^ n);
  }
  moved = realloc(moved, 1000);
  printf("%u\n", hash(moved, 1000));
  int* zeros = calloc(1000, sizeof *zeros);
  for (int i = 0; i < 1000; ++i) h += (unsigned)zeros[i];
  bzero(area + 10, 20), bcopy(area + 50, area + 60, 30);
  unsigned char* end = mempcpy(area + 100, other, 50);
  void* found = memccpy(area + 300, other + 10, other[40], 200);
  printf("%u %ld %ld %ld\n", hash(area, sizeof area), (long)(end - area),
         (long)((unsigned char*)found - area), (long)((unsigned char*)memchr(area, 99, sizeof area) - area));
  free(zeros), free(moved), free(big);
  void* (*volatile copy)(void*, const void*, size_t) = memcpy;
  copy(other, area + 500, 500);
  printf("%u %u\n", hash(other, sizeof other), h);
  return 0;
}
