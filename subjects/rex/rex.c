/* rex: prints the lines of standard input that a pattern matches.
 *
 *   rex [-n] [-v] [-c] [-o] PATTERN
 *
 * -n with numbers, -v those that do not match, -c only how many, -o only what matched. Patterns: . [a-z] [^a]
 * ( ) | * + ? {n,m} ^ $ and \d \w \s. Status 0 if a line was printed, 1 if not, 2 if the pattern is wrong.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { CHARS, BEGIN, END, SEQUENCE, CHOICE, REPEAT } kind;

typedef struct re {
  kind type;
  unsigned char set[32];
  struct re *left, *right; /* right: the rest of a sequence, the other choice */
  int least, most;         /* of a repetition; most -1: any number */
} re;

typedef struct {
  const char* at;
  const char* error;
} compiler;

/* What is still to be matched behind a node. */
typedef struct rest {
  const re* node;
  const struct rest* next;
  int count; /* of a repetition: how often it was met */
  const char* since;
} rest;

typedef struct {
  const char* line;
  const char* end; /* of the match */
} matcher;

static re* parse_choice(compiler* c);

static re* make(kind type) {
  re* r = calloc(1, sizeof *r);
  if (!r) abort();
  r->type = type;
  return r;
}

static void release(re* r) {
  if (!r) return;
  release(r->left);
  release(r->right);
  free(r);
}

static void add(re* r, int from, int to) {
  for (int c = from; c <= to; c++) r->set[c / 8] |= (unsigned char)(1 << c % 8);
}

static int has(const re* r, char c) {
  unsigned char u = (unsigned char)c;
  return r->set[u / 8] >> u % 8 & 1;
}

static void invert(re* r) {
  for (int i = 0; i < 32; i++) r->set[i] = (unsigned char)~r->set[i];
}

static void add_escape(re* r, char c) {
  switch (c) {
  case 'd':
    add(r, '0', '9');
    break;
  case 's':
    add(r, ' ', ' ');
    add(r, '\t', '\t');
    break;
  case 'w':
    add(r, 'a', 'z');
    add(r, 'A', 'Z');
    add(r, '0', '9');
    add(r, '_', '_');
    break;
  default:
    add(r, (unsigned char)c, (unsigned char)c);
  }
}

static re* parse_class(compiler* c) {
  re* r = make(CHARS);
  int inverted = *c->at == '^';
  if (inverted) c->at++;
  do {
    if (!*c->at) {
      c->error = "missing ]";
      return r;
    }
    unsigned char from = (unsigned char)*c->at++;
    if (from == '\\' && *c->at) {
      add_escape(r, *c->at++);
      continue;
    }
    unsigned char to = from;
    if (c->at[0] == '-' && c->at[1] && c->at[1] != ']') {
      to = (unsigned char)c->at[1];
      c->at += 2;
    }
    add(r, from, to);
  } while (*c->at != ']');
  c->at++;
  if (inverted) invert(r);
  return r;
}

static re* parse_atom(compiler* c) {
  char ch = *c->at++;
  re* r;
  switch (ch) {
  case '(':
    r = parse_choice(c);
    if (*c->at == ')')
      c->at++;
    else
      c->error = "missing )";
    return r;
  case '[':
    return parse_class(c);
  case '^':
    return make(BEGIN);
  case '$':
    return make(END);
  case '.':
    r = make(CHARS);
    invert(r);
    return r;
  case '\\':
    r = make(CHARS);
    if (*c->at)
      add_escape(r, *c->at++);
    else
      c->error = "nothing behind \\";
    return r;
  case '*':
  case '+':
  case '?':
    c->error = "nothing to repeat";
    return make(SEQUENCE);
  default:
    r = make(CHARS);
    add(r, (unsigned char)ch, (unsigned char)ch);
    return r;
  }
}

static int parse_bounds(compiler* c, int* least, int* most) {
  char* end;
  *least = (int)strtol(c->at, &end, 10);
  *most = *least;
  if (*end == ',') {
    end++;
    *most = *end == '}' ? -1 : (int)strtol(end, &end, 10);
  }
  c->at = end;
  if (*end != '}' || (*most >= 0 && *most < *least)) {
    c->error = "bad {}";
    return 0;
  }
  c->at++;
  return 1;
}

