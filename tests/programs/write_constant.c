// A write to a string literal, which lies in memory that may only be read.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <ctype.h>
#include <stdio.h>

__attribute__((noinline)) static void capitalise(volatile char* text) {
  *text = (char)toupper(*text); // <- fails in capitalise
}

int main(void) {
  char own[] = "own";
  capitalise(own);
  puts(own);
  fflush(stdout);
  capitalise((char*)"constant");
  return 0;
}
