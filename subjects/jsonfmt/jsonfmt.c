/* jsonfmt: reads a JSON text from standard input and prints it again.
 *
 *   jsonfmt [-c] [-s] [-i N]
 *
 * -c on one line, -s members sorted by name, -i N spaces of indentation (2). Status 1, and where, if it is no
 * JSON.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { T_NULL, T_FALSE, T_TRUE, T_NUMBER, T_STRING, T_ARRAY, T_OBJECT } type;

typedef struct value {
  type kind;
  char* text; /* of a number or a string, as it was written */
  char* name; /* of a member */
  struct value** items;
  size_t count;
  size_t room;
} value;

typedef struct {
  const char* text;
  size_t at;
  int line;
  const char* error;
} reader;

typedef struct {
  int compact;
  int sorted;
  int indent;
} options;

static value* parse_value(reader* r);

static void* need(void* memory) {
  if (!memory) abort();
  return memory;
}

static value* make(type kind) {
  value* v = need(calloc(1, sizeof *v));
  v->kind = kind;
  return v;
}

static void release(value* v) {
  for (size_t i = 0; i < v->count; i++) release(v->items[i]);
  free(v->items);
  free(v->text);
  free(v->name);
  free(v);
}

static void append(value* v, value* item) {
  if (v->count == v->room) {
    v->room = v->room ? v->room * 2 : 4;
    v->items = need(realloc(v->items, v->room * sizeof *v->items));
  }
  v->items[v->count++] = item;
}

static char peek(reader* r) {
  while (isspace((unsigned char)r->text[r->at])) {
    if (r->text[r->at] == '\n') r->line++;
    r->at++;
  }
  return r->text[r->at];
}

static int accept(reader* r, char c) {
  if (peek(r) != c) return 0;
  r->at++;
  return 1;
}

static void fail(reader* r, const char* what) {
  if (!r->error) r->error = what;
}

static char* copy_from(reader* r, size_t begin) {
  size_t length = r->at - begin;
  char* copy = need(malloc(length + 1));
  memcpy(copy, r->text + begin, length);
  copy[length] = '\0';
  return copy;
}

static void skip_escape(reader* r) {
  r->at++;
  char c = r->text[r->at];
  if (c == 'u') {
    for (int i = 0; i < 4; i++)
      if (!isxdigit((unsigned char)r->text[++r->at])) {
        fail(r, "bad \\u");
        return;
      }
  } else if (!c || !strchr("\"\\/bfnrt", c)) {
    fail(r, "bad escape");
    return;
  }
  r->at++;
}

/* What is between the quotes, as it was written. */
static char* parse_string(reader* r) {
  if (!accept(r, '"')) {
    fail(r, "a string is missing");
    return copy_from(r, r->at);
  }
  size_t begin = r->at;
  while (!r->error && r->text[r->at] != '"') {
    if (r->text[r->at] == '\0' || r->text[r->at] == '\n')
      fail(r, "string does not end");
    else if (r->text[r->at] == '\\')
      skip_escape(r);
    else
      r->at++;
  }
  char* text = copy_from(r, begin);
  if (!r->error) r->at++;
  return text;
}

static void skip_digits(reader* r) {
  if (!isdigit((unsigned char)r->text[r->at])) fail(r, "a digit is missing");
  while (isdigit((unsigned char)r->text[r->at])) r->at++;
}

static value* parse_number(reader* r) {
  value* v = make(T_NUMBER);
  size_t begin = r->at;
  if (r->text[r->at] == '-') r->at++;
  skip_digits(r);
  if (r->text[r->at] == '.') {
    r->at++;
    skip_digits(r);
  }
  if (r->text[r->at] == 'e' || r->text[r->at] == 'E') {
    r->at++;
    if (r->text[r->at] == '+' || r->text[r->at] == '-') r->at++;
    skip_digits(r);
  }
  v->text = copy_from(r, begin);
  return v;
}

static value* parse_array(reader* r) {
  value* v = make(T_ARRAY);
  if (accept(r, ']')) return v;
  do append(v, parse_value(r));
  while (!r->error && accept(r, ','));
  if (!accept(r, ']')) fail(r, "missing ]");
  return v;
}

