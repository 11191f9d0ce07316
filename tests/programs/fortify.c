// _FORTIFY_SOURCE: libc's checking wrappers are inline functions that exist nowhere else; one of them finds
// an overflow.
//
// args: 0123456789012345678901234567890123456789
// flags: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// ends: signal SIGABRT
// kind: abort
// stderr: buffer overflow detected
// message: uffer overflow detected
// builds: O2
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static size_t greet(const char* name) {
  char buffer[16] = "";
  strncat(buffer, name, 4);
  snprintf(buffer + 4, sizeof buffer - 4, "-%d", 7);
  printf("%s %zu\n", buffer, strlen(buffer));
  fflush(stdout);
  strcpy(buffer, name); // <- fails in greet
  return strlen(buffer);
}

int main(int argc, char** argv) {
  char buffer[8];
  printf("%zu %zd\n", greet("fits"), read(0, buffer, sizeof buffer));
  fflush(stdout);
  printf("%zu\n", greet(argc > 1 ? argv[1] : ""));
  return 0;
}
