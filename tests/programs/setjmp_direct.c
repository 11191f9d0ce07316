// setjmp and longjmp inside one function and out of nested calls, with locals that changed in between, jump
// buffers in structures and arrays, and frames of dynamic size left behind.
//
// builds: O0,O2
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct try {
  jmp_buf place;
  struct try* outer;
  int code;
};
static struct try* current;

static void raiseError(int code) {
  current->code = code;
  longjmp(current->place, code);
}

static int parse(const char* text, int depth) {
  char copy[strlen(text) + 1];
  strcpy(copy, text);
  if (copy[0] == 0) return depth;
  if (copy[0] == '!') raiseError(depth * 10 + 1);
  if (copy[0] == '?') raiseError(-depth);
  return parse(text + 1, depth + 1) + copy[0];
}

static int attempt(const char* text) {
  struct try here = {.outer = current};
  volatile int progress = 1;
  int result;
  current = &here;
  switch (setjmp(here.place)) {
  case 0:
    progress = 2;
    result = parse(text, 0);
    progress = 3;
    break;
  case 21:
    result = attempt("nested!") * 100 + progress;
    break;
  default:
    result = -progress * 1000 + here.code;
  }
  current = here.outer;
  return result;
}

static int countdown(void) {
  jmp_buf loop;
  volatile int n = 0;
  volatile char trail[16] = {0};
  int value = setjmp(loop);
  trail[n] = (char)('a' + value);
  n = n + 1;
  if (value < 9) longjmp(loop, value + 1);
  printf("%d %s\n", value, (const char*)trail);
  return n;
}

static jmp_buf places[3];
static int zigzag(void) {
  volatile int visits[3] = {0, 0, 0};
  for (volatile int i = 0; i < 3; i = i + 1) {
    int code = setjmp(places[i]);
    visits[i]++;
    if (code > 4) return visits[0] * 100 + visits[1] * 10 + visits[2];
    if (i == 2) longjmp(places[code % 3], code + 1);
  }
  return -1;
}

int main(void) {
  printf("%d\n", attempt("plain text"));
  printf("%d\n", attempt("ab!"));
  printf("%d\n", attempt("abcd!"));
  printf("%d\n", attempt("abc?"));
  printf("%d\n", countdown());
  printf("%d\n", zigzag());
  jmp_buf zero;
  int again = _setjmp(zero);
  if (again == 0) _longjmp(zero, 0);
  printf("%d\n", again);
  return 0;
}
