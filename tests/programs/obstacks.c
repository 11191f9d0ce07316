// GNU obstacks: macros that work on a structure which libc also changes, and callbacks for memory.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <obstack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int chunks;
static void* take(size_t size) {
  ++chunks;
  return malloc(size);
}
#define obstack_chunk_alloc take
#define obstack_chunk_free free

int main(void) {
  struct obstack stack;
  obstack_init(&stack);
  char* words[200];
  for (int i = 0; i < 200; ++i) {
    for (int k = 0; k <= i % 50; ++k) obstack_1grow(&stack, (char)('a' + (i + k) % 26));
    obstack_printf(&stack, "-%d", i);
    obstack_1grow(&stack, 0);
    words[i] = obstack_finish(&stack);
  }
  unsigned h = 1;
  for (int i = 0; i < 200; ++i)
    for (const char* p = words[i]; *p; ++p) h = h * 31 + (unsigned char)*p;
  obstack_free(&stack, words[100]);
  char* copy = obstack_copy0(&stack, "fresh", 5);
  int* numbers = obstack_alloc(&stack, 100 * sizeof(int));
  for (int i = 0; i < 100; ++i) numbers[i] = i;
  printf("%u %s %s %d %d\n", h, copy, words[99], numbers[99], chunks > 1);
  obstack_free(&stack, 0);
  return 0;
}
