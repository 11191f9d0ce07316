// Calls through tables of functions: ours, libc's, of several types, chosen by data; functions that return
// functions; a vtable by hand; a pointer compared with a function's address.
//
// args: 3 sin
// flags: -lm
// builds: O0,O2,nopie
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*Math)(double);
typedef int (*Classify)(int);
typedef struct {
  const char* name;
  Math function;
} Entry;

static double square(double x) { return x * x; }
static double negate(double x) { return -x; }
static const Entry entries[] = {
    {"sin", sin}, {"square", square}, {"sqrt", sqrt}, {"negate", negate}, {"exp", exp}};

struct animal;
struct methods {
  int (*speak)(struct animal*, int);
  void (*destroy)(struct animal*);
};
struct animal {
  const struct methods* methods;
  int legs;
};
static int bark(struct animal* a, int times) { return a->legs * times; }
static int tweet(struct animal* a, int times) { return a->legs + times; }
static void release(struct animal* a) { free(a); }
static const struct methods dog = {bark, release}, bird = {tweet, release};

static struct animal* make(const struct methods* m, int legs) {
  struct animal* a = malloc(sizeof *a);
  *a = (struct animal){m, legs};
  return a;
}

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int (*choose(char c))(int, int) { return c == '+' ? add : c == '-' ? subtract : 0; }

int main(int argc, char** argv) {
  double v = argc > 1 ? atof(argv[1]) : 1;
  for (size_t round = 0; round < 3; ++round)
    for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
      if (argc > 2 && strcmp(entries[i].name, argv[2]) == 0 && round) continue;
      v = entries[i].function(v);
      if (v < 0 && entries[i].function != negate) v = fabs(v);
      if (v > 1000) v = fmod(v, 1000);
      printf("%s=%.6g ", entries[i].name, v);
    }
  putchar('\n');
  Classify classes[] = {isalpha, isdigit, isspace, toupper, tolower};
  int sum = 0;
  for (const char* p = "Mixed 12 Text!"; *p; ++p)
    for (int k = 0; k < 5; ++k) sum = sum * 3 + (k < 3 ? classes[k](*p) != 0 : classes[k](*p));
  printf("%d\n", sum);
  struct animal* zoo[4];
  for (int i = 0; i < 4; ++i) zoo[i] = make(i % 2 ? &dog : &bird, i + 2);
  int noise = 0;
  for (int i = 0; i < 8; ++i) noise = noise * 5 + zoo[i % 4]->methods->speak(zoo[i % 4], i);
  for (int i = 0; i < 4; ++i) zoo[i]->methods->destroy(zoo[i]);
  printf("%d %d %d %d\n", noise, choose('+')(40, 2), choose('-')(40, 2), choose('?') == 0);
  size_t (*volatile length)(const char*) = strlen;
  void* (*volatile reserve)(size_t) = malloc;
  char* text = reserve(20);
  strcpy(text, "through pointers");
  printf("%zu %d\n", length(text), puts == (int (*)(const char*))puts);
  void (*volatile give)(void*) = free;
  give(text);
  return 0;
}
