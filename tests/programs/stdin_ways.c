// Standard input read in every way that stdio knows.
//
// stdin: 12 0x1f 3.5 word\nsecond line\nthird\n\nbinary\x01\x02\x03\xff!abcdefghij\nk: v; x: y\nunterminated
// builds: O0,O2
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int a, b, n;
  double d;
  char word[20];
  n = scanf("%d %i %lf %19s", &a, &b, &d, word);
  printf("%d: %d %d %g %s\n", n, a, b, d, word);
  int c = getchar();
  printf("%d\n", c);
  char* line = 0;
  size_t room = 0;
  ssize_t size = getline(&line, &room, stdin);
  printf("%zd %s", size, line);
  char small[4];
  while (fgets(small, sizeof small, stdin)) {
    printf("<%zu>", strlen(small));
    if (strchr(small, '\n')) break;
  }
  c = fgetc(stdin);
  printf("%d ", c);
  c = getc(stdin);
  ungetc(toupper(c), stdin);
  c = getc(stdin);
  printf("%c\n", c);
  unsigned char raw[9];
  size_t got = fread(raw, 3, 3, stdin);
  unsigned h = 0;
  for (int i = 0; i < 9; ++i) h = h * 257 + raw[i];
  printf("%zu %u\n", got, h);
  for (int i = 0; i < 3; ++i) printf("%d ", getchar_unlocked());
  char rest[20];
  n = scanf("%3[a-z]%n", rest, &a);
  printf("%d %s %d ", n, rest, a);
  n = scanf("%*[^\n]%*c");
  printf("%d\n", n);
  size = getdelim(&line, &room, ';', stdin);
  printf("%zd %s ", size, line);
  char key[10], value[10];
  n = fscanf(stdin, " %9[^:]: %9s", key, value);
  printf("%d %s=%s\n", n, key, value);
  size = getline(&line, &room, stdin);
  size = getline(&line, &room, stdin);
  printf("%zd %s %d\n", size, line, feof(stdin) != 0);
  size = getline(&line, &room, stdin);
  printf("%zd %d\n", size, getchar() == EOF);
  free(line);
  return 0;
}
