// An assertion fails: the message, the line and the condition.
//
// args: 3 1 2
// ends: signal SIGABRT
// kind: assertion
// stderr: Assertion
// message: values[i - 1] <= values[i]
// builds: O0,O2
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static void check(const int* values, int n) {
  for (int i = 1; i < n; ++i) {
    printf("%d %d\n", values[i - 1], values[i]);
    fflush(stdout);
    assert(values[i - 1] <= values[i]); // <- fails in check
  }
}

int main(int argc, char** argv) {
  int values[16];
  for (int i = 1; i < argc; ++i) values[i - 1] = atoi(argv[i]);
  check(values, argc - 1);
  return 0;
}
