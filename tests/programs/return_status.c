// main returns a status other than 0.
//
// args: 7 9 1
// ends: exit 17
// kind: exit-status
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

static int total(int n, char** words) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += atoi(words[i]);
  return sum;
}

int main(int argc, char** argv) {
  int status = total(argc - 1, argv + 1);
  printf("%d\n", status);
  return status; // <- fails in main
}
