#include <stdio.h>

typedef int (*Visitor)(void* context, int value);
int libraryCalls;
_Thread_local int libraryLocal = 3;
static char name[20];
struct triple {
  long a, b, c;
};
int programHook(int v);

int libraryWalk(Visitor visit, void* context, int n) {
  int i = 0;
  for (; i < n; ++i) {
    ++libraryCalls;
    libraryLocal += i;
    if (!visit(context, i)) break;
  }
  return i;
}

const char* libraryName(void) {
  snprintf(name, sizeof name, "library-%d-%d", libraryCalls, libraryLocal);
  return name;
}

struct triple libraryTriple(struct triple t) {
  return (struct triple){t.c * libraryCalls, programHook((int)t.b), t.a};
}
