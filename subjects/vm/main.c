/* vm FILE: assembles a program and runs it; its input comes from standard input. */
#include "vm.h"

#include <stdio.h>
#include <stdlib.h>

static char* read_file(const char* name) {
  FILE* in = fopen(name, "r");
  if (!in) return NULL;
  size_t size = 0, room = 256;
  char* text = malloc(room);
  if (!text) abort();
  for (int c; (c = getc(in)) != EOF;) {
    if (size + 1 == room && !(text = realloc(text, room *= 2))) abort();
    text[size++] = (char)c;
  }
  text[size] = '\0';
  fclose(in);
  return text;
}

int main(int argc, char** argv) {
  static program p;
  if (argc != 2) {
    fputs("usage: vm FILE\n", stderr);
    return 2;
  }
  char* text = read_file(argv[1]);
  if (!text) {
    perror(argv[1]);
    return 2;
  }
  int errors = assemble(text, &p);
  free(text);
  if (errors > 0) {
    printf("%d errors\n", errors);
    return 1;
  }
  return execute(&p);
}
