#include <stdio.h>

#include "nested.h"

static int counter = 7;
static int step(int v) { return v ^ ++counter; }

int twoStep(int v) { return oneStep(step(v), step); }

struct record makeRecord(int n, double v) {
  struct record r = {"", v * n};
  snprintf(r.name, sizeof r.name, "record-%d", n);
  return r;
}
