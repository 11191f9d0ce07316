// Several files in one program: calls between them, statics of the same name, inline functions, an assembly
// file.
//
// with: parts/nested_one.c parts/nested_two.c parts/nested_add.s
// builds: O0,O2,nopie,lto
#include <stdio.h>

#include "parts/nested.h"

static int counter = 1;
static int step(int v) { return v + counter++; }
int callback(int v) { return step(v) * 2; }

int main(void) {
  int v = 3;
  for (int i = 0; i < 5; ++i) v = oneStep(v, callback) % 1000 + twoStep(v) + (int)assemblyAdd(v, i);
  struct record r = makeRecord(v, 2.5);
  printf("%d %d %d %g %s\n", v, counter, shared, r.value, r.name);
  printf("%ld %d\n", assemblyCall(callback, 21), inlined(v));
  return 0;
}
