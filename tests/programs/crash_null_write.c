// A null pointer plus an offset is written.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

struct table {
  long header[4];
  int cells[100];
};

static void set(struct table* t, int i, int v) {
  t->cells[i] = v; // <- fails in set
}

int main(void) {
  struct table* t[3] = {calloc(1, sizeof *t[0]), calloc(1, sizeof *t[0]), 0};
  for (int i = 0; i < 30; ++i) {
    set(t[i / 10], i, i * i);
    printf("%d\n", i);
    fflush(stdout);
  }
  return 0;
}
