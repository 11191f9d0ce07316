// A null pointer is read, three calls deep, in the fifth round of a loop.
//
// args: one two three four
// ends: signal SIGSEGV
// kind: crash
// message: NULL
// builds: O0,O2,nopie
#include <stdio.h>
#include <string.h>

struct word {
  const char* text;
  struct word* next;
};

static size_t measure(const struct word* w) {
  return strlen(w->text) + w->next->text[0]; // <- fails in measure
}

static size_t total(const struct word* w) {
  size_t sum = 0;
  for (; w; w = w->next) {
    sum += measure(w);
    printf("%zu\n", sum);
    fflush(stdout);
  }
  return sum;
}

int main(int argc, char** argv) {
  struct word words[8];
  for (int i = 0; i < argc - 1; ++i) words[i] = (struct word){argv[i + 1], i + 2 < argc ? &words[i + 1] : 0};
  printf("%zu\n", total(words));
  return 0;
}
