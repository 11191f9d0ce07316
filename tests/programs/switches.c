// switch: dense, sparse, with ranges, on characters, long values, enums and booleans; fallen through,
// nested, Duff's device, without default, with gotos between the cases.
//
// builds: O0,O2
#include <limits.h>
#include <stdio.h>

static int dense(int v) {
  switch (v) {
  case 0:
    return 11;
  case 1:
    return 22;
  case 2:
  case 3:
    return 33;
  case 4:
    v += 1; // falls through
  case 5:
    return v * 10;
  case 7:
    break;
  }
  return -v;
}
static int ranges(int c) {
  switch (c) {
  case '0' ... '9':
    return c - '0';
  case 'a' ... 'f':
    return c - 'a' + 10;
  case 'A' ... 'F':
    return c - 'A' + 10;
  case -100 ... - 1:
    return 100;
  case 1000 ... INT_MAX:
    return 1000;
  default:
    return -1;
  }
}
static int sparse(long v) {
  switch (v) {
  case -5000000000:
    return 1;
  case LONG_MIN:
    return 2;
  case 17:
    return 3;
  case 1l << 40:
    return 4;
  case LONG_MAX:
    return 5;
  }
  return 0;
}
static void copy(char* to, const char* from, int count) {
  int n = (count + 7) / 8;
  switch (count % 8) {
  case 0:
    do {
      *to++ = *from++;
    case 7:
      *to++ = *from++;
    case 6:
      *to++ = *from++;
    case 5:
      *to++ = *from++;
    case 4:
      *to++ = *from++;
    case 3:
      *to++ = *from++;
    case 2:
      *to++ = *from++;
    case 1:
      *to++ = *from++;
    } while (--n > 0);
  }
}
static int machine(const char* text) {
  enum { Start, Word, Number, Space } state = Start;
  int words = 0, numbers = 0;
  for (;; ++text) {
  again:
    switch (state) {
    case Start:
      if (!*text) return words * 100 + numbers;
      state = *text >= 'a' ? Word : *text >= '0' ? Number : Space;
      goto again;
    case Word:
      if (*text >= 'a') break;
      ++words, state = Start;
      goto again;
    case Number:
      switch (*text) {
      case '0' ... '9':
        continue;
      default:
        ++numbers, state = Start;
      }
      goto again;
    case Space:
      state = Start;
      break;
    }
  }
}

int main(void) {
  int sum = 0;
  for (int i = -3; i < 12; ++i) sum = sum * 3 + dense(i);
  printf("%d ", sum);
  for (int c = -150; c < 2000; c += 13) sum = sum * 3 + ranges(c);
  printf("%d %d%d%d%d%d%d\n", sum, sparse(-5000000000), sparse(LONG_MIN), sparse(17), sparse(1l << 40),
         sparse(LONG_MAX), sparse(18));
  char to[40] = {0};
  for (int n = 1; n < 24; ++n) copy(to + n % 5, "abcdefghijklmnopqrstuvwxyz", n);
  printf("%s %d\n", to, machine("some words 12 345 and more 6 "));
  switch ((int)(sum > 0)) {
  case 1:
    puts("positive");
    break;
  case 0:
    puts("not positive");
    break;
  }
  return 0;
}
