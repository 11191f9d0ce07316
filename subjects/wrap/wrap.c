/* wrap: fills paragraphs of standard input to a width.
 *
 *   wrap [-w WIDTH] [-j] [-r]
 *
 * -j spreads the words of full lines to the right margin, -r sets lines at the right margin. A paragraph ends
 * at an empty line. Lines that begin with "- " are items: their further lines are indented by two.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64, MAX_LINE = 512 };

typedef struct {
  int width;
  int justify;
  int right;
} settings;

typedef struct {
  char* words[MAX_WORDS];
  int count;
  int length; /* of the words, without spaces */
  int indent;
} line;

static void put_spaces(int n) {
  for (int i = 0; i < n; i++) putchar(' ');
}

/* The spaces behind word i if `extra` more than one each are to be spread, the first gaps getting the larger
 * share. */
static int gap(const line* l, int i, int extra) {
  int gaps = l->count - 1;
  return 1 + extra / gaps + (i < extra % gaps ? 1 : 0);
}

static void print_line(const settings* s, const line* l, int is_last) {
  int used = l->indent + l->length + (l->count > 0 ? l->count - 1 : 0);
  int extra = s->width - used;
  if (extra < 0) extra = 0;
  put_spaces(s->right ? l->indent + extra : l->indent);
  for (int i = 0; i < l->count; i++) {
    fputs(l->words[i], stdout);
    if (i + 1 == l->count) break;
    put_spaces(s->justify && !is_last ? gap(l, i, extra) : 1);
  }
  putchar('\n');
}

static void clear(line* l, int indent) {
  for (int i = 0; i < l->count; i++) free(l->words[i]);
  l->count = 0;
  l->length = 0;
  l->indent = indent;
}

static int fits(const settings* s, const line* l, int length) {
  if (l->count == 0) return 1;
  if (l->count == MAX_WORDS) return 0;
  return l->indent + l->length + l->count + length <= s->width;
}

static void add_word(const settings* s, line* l, const char* word, int hang) {
  int length = (int)strlen(word);
  if (!fits(s, l, length)) {
    print_line(s, l, 0);
    clear(l, hang);
  }
  char* copy = malloc((size_t)length + 1);
  if (!copy) abort();
  memcpy(copy, word, (size_t)length + 1);
  l->words[l->count++] = copy;
  l->length += length;
}

static void end_paragraph(const settings* s, line* l) {
  if (l->count > 0) print_line(s, l, 1);
  clear(l, 0);
}

static int is_blank(const char* text) {
  while (isspace((unsigned char)*text)) text++;
  return *text == '\0';
}

static void add_words(const settings* s, line* l, const char* text, int hang) {
  char word[MAX_LINE];
  while (*text) {
    while (isspace((unsigned char)*text)) text++;
    int length = 0;
    while (*text && !isspace((unsigned char)*text)) word[length++] = *text++;
    word[length] = '\0';
    if (length > 0) add_word(s, l, word, hang);
  }
}

static void wrap(const settings* s, FILE* in) {
  char text[MAX_LINE];
  line l = {{0}, 0, 0, 0};
  int hang = 0, gap_wanted = 0, printed = 0;
  while (fgets(text, sizeof text, in)) {
    if (is_blank(text)) {
      printed |= l.count > 0;
      end_paragraph(s, &l);
      hang = 0;
      gap_wanted = printed;
      continue;
    }
    if (strncmp(text, "- ", 2) == 0) {
      printed |= l.count > 0;
      end_paragraph(s, &l);
      hang = 2;
    }
    if (gap_wanted) putchar('\n');
    gap_wanted = 0;
    add_words(s, &l, text, hang);
  }
  end_paragraph(s, &l);
}

int main(int argc, char** argv) {
  settings s = {72, 0, 0};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-j") == 0)
      s.justify = 1;
    else if (strcmp(argv[i], "-r") == 0)
      s.right = 1;
    else if (strcmp(argv[i], "-w") == 0 && i + 1 < argc)
      s.width = atoi(argv[++i]);
  }
  if (s.width < 1) {
    fputs("wrap: the width must be at least 1\n", stderr);
    return 2;
  }
  wrap(&s, stdin);
  return 0;
}
