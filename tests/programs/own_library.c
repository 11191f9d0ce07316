// A shared library of our own, built by us, that calls back into the program and keeps state of its own.
//
// library: parts/own_library_part.c
// builds: O0,O2
#include <stdio.h>

typedef int (*Visitor)(void* context, int value);
int libraryWalk(Visitor visit, void* context, int n);
extern int libraryCalls;
const char* libraryName(void);
struct triple {
  long a, b, c;
};
struct triple libraryTriple(struct triple t);

static int add(void* context, int value) {
  *(int*)context += value;
  return value % 5 != 4;
}
int programHook(int v) { return v * 100; }

int main(void) {
  int sum = 0;
  int visited = libraryWalk(add, &sum, 10);
  struct triple t = libraryTriple((struct triple){1, 2, 3});
  printf("%d %d %d %s %ld %ld %ld\n", sum, visited, libraryCalls, libraryName(), t.a, t.b, t.c);
  return 0;
}
