// strcpy runs over the end of a local buffer into its neighbours and the frame's guard.
//
// args: 0123456789012345678901234567890123456789012345678901234567890123456789
// flags: -fstack-protector-all
// ends: signal SIGABRT
// kind: stack-smashing
// stderr: stack smashing detected
// message: local array
// builds: O0,O2
// memory: out-of-bounds
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) static void greet(const char* name) {
  char buffer[24];
  strcpy(buffer, name);
  printf("hello %.5s\n", buffer);
  fflush(stdout);
} // <- fails in greet

int main(int argc, char** argv) {
  greet("you");
  if (argc > 1) greet(argv[1]);
  return 0;
}
