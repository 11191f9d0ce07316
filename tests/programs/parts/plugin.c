// A plug-in with state of its own that calls back through a pointer and by name; see
// tests/cli/plugins_test.cpp.
#include <stdio.h>
#include <string.h>

struct host {
  int (*add)(int, int);
  const char* name;
};
int hostCount(int by);

static int calls;
static int table[4] = {1, 2, 3, 4};
static __thread int mine = 7;

__attribute__((constructor)) static void begin(void) {
  calls = 100;
  printf("plug-in begins\n");
}

int pluginRun(struct host* h, int n) {
  int local[4];
  for (int i = 0; i < 4; ++i) local[i] = h->add(table[i], n + mine);
  calls += hostCount(local[3]);
  ++mine;
  printf("%s %d %d\n", h->name, calls, local[2]);
  return local[n & 3];
}

int pluginCrash(const char* s) { return s[0] + (int)strlen(s); }
