// Linked statically: there is no loader to preload anything into.
//
// flags: -static
// builds: O0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

int main(void) {
  char* words[] = {"static", "programs", "have", "everything", "inside"};
  qsort(words, 5, sizeof *words, compare);
  for (int i = 0; i < 5; ++i) printf("%s ", words[i]);
  putchar('\n');
  return 0;
}
