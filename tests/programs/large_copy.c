// Large structures copied in one go, megabytes on the heap, arrays of arrays, and a log that grows past one
// buffer.
//
// args: 3
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct page {
  unsigned char bytes[65536];
};
struct book {
  struct page pages[8];
  int number;
};

static unsigned sum(const void* data, size_t n) {
  const unsigned* p = data;
  unsigned h = 0;
  for (size_t i = 0; i < n / 4; ++i) h = h * 5 + p[i];
  return h;
}

static struct page turn(struct page p, int by) {
  for (size_t i = 0; i < sizeof p.bytes; i += 97) p.bytes[i] = (unsigned char)(p.bytes[i] + by);
  return p;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  struct book *a = calloc(1, sizeof *a), *b = malloc(sizeof *b);
  for (int i = 0; i < n; ++i) {
    a->pages[i % 8] = turn(a->pages[(i + 3) % 8], i * 7 + 1);
    a->number++;
    *b = *a;
    memcpy(&a->pages[(i + 5) % 8], &b->pages[i % 8], sizeof(struct page));
  }
  printf("%u %u %d\n", sum(a, sizeof *a), sum(b, sizeof *b), memcmp(a, b, sizeof *a) != 0);
  FILE* f = fopen("/dev/urandom", "r");
  static unsigned char random[1 << 20];
  unsigned total = 0;
  for (int round = 0; round < 8; ++round) {
    if (fread(random, 1, sizeof random, f) != sizeof random) return 1;
    total ^= sum(random, sizeof random);
  }
  fclose(f);
  printf("%d\n", total != 0xffffffffu);
  return 0;
}
