// A block is freed twice.
//
// ends: signal SIGABRT
// kind: heap-corruption
// stderr: double free
// message: double free
// builds: O0,O2
// memory: double-free
#include <stdio.h>
#include <stdlib.h>

struct owner {
  char* volatile text;
};

static void release(struct owner* o) {
  free(o->text); // <- fails in release
}

int main(void) {
  struct owner a = {malloc(40)};
  struct owner b = a;
  snprintf(a.text, 40, "shared");
  puts(b.text);
  fflush(stdout);
  release(&a);
  release(&b);
  return 0;
}