static re* parse_repeat(compiler* c) {
  re* r = parse_atom(c);
  while (!c->error && *c->at && strchr("*+?{", *c->at)) {
    re* repeat = make(REPEAT);
    repeat->left = r;
    r = repeat;
    char op = *c->at++;
    repeat->least = op == '+';
    repeat->most = op == '?' ? 1 : -1;
    if (op == '{') parse_bounds(c, &repeat->least, &repeat->most);
  }
  return r;
}

static re* parse_sequence(compiler* c) {
  re* first = make(SEQUENCE);
  re* last = first;
  while (!c->error && *c->at && *c->at != '|' && *c->at != ')') {
    if (last->left) {
      last->right = make(SEQUENCE);
      last = last->right;
    }
    last->left = parse_repeat(c);
  }
  return first;
}

static re* parse_choice(compiler* c) {
  re* r = parse_sequence(c);
  while (!c->error && *c->at == '|') {
    c->at++;
    re* choice = make(CHOICE);
    choice->left = r;
    choice->right = parse_sequence(c);
    r = choice;
  }
  return r;
}

static int match(matcher* m, const re* r, const char* at, const rest* behind);

static int match_rest(matcher* m, const char* at, const rest* behind);

/* Takes as many as it can first. A round that takes nothing ends the repetition. */
static int match_repeat(matcher* m, const re* r, const char* at, const rest* behind, int count,
                        const char* since) {
  if (r->most < 0 || count < r->most) {
    if (count <= r->least || at != since) {
      rest again = {r, behind, count + 1, at};
      if (match(m, r->left, at, &again)) return 1;
    }
  }
  return count >= r->least && match_rest(m, at, behind);
}

static int match_rest(matcher* m, const char* at, const rest* behind) {
  if (!behind) {
    m->end = at;
    return 1;
  }
  if (behind->node && behind->node->type == REPEAT && behind->count > 0)
    return match_repeat(m, behind->node, at, behind->next, behind->count, behind->since);
  return match(m, behind->node, at, behind->next);
}

static int match(matcher* m, const re* r, const char* at, const rest* behind) {
  if (!r) return match_rest(m, at, behind);
  switch (r->type) {
  case CHARS:
    return *at && has(r, *at) && match_rest(m, at + 1, behind);
  case BEGIN:
    return at == m->line && match_rest(m, at, behind);
  case END:
    return *at == '\0' && match_rest(m, at, behind);
  case CHOICE:
    return match(m, r->left, at, behind) || match(m, r->right, at, behind);
  case REPEAT:
    return match_repeat(m, r, at, behind, 0, NULL);
  case SEQUENCE:
    break;
  }
  rest next = {r->right, behind, 0, NULL};
  return match(m, r->left, at, r->right ? &next : behind);
}

/* Where the first match begins, or NULL. */
static const char* search(matcher* m, const re* r, const char* from) {
  for (const char* at = from;; at++) {
    if (match(m, r, at, NULL)) return at;
    if (!*at) return NULL;
  }
}

static void print_matches(matcher* m, const re* r) {
  const char* at = m->line;
  const char* found;
  while ((found = search(m, r, at))) {
    if (m->end > found) printf("%.*s\n", (int)(m->end - found), found);
    at = m->end > found ? m->end : found + 1;
    if (!*found) break;
  }
}

int main(int argc, char** argv) {
  int numbers = 0, inverted = 0, only_count = 0, only_match = 0, i = 1;
  for (; i < argc - 1; i++) {
    numbers |= strcmp(argv[i], "-n") == 0;
    inverted |= strcmp(argv[i], "-v") == 0;
    only_count |= strcmp(argv[i], "-c") == 0;
    only_match |= strcmp(argv[i], "-o") == 0;
  }
  if (i >= argc) {
    fputs("usage: rex [-n] [-v] [-c] [-o] PATTERN\n", stderr);
    return 2;
  }
  compiler c = {argv[i], NULL};
  re* r = parse_choice(&c);
  if (!c.error && *c.at) c.error = "too many )";
  if (c.error) {
    printf("bad pattern: %s\n", c.error);
    release(r);
    return 2;
  }
  char line[512];
  int count = 0;
  for (int number = 1; fgets(line, sizeof line, stdin); number++) {
    line[strcspn(line, "\n")] = '\0';
    matcher m = {line, NULL};
    int matches = search(&m, r, line) != NULL;
    if (matches == inverted) continue;
    count++;
    if (only_count) continue;
    if (numbers) printf("%d:", number);
    if (only_match && !inverted)
      print_matches(&m, r);
    else
      puts(line);
  }
  if (only_count) printf("%d\n", count);
  release(r);
  return count == 0;
}
