// Calls that only read memory: replay computes what they give, from memory that it knows (arrays, input),
// that nobody has told it of (the library's own tables), and that is unknown in part.
//
// builds: O0,O2,nopie
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

static char words[][12] = {"alpha", "beta", "alphabet", "", "al\xf0ha", "zeta"};

static long known(void) {
  long sum = 0;
  for (int i = 0; i < 6; ++i) {
    sum = sum * 31 + (long)strlen(words[i]);
    char* a = strchr(words[i], 'e');
    char* end = strchr(words[i], 0);
    char* m = memchr(words[i], 'a', sizeof words[i]);
    sum = sum * 31 + (a ? a - words[i] : -1) + (m ? m - words[i] : -1) + (end - words[i]);
    for (int j = 0; j < 6; ++j) {
      sum = sum * 31 + (memcmp(words[i], words[j], sizeof words[i]) < 0);
      sum = sum * 31 + memcmp(words[i], words[j], strlen(words[i]) + 1);
      sum = sum * 31 + strcmp(words[i], words[j]);
      sum = sum * 31 + strncmp(words[i], words[j], 4);
      sum = sum * 31 + (bcmp(words[i], words[j], 3) != 0);
    }
  }
  return sum;
}

// Written by the library, where we have not looked.
static long unknown(void) {
  const char* point = nl_langinfo(RADIXCHAR);
  const char* set = nl_langinfo(CODESET);
  long sum =
      (long)strlen(point) + strcmp(point, ",") + strncmp(set, "ANSI", 4) + (memcmp(set, "ANSI_Y", 6) < 0);
  sum += strchr(set, '_') ? strchr(set, '_') - set : -1;
  return sum * 31 + (memchr(set, 'X', 6) != NULL);
}

// Two strings that differ before the end of the page: neither has an end.
static int atTheEnd(void) {
  long page = sysconf(_SC_PAGESIZE);
  char* two = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(two + page, (size_t)page, PROT_NONE);
  char* last = two + page - 4;
  memcpy(last, "abcd", 4);
  int sum = strcmp(last, "abcx") * 3 + (memcmp(last, "abcd", 4) > 0) * 5 + strncmp(last, "abcd", 4);
  char* found = memchr(last, 'd', 4000);
  return sum + (int)(found - last);
}

// The bytes change behind our back and we look with memcmp alone.
static int behind(void) {
  int ends[2];
  char* text = calloc(1, 64);
  if (pipe(ends) != 0) return -1;
  FILE* in = fdopen(ends[0], "r");
  (void)!write(ends[1], "first\nsecond\n", 13);
  setvbuf(in, text, _IOFBF, 64); // the library reads into it
  int c = getc(in);
  int sum = c + (memcmp(text, "first", 5) == 0) + (int)strlen(text);
  while (c != '\n') c = getc(in);
  return sum + strncmp(text + 6, "second", 6);
}

int main(int argc, char** argv) {
  printf("%ld %ld %d %d\n", known(), unknown(), atTheEnd(), behind());
  char line[40];
  int count = 0;
  while (fgets(line, sizeof line, stdin))
    if (strncmp(line, "end", 3) == 0 || strlen(line) > 30) ++count;
  printf("%d %d\n", count, argc > 1 ? strcmp(argv[1], "x") : 0);
  return strcmp(words[0], "alphA") > 0 ? 0 : 1;
}
