// Reads of variables that were never written. What they hold is not defined, but replay must see what the
// run saw.
//
// stdout: undefined
// builds: O0,O2
// memory: uninitialised
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct partly {
  int set;
  int unset;
  char text[24];
};

__attribute__((noinline)) static int dirty(int n) {
  volatile int area[64];
  for (int i = 0; i < 64; ++i) area[i] = i * n;
  return area[n % 64];
}

__attribute__((noinline)) static unsigned reader(int which) {
  int never;
  int array[16];
  struct partly p;
  if (which > 100) never = which;
  p.set = which;
  array[3] = which;
  unsigned sum = (unsigned)never * 3u;
  for (int i = 0; i < 16; ++i) sum = sum * 5 + (unsigned)array[i];
  struct partly copy = p;
  return sum + (unsigned)copy.unset + (unsigned char)copy.text[7];
}

int main(void) {
  unsigned sum = 0;
  for (int i = 1; i < 10; ++i) {
    dirty(i * 7);
    sum = sum * 31 + reader(i);
    char* heap = malloc(100 + (size_t)i * 16);
    sum += (unsigned char)heap[50];
    memset(heap, i, 100);
    free(heap);
  }
  if (sum & 1)
    printf("odd %u\n", sum);
  else
    printf("even %u\n", sum);
  return 0;
}
