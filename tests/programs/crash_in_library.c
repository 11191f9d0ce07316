// The crash happens inside libc, called with a bad pointer: the place is the call.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>
#include <string.h>

static size_t lengthOf(const char* text) {
  return strlen(text) * 2; // <- fails in lengthOf
}

int main(void) {
  const char* volatile words[] = {"one", "three", (const char*)8};
  for (int i = 0; i < 3; ++i) {
    printf("%zu\n", lengthOf(words[i]));
    fflush(stdout);
  }
  return 0;
}
