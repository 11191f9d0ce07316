// Variable arguments of every kind, copied lists, lists passed on, and lists used up past the registers.
//
// builds: O0,O2,nopie
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct small {
  int a, b;
};
struct mixed {
  double d;
  int i;
};
struct large {
  char text[30];
  long n;
};

static double sum(const char* kinds, va_list list) {
  double total = 0;
  for (; *kinds; ++kinds) {
    switch (*kinds) {
    case 'i':
      total += va_arg(list, int);
      break;
    case 'l':
      total += (double)va_arg(list, long);
      break;
    case 'd':
      total += va_arg(list, double);
      break;
    case 'L':
      total += (double)va_arg(list, long double);
      break;
    case 's':
      total += (double)strlen(va_arg(list, char*));
      break;
    case 'p':
      total += *va_arg(list, int*);
      break;
    case 'S': {
      struct small s = va_arg(list, struct small);
      total += s.a * 10 + s.b;
      break;
    }
    case 'M': {
      struct mixed s = va_arg(list, struct mixed);
      total += s.d * s.i;
      break;
    }
    case 'B': {
      struct large s = va_arg(list, struct large);
      total += s.n + s.text[3];
      break;
    }
    case 'f':
      total = va_arg(list, double (*)(double))(total);
      break;
    }
    printf("%c=%g ", *kinds, total);
  }
  return total;
}

static double twice(const char* kinds, ...) {
  va_list first, second;
  va_start(first, kinds);
  va_copy(second, first);
  double a = sum(kinds, first), b = sum(kinds, second);
  va_end(second);
  va_end(first);
  return a + b;
}

static void say(char* to, size_t size, const char* format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int n = vsnprintf(to, size, format, list);
  vprintf(format, again);
  printf(" (%d)\n", n);
  va_end(again);
  va_end(list);
}

static int countUntilZero(int first, ...) {
  va_list list;
  va_start(list, first);
  int n = 0;
  for (int v = first; v; v = va_arg(list, int)) n = n * 3 + v;
  va_end(list);
  return n;
}

static double half(double v) { return v / 2; }

int main(void) {
  int seven = 7;
  struct small s = {4, 2};
  struct mixed m = {1.5, 6};
  struct large b = {"abcdef", 1000};
  printf("\n%g\n", twice("ildLspSMBf", 1, 2L, 3.5, 4.25L, "five", &seven, s, m, b, half));
  printf("\n%g\n", twice("iiiiiiiiiidddddddddd", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1., 2., 3., 4., 5., 6., 7.,
                         8., 9., 10.));
  printf("\n%g\n", twice("BSMBLLSMi", b, s, m, b, 1.0L, 2.0L, s, m, 99));
  char text[64];
  say(text, sizeof text, "%d-%s-%.3f-%c-%Lg-%lx-%5.1e", 42, "string", 3.14159, '!', 2.5L, 0xfeedL, 12345.678);
  puts(text);
  say(text, 10, "%*d|%-*s|%%", 8, 123456, 12, "left");
  puts(text);
  printf("%d %d\n", countUntilZero(1, 2, 3, 4, 5, 6, 7, 8, 9, 0), countUntilZero(0));
  return 0;
}
