// libc ends the program by itself: errx prints a message and exits.
//
// args: 1 2 x
// ends: exit 4
// kind: exit-status
// stderr: not a number: x
// builds: O0,O2
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

static int number(const char* text) {
  if (!isdigit((unsigned char)*text)) errx(4, "not a number: %s", text); // <- fails in number
  return atoi(text);
}

int main(int argc, char** argv) {
  int sum = 0;
  for (int i = 1; i < argc; ++i) {
    sum += number(argv[i]);
    printf("%d\n", sum);
  }
  return 0;
}