static value* parse_object(reader* r) {
  value* v = make(T_OBJECT);
  if (accept(r, '}')) return v;
  do {
    char* name = parse_string(r);
    if (!accept(r, ':')) fail(r, "missing :");
    value* member = parse_value(r);
    member->name = name;
    append(v, member);
  } while (!r->error && accept(r, ','));
  if (!accept(r, '}')) fail(r, "missing }");
  return v;
}

static value* parse_word(reader* r) {
  static const char* const words[] = {"null", "false", "true"};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(words[i]);
    if (strncmp(r->text + r->at, words[i], length) == 0) {
      r->at += length;
      return make((type)(T_NULL + i));
    }
  }
  fail(r, "a value is missing");
  return make(T_NULL);
}

static value* parse_value(reader* r) {
  char c = peek(r);
  if (c == '{' || c == '[') r->at++;
  if (c == '{') return parse_object(r);
  if (c == '[') return parse_array(r);
  if (c == '"') {
    value* v = make(T_STRING);
    v->text = parse_string(r);
    return v;
  }
  if (c == '-' || isdigit((unsigned char)c)) return parse_number(r);
  return parse_word(r);
}

static int by_name(const void* a, const void* b) {
  const value* left = *(value* const*)a;
  const value* right = *(value* const*)b;
  return strcmp(left->name, right->name);
}

static void sort_members(value* v) {
  for (size_t i = 0; i < v->count; i++) sort_members(v->items[i]);
  if (v->kind == T_OBJECT) qsort(v->items, v->count, sizeof *v->items, by_name);
}

static void new_line(const options* o, int depth) {
  if (o->compact) return;
  putchar('\n');
  for (int i = 0; i < depth * o->indent; i++) putchar(' ');
}

static void print(const value* v, const options* o, int depth);

static void print_items(const value* v, const options* o, int depth, const char* brackets) {
  putchar(brackets[0]);
  for (size_t i = 0; i < v->count; i++) {
    if (i > 0) putchar(',');
    new_line(o, depth + 1);
    if (v->items[i]->name) printf(o->compact ? "\"%s\":" : "\"%s\": ", v->items[i]->name);
    print(v->items[i], o, depth + 1);
  }
  if (v->count > 0) new_line(o, depth);
  putchar(brackets[1]);
}

static void print(const value* v, const options* o, int depth) {
  switch (v->kind) {
  case T_NULL:
    fputs("null", stdout);
    break;
  case T_FALSE:
    fputs("false", stdout);
    break;
  case T_TRUE:
    fputs("true", stdout);
    break;
  case T_NUMBER:
    fputs(v->text, stdout);
    break;
  case T_STRING:
    printf("\"%s\"", v->text);
    break;
  case T_ARRAY:
    print_items(v, o, depth, "[]");
    break;
  case T_OBJECT:
    print_items(v, o, depth, "{}");
    break;
  }
}

static char* read_all(FILE* in) {
  size_t size = 0, room = 64;
  char* text = need(malloc(room));
  for (int c = getc(in); c != EOF; c = getc(in)) {
    if (size + 1 == room) text = need(realloc(text, room *= 2));
    text[size++] = (char)c;
  }
  text[size] = '\0';
  return text;
}

static int parse_options(int argc, char** argv, options* o) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-c") == 0)
      o->compact = 1;
    else if (strcmp(argv[i], "-s") == 0)
      o->sorted = 1;
    else if (strcmp(argv[i], "-i") == 0 && i + 1 < argc)
      o->indent = atoi(argv[++i]);
    else
      return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  options o = {0, 0, 2};
  if (!parse_options(argc, argv, &o)) {
    fputs("usage: jsonfmt [-c] [-s] [-i N]\n", stderr);
    return 2;
  }
  char* text = read_all(stdin);
  reader r = {text, 0, 1, NULL};
  value* v = parse_value(&r);
  if (!r.error && peek(&r)) fail(&r, "more behind the end");
  if (r.error) {
    printf("line %d: %s\n", r.line, r.error);
  } else {
    if (o.sorted) sort_members(v);
    print(v, &o, 0);
    putchar('\n');
  }
  int status = r.error ? 1 : 0;
  release(v);
  free(text);
  return status;
}
