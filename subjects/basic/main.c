/* basic FILE: runs a program; its INPUT comes from standard input. Status 1 after an error in it. */
#include "basic.h"

#include <stdio.h>
#include <string.h>

static int load(basic* b, const char* file) {
  char text[256];
  FILE* in = fopen(file, "r");
  if (!in) {
    perror(file);
    return 0;
  }
  int is_good = 1;
  while (is_good && fgets(text, sizeof text, in)) {
    text[strcspn(text, "\n")] = '\0';
    if (text[0] && !store_line(b, text)) {
      printf("bad line: %s\n", text);
      is_good = 0;
    }
  }
  fclose(in);
  return is_good;
}

int main(int argc, char** argv) {
  static basic b;
  if (argc != 2) {
    fputs("usage: basic FILE\n", stderr);
    return 2;
  }
  int status = 1;
  if (load(&b, argv[1])) {
    run(&b);
    if (b.error) printf("line %d: %s\n", b.lines[b.current].number, b.error);
    status = b.error ? 1 : 0;
  }
  free_names(&b);
  free_lines(&b);
  return status;
}
