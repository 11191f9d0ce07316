// A local array is overrun up to the frame's guard; the function finds out when it returns.
//
// args: far-too-long-for-the-buffer-in-question-by-a-wide-margin
// flags: -fstack-protector-all
// ends: signal SIGABRT
// kind: stack-smashing
// stderr: stack smashing detected
// message: local array
// builds: O0,O2
// memory: out-of-bounds
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static int parse(const char* text) {
  char buffer[16];
  int n = 0;
  while (text[n]) {
    buffer[n] = text[n];
    ++n;
  }
  buffer[n] = 0;
  return (int)strlen(buffer); // <- fails in parse
}

int main(int argc, char** argv) {
  printf("%d\n", parse("short"));
  fflush(stdout);
  printf("%d\n", parse(argc > 1 ? argv[1] : "x"));
  return 0;
}
