// A crash in a function registered with atexit, after main.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

struct cache {
  int size;
  struct cache* next;
};
static struct cache* volatile cache;

static void clean(void) {
  printf("cleaning\n");
  fflush(stdout);
  int size = cache->next->size; // <- fails in clean
  printf("%d\n", size);
}

int main(void) {
  static struct cache only = {5, 0};
  atexit(clean);
  cache = &only;
  printf("%d\n", cache->size);
  return 0;
}
