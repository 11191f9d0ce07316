// Recursion 100,000 deep, with locals that are used on the way back up.
//
// args: 100000
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

struct item {
  struct item* next;
  int value;
};

static unsigned long walk(struct item* list, int depth, unsigned long* seen) {
  int local[4] = {list->value, depth, depth ^ list->value, (int)(*seen & 0xff)};
  if (!list->next) return (unsigned long)local[0];
  unsigned long below = walk(list->next, depth + 1, seen);
  *seen = *seen * 31 + (unsigned long)(local[0] + local[1] + local[2] + local[3]);
  return below * 3 + (unsigned long)local[1];
}

static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  struct item* list = 0;
  for (int i = 0; i < n; ++i) {
    struct item* item = malloc(sizeof *item);
    *item = (struct item){list, i % 977};
    list = item;
  }
  unsigned long seen = 1, result = walk(list, 0, &seen);
  printf("%lu %lu %d\n", result, seen, even(n) * 2 + odd(n - 1));
  return 0;
}
