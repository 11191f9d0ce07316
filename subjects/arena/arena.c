/* arena: fills a template with the records of standard input; all memory comes from one arena.
 *
 *   arena TEMPLATE < RECORDS
 *
 * A record is lines NAME=TEXT up to an empty line. In the template $name is replaced, $name:12 padded to
 * twelve columns, $name? up to the next $; left out if there is no such field, $$ is a dollar.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 128, SLOTS = 16, MAX_FIELDS = 12 };

typedef struct block {
  struct block* before;
  size_t size, used;
  char data[];
} block;

typedef struct {
  block* last;
  size_t blocks;
} arena;

typedef struct {
  block* last;
  size_t used;
} mark;

typedef struct {
  arena* memory;
  char* text;
  size_t length, room;
} builder;

typedef struct interned {
  struct interned* next;
  char text[];
} interned;

typedef struct {
  interned* slots[SLOTS];
} names;

typedef struct {
  const char* name;
  const char* text;
} field;

typedef struct {
  field fields[MAX_FIELDS];
  int count;
} record;

static block* new_block(size_t size) {
  block* b = malloc(sizeof *b + size);
  if (!b) abort();
  b->size = size;
  b->used = 0;
  return b;
}

static void* take(arena* a, size_t size) {
  size = (size + 7) & ~(size_t)7;
  if (!a->last || a->last->used + size > a->last->size) {
    block* b = new_block(size > BLOCK_SIZE ? size : BLOCK_SIZE);
    b->before = a->last;
    a->last = b;
    a->blocks++;
  }
  void* result = a->last->data + a->last->used;
  a->last->used += size;
  return result;
}

static mark remember(const arena* a) {
  mark m = {a->last, a->last ? a->last->used : 0};
  return m;
}

static void go_back(arena* a, mark m) {
  while (a->last != m.last) {
    block* gone = a->last;
    a->last = gone->before;
    a->blocks--;
    free(gone);
  }
  if (a->last) a->last->used = m.used;
}

static void add(builder* b, const char* text, size_t length) {
  if (b->length + length + 1 > b->room) {
    size_t room = b->room ? b->room : 16;
    while (room < b->length + length + 1) room *= 2;
    char* larger = take(b->memory, room);
    if (b->text) memcpy(larger, b->text, b->length);
    b->text = larger;
    b->room = room;
  }
  memcpy(b->text + b->length, text, length);
  b->length += length;
  b->text[b->length] = '\0';
}

static unsigned hash(const char* text, size_t length) {
  unsigned h = 2166136261u;
  for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h % SLOTS;
}

/* The one copy of a name, so that names can be compared by their addresses. */
static const char* intern(names* n, arena* a, const char* text, size_t length) {
  interned** slot = &n->slots[hash(text, length)];
  for (interned* i = *slot; i; i = i->next)
    if (strncmp(i->text, text, length) == 0 && i->text[length] == '\0') return i->text;
  interned* fresh = take(a, sizeof *fresh + length + 1);
  memcpy(fresh->text, text, length);
  fresh->text[length] = '\0';
  fresh->next = *slot;
  *slot = fresh;
  return fresh->text;
}

static const char* lookup(const record* r, const char* name) {
  for (int i = r->count - 1; i >= 0; i--)
    if (r->fields[i].name == name) return r->fields[i].text;
  return NULL;
}

static const char* copy(arena* a, const char* text) {
  size_t size = strlen(text) + 1;
  return memcpy(take(a, size), text, size);
}

/* The next record; 0 at the end of the input. Field names live in `lasting`, texts in `passing`. */
static int read_record(FILE* in, record* r, names* n, arena* lasting, arena* passing) {
  char line[160];
  int any = 0;
  r->count = 0;
  while (fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = '\0';
    if (!line[0] && any) return 1;
    char* equals = strchr(line, '=');
    if (!equals || r->count == MAX_FIELDS) continue;
    any = 1;
    field* f = &r->fields[r->count++];
    f->name = intern(n, lasting, line, (size_t)(equals - line));
    f->text = copy(passing, equals + 1);
  }
  return any;
}

static void pad(builder* b, size_t had, long width) {
  while (b->length - had < (size_t)width) add(b, " ", 1);
}

static const char* skip_optional(const char* at) {
  while (*at && *at != '$') at++;
  return *at ? at + 1 : at;
}

/* One $ of the template: what comes behind it. */
static const char* expand(builder* out, const char* at, const record* r, names* n, arena* lasting) {
  size_t length = 0;
  if (*at == '$') {
    add(out, "$", 1);
    return at + 1;
  }
  if (*at == ';') return at + 1;
  while (isalnum((unsigned char)at[length])) length++;
  const char* text = lookup(r, intern(n, lasting, at, length));
  at += length;
  if (*at == '?') return text ? at + 1 : skip_optional(at + 1);
  size_t had = out->length;
  if (text) add(out, text, strlen(text));
  if (*at == ':') {
    char* end;
    pad(out, had, strtol(at + 1, &end, 10));
    at = end;
  }
  return at;
}

static void fill(builder* out, const char* form, const record* r, names* n, arena* lasting) {
  while (*form) {
    if (*form == '$') {
      form = expand(out, form + 1, r, n, lasting);
      continue;
    }
    size_t plain = strcspn(form, "$");
    add(out, form, plain);
    form += plain;
  }
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fputs("usage: arena TEMPLATE\n", stderr);
    return 2;
  }
  arena lasting = {NULL, 0}, passing = {NULL, 0};
  names n = {{NULL}};
  record r;
  int records = 0;
  size_t most = 0;
  mark start = remember(&passing);
  while (read_record(stdin, &r, &n, &lasting, &passing)) {
    builder out = {&passing, NULL, 0, 0};
    fill(&out, argv[1], &r, &n, &lasting);
    printf("%s\n", out.text ? out.text : "");
    if (passing.blocks > most) most = passing.blocks;
    go_back(&passing, start);
    records++;
  }
  printf("%d records, at most %zu blocks\n", records, most);
  go_back(&lasting, start);
  return records == 0;
}
