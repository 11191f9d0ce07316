// Not all is ours: functions that take and return, walk and change our data, made by a library that has no
// IR, here those of libc that take callbacks and contexts (glob, regex, iconv, obstack-like use of
// open_memstream).
//
// builds: O0
#define _GNU_SOURCE
#include <argz.h>
#include <fnmatch.h>
#include <iconv.h>
#include <printf.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ssize_t writes;
static char written[200];
static ssize_t cookieWrite(void* cookie, const char* data, size_t size) {
  ++writes;
  strncat(cookie, data, size);
  return (ssize_t)size;
}
static ssize_t cookieRead(void* cookie, char* to, size_t size) {
  int* left = cookie;
  size_t n = size < (size_t)*left ? size : (size_t)*left;
  memset(to, 'c', n);
  *left -= (int)n;
  return (ssize_t)n;
}

int main(void) {
  regex_t expression;
  regcomp(&expression, "([a-z]+)=([0-9]+)", REG_EXTENDED);
  const char* at = "alpha=1, beta=22, gamma=333";
  regmatch_t match[3];
  int sum = 0;
  while (regexec(&expression, at, 3, match, 0) == 0) {
    printf("%.*s:", match[1].rm_eo - match[1].rm_so, at + match[1].rm_so);
    sum = sum * 10 + atoi(at + match[2].rm_so);
    at += match[0].rm_eo;
  }
  regfree(&expression);
  printf("%d\n", sum);
  FILE* out = fopencookie(written, "w", (cookie_io_functions_t){.write = cookieWrite});
  setvbuf(out, 0, _IOLBF, 64);
  for (int i = 0; i < 10; ++i) fprintf(out, "<%d>%s", i, i % 4 == 3 ? "\n" : "");
  fclose(out);
  printf("%d %s\n", writes > 0, written);
  int left = 10;
  FILE* in = fopencookie(&left, "r", (cookie_io_functions_t){.read = cookieRead});
  char text[20];
  printf("%s %d\n", fgets(text, sizeof text, in), left);
  fclose(in);
  iconv_t convert = iconv_open("UTF-8", "ISO-8859-1");
  char latin[] = "gr\xfc\xdf", utf8[20] = {0}, *from = latin, *to = utf8;
  size_t n = strlen(latin), room = sizeof utf8;
  iconv(convert, &from, &n, &to, &room);
  iconv_close(convert);
  for (char* p = utf8; *p; ++p) printf("%02x", (unsigned char)*p);
  printf(" %ld %zu\n", (long)(from - latin), room);
  char* argz = 0;
  size_t size = 0;
  argz_create_sep("one:two:three", ':', &argz, &size);
  argz_add(&argz, &size, "four");
  for (char* entry = 0; (entry = argz_next(argz, size, entry));) printf("%s ", entry);
  free(argz);
  printf("%d\n", fnmatch("*.c", "file.c", 0) == 0);
  return 0;
}
