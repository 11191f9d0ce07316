// The string functions of libc, those that keep state and those that write through pointers among them;
// wide characters; locale conversions; literals that may be merged.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

static const char* const first = "shared literal";
static const char* const second = "shared literal";
static const char tail[] = "literal";

int main(void) {
  char text[200] = "the quick,brown;fox", *state = 0;
  strcat(text, " jumps");
  strncat(text, " over the lazy", 9);
  printf("%s %zu %zu %zu\n", text, strlen(text), strspn(text, "the "), strcspn(text, ",;"));
  char copy[200];
  stpcpy(stpcpy(copy, text), "!");
  for (char* t = strtok(copy, " ,;"); t; t = strtok(0, " ,;")) printf("[%s]", t);
  putchar('\n');
  strcpy(copy, text);
  for (char* t = strtok_r(copy, " ", &state); t; t = strtok_r(0, " ", &state)) printf("<%zu>", strlen(t));
  char* rest = strcpy(copy, "a,,b,");
  for (char* t; (t = strsep(&rest, ","));) printf("(%s)", t);
  putchar('\n');
  printf("%d %d %d %d\n", strcmp("abc", "abd") < 0, strncmp("abcx", "abcy", 3), strcasecmp("HeLLo", "hEllO"),
         strverscmp("file10", "file9") > 0);
  printf("%ld %ld %ld %s %s\n", (long)(strchr(text, 'q') - text), (long)(strrchr(text, 'o') - text),
         (long)(strstr(text, "fox") - text), strpbrk(text, ";:"), strcasestr(text, "LAZ") ? "yes" : "no");
  memset(copy, '#', sizeof copy);
  strncpy(copy, "padded", 10);
  printf("%d%d%c %zu\n", copy[6], copy[9], copy[10], strnlen(copy, 5));
  char* dup = strdup("duplicate");
  char* part = strndup(dup + 3, 3);
  dup[0] = (char)toupper(dup[0]);
  char* made = 0;
  int n = asprintf(&made, "%s-%s-%05d-%x-%o-%+d-%e", dup, part, 42, 255, 8, 7, 12345.678);
  printf("%d %s\n", n, made);
  free(dup), free(part), free(made);
  char* end;
  printf("%ld %lu %lld ", strtol(" -0x1fz", &end, 0), strtoul("777", 0, 8), strtoll("99999999999", 0, 10));
  printf("%s %g %d %ld\n", end, strtod("2.5e3xyz", &end), atoi("17 apples"), atol("-5"));
  wchar_t wide[20];
  size_t w = mbstowcs(wide, "wide text", 20);
  wide[0] = L'W';
  wcscat(wide, L"!");
  char narrow[40];
  printf("%zu %zu %zu %s\n", w, wcslen(wide), wcstombs(narrow, wide, sizeof narrow), narrow);
  swprintf(wide, 20, L"%d|%ls", 5, L"x");
  printf("%ls %d\n", wide, wcscmp(wide, L"5|x"));
  int letters[26] = {0};
  for (const char* p = text; *p; ++p)
    if (isalpha((unsigned char)*p)) letters[tolower((unsigned char)*p) - 'a']++;
  for (int i = 0; i < 26; ++i) putchar('0' + letters[i]);
  printf(" %d %s\n", strcmp(first, second) == 0 && strcmp(first + 7, tail) == 0, strerror(2));
  return 0;
}
