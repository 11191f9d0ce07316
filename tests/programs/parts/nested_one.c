#include "nested.h"

static int counter = 100;
static int step(int v) { return v - counter++; }
int shared;

int oneStep(int v, int (*f)(int)) {
  shared += v & 3;
  return f(step(v)) + inlined(2);
}
