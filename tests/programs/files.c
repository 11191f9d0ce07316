// Files through stdio: written, sought, read back, appended, truncated, stat, memory streams, temporary
// files, a file buffered by the program's own buffer, sscanf and strtol on what came back.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
  int id;
  char name[12];
  double score;
};

int main(void) {
  FILE* f = tmpfile();
  static char buffer[100];
  setvbuf(f, buffer, _IOFBF, sizeof buffer);
  for (int i = 0; i < 50; ++i) {
    struct entry e = {i, "", i * 1.5};
    snprintf(e.name, sizeof e.name, "entry-%d", i);
    fwrite(&e, sizeof e, 1, f);
  }
  double sum = 0;
  for (int i = 49; i >= 0; i -= 7) {
    struct entry e;
    fseek(f, (long)(i * (int)sizeof e), SEEK_SET);
    if (fread(&e, sizeof e, 1, f) != 1) return 1;
    sum = sum * 0.5 + e.score + e.id;
    printf("%s ", e.name);
  }
  struct stat status;
  fflush(f);
  fstat(fileno(f), &status);
  printf("%g %ld %ld\n", sum, ftell(f), (long)status.st_size);
  rewind(f);
  if (ftruncate(fileno(f), 40) != 0) return 2;
  int c, count = 0;
  while ((c = fgetc(f)) != EOF) count = count * 3 + c;
  printf("%d %d %d\n", count, feof(f) != 0, ferror(f));
  fclose(f);

  char* text = 0;
  size_t size = 0;
  FILE* memory = open_memstream(&text, &size);
  for (int i = 0; i < 100; ++i) fprintf(memory, "%d,", i * i);
  fclose(memory);
  printf("%zu %.20s...\n", size, text);
  FILE* reader = fmemopen(text, size, "r");
  int v, total = 0;
  while (fscanf(reader, "%d,", &v) == 1) total += v;
  fclose(reader);
  char* at = text;
  long again = 0;
  while (*at) {
    again += strtol(at, &at, 10);
    if (*at == ',') ++at;
  }
  free(text);
  int x, y, used;
  char op;
  int fields = sscanf(" 12 * -7 tail", "%d %c %d%n", &x, &op, &y, &used);
  printf("%d %ld %d %d%c%d %d\n", total, again, fields, x, op, y, used);
  return 0;
}
