// Weak symbols, defined and missing, overridden by another file; aliases; hidden and static names; common
// symbols; constructors and destructors with priorities; an indirect function chosen at start.
//
// with: parts/linkage_other.c
// flags: -fcommon
// builds: O0,O2,nopie
#include <stdio.h>

static int trail;
int common[4];

__attribute__((constructor(201))) static void second(void) { trail = trail * 10 + 2; }
__attribute__((constructor(101))) static void first(void) { trail = trail * 10 + 1; }
__attribute__((constructor)) static void last(void) { trail = trail * 10 + 9; }
__attribute__((destructor(101))) static void finalOne(void) { printf("last destructor %d\n", trail); }
__attribute__((destructor(201))) static void earlier(void) { trail = trail * 10 + 5; }

__attribute__((weak)) int overridden(int v) { return v + 1; }
__attribute__((weak)) int kept(int v) { return v + 2; }
__attribute__((weak)) extern int missing(int v);
__attribute__((weak)) extern int missingVariable;
__attribute__((weak)) int weakVariable = 5;

int original(int v) { return v * 3; }
int aliased(int v) __attribute__((alias("original")));
__attribute__((weak, alias("original"))) int weakAlias(int v);
int number = 77;
extern int numberAlias __attribute__((alias("number")));

static int slow(int v) { return v * 1000; }
static int quick(int v) { return v * 2000; }
static int (*resolve(void))(int) { return sizeof(void*) == 8 ? quick : slow; }
int chosen(int v) __attribute__((ifunc("resolve")));

int otherFile(int v);
int callsBack(int v) { return v - 1; }

int main(void) {
  printf("%d %d %d %d %d\n", overridden(10), kept(10), missing ? missing(1) : -1, &missingVariable == 0,
         weakVariable);
  numberAlias += 3;
  int (*volatile pointer)(int) = aliased;
  printf("%d %d %d %d %d\n", aliased(5), weakAlias(6), number, pointer == original, pointer(7));
  common[1] = 4;
  int (*volatile indirect)(int) = chosen;
  printf("%d %d %d %d %d\n", chosen(2), indirect(3), otherFile(9), common[1], common[2]);
  printf("%d\n", trail);
  return 0;
}
