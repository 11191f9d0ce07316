// C as it was: definitions with parameters declared below, calls without a prototype, with too many and too
// few arguments, functions called through pointers of another type, results that nobody declared.
//
// flags: -std=gnu89 -w
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

int add();
double half();
char* pick();
struct pair {
  int a, b;
};

main(argc, argv) int argc;
char** argv;
{
  int (*f)() = add;
  void (*g)(int, int, int) = (void (*)(int, int, int))add;
  long (*h)(long) = (long (*)(long))abs;
  printf("%d %d %d\n", add(1, 2), f(3, 4), add(5, 6, 7));
  printf("%g %s\n", half(5.0), pick(argc, "one", "many"));
  g(8, 9, 10);
  printf("%d %d\n", (int)h(-7), implicit(3));
  return count(0);
}

int total;

int add(a, b)
int a, b;
{
  total += a;
  return a + b;
}

double half(v)
float v;
{
  return v / 2;
}

char* pick(n, a, b)
short n;
char *a, *b;
{
  return n == 1 ? a : b;
}

implicit(v) { return v * total; }

count(n) { return n; }
