#include "basic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Where a line of this number is, or would be. */
static int position(const basic* b, int number) {
  int low = 0, high = b->line_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (b->lines[middle].number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int find_line(const basic* b, int number) {
  int at = position(b, number);
  return at < b->line_count && b->lines[at].number == number ? at : -1;
}

static char* copy(const char* text) {
  size_t size = strlen(text) + 1;
  char* result = malloc(size);
  if (!result) abort();
  return memcpy(result, text, size);
}

static void remove_line(basic* b, int at) {
  free(b->lines[at].text);
  b->line_count--;
  memmove(&b->lines[at], &b->lines[at + 1], (size_t)(b->line_count - at) * sizeof *b->lines);
}

/* A line replaces the one of its number; a number alone removes it. 0 if it has no number or there is no
 * room. */
int store_line(basic* b, const char* text) {
  char* rest;
  long number = strtol(text, &rest, 10);
  if (rest == text || number < 0) return 0;
  while (*rest == ' ' || *rest == '\t') rest++;
  int at = position(b, (int)number);
  if (at < b->line_count && b->lines[at].number == number) remove_line(b, at);
  if (!*rest) return 1;
  if (b->line_count == MAX_LINES) return 0;
  memmove(&b->lines[at + 1], &b->lines[at], (size_t)(b->line_count - at) * sizeof *b->lines);
  b->lines[at].number = (int)number;
  b->lines[at].text = copy(rest);
  b->line_count++;
  return 1;
}

void free_lines(basic* b) {
  while (b->line_count > 0) remove_line(b, b->line_count - 1);
}
