// What compilers add to C: statement expressions, cleanup, typeof, _Generic, nested designators, zero-size
// arrays, labels as values in structures, conditionals without a middle, built-in functions.
//
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX(a, b)                                                                                            \
  ({                                                                                                         \
    typeof(a) _a = (a);                                                                                      \
    typeof(b) _b = (b);                                                                                      \
    _a > _b ? _a : _b;                                                                                       \
  })
#define KIND(x) _Generic((x), int: "int", double: "double", char*: "text", default: "other")

static int closed;
static void release(char** p) {
  closed += (int)strlen(*p);
  free(*p);
}
static int useText(int n) {
  for (int i = 0; i < n; ++i) {
    __attribute__((cleanup(release))) char* text = strdup("temporary");
    if (i == 3) return i;
    if (i == 1) continue;
    text[i] = 'X';
  }
  return -1;
}
static const struct {
  int head;
  struct {
    short a[4];
    char name[8];
  } parts[3];
} nested = {.parts[1].a[2] = 7, .parts[2] = {.name = "two", .a = {1, 2}}, .head = 5};

struct zero {
  int size;
  char data[0];
};
static int divide(int a, int b) { return b ?: a / 2; }
static inline __attribute__((always_inline)) int forced(int v) { return v * v; }
__attribute__((pure)) static int pureOne(const int* p) { return *p + 1; }
__attribute__((noreturn)) static void leave(int status) { exit(status); }

int main(void) {
  int i = 3, counter = 0;
  printf("%d %g %s %s %s\n", MAX(i++, 2), MAX(1.5, i), KIND(i), KIND(2.0), KIND((char*)0));
  printf("%d %d\n", useText(10), closed);
  printf("%d %d %s %d\n", nested.head, nested.parts[1].a[2], nested.parts[2].name, nested.parts[2].a[1]);
  struct zero* z = malloc(sizeof *z + 6);
  z->size = 6;
  memcpy(z->data, "zero!", 6);
  printf("%s %d %d %d\n", z->data, divide(8, 0), divide(8, 3), forced(i));
  free(z);
  int a[5] = {[0 ... 2] = 4, [4] = 9};
  int(*view)[5] = &a;
  for (size_t k = 0; k < 5; ++k) counter += (*view)[k] * (int)k;
  printf("%d %d %d %d\n", counter, pureOne(a), (int)__builtin_expect(a[3] == 0, 1), __builtin_constant_p(5));
  printf("%d %d %d\n", __builtin_ffs(40), __builtin_parity(7), __builtin_abs(-4));
  void* next = i > 3 ? &&good : &&bad;
  goto* next;
bad:
  leave(1);
good:
  puts("good");
  leave(0);
}
