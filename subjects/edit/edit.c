/* edit: a line editor's buffer, with a gap where the cursor is.
 *
 *   edit < COMMANDS
 *
 *   insert TEXT    at the cursor; \n is a new line
 *   left N | right N | start | end
 *   delete N       that many characters behind the cursor
 *   find TEXT      the cursor goes to the next place that has it
 *   mark           here; it moves with the text
 *   copy           what is between the mark and the cursor
 *   paste
 *   undo           the last insertion or deletion
 *   show | where
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 8, GROWTH = 16 };

typedef struct {
  char* text; /* [0, gap) and [gap_end, room) are in use */
  size_t room, gap, gap_end;
} buffer;

typedef struct change {
  struct change* before;
  size_t at, length;
  char* deleted; /* NULL: it was an insertion */
} change;

typedef struct {
  buffer text;
  change* last;
  size_t mark;
  int has_mark;
  char* clip;
  size_t clip_length;
} editor;

static size_t length_of(const buffer* b) { return b->room - (b->gap_end - b->gap); }

static void check(const editor* e) {
  const buffer* b = &e->text;
  assert(b->gap <= b->gap_end && b->gap_end <= b->room);
  assert(!e->has_mark || e->mark <= length_of(b));
}

static void* allocate(size_t size) {
  void* memory = malloc(size ? size : 1);
  if (!memory) abort();
  return memory;
}

static char at(const buffer* b, size_t place) {
  assert(place < length_of(b));
  return place < b->gap ? b->text[place] : b->text[place + (b->gap_end - b->gap)];
}

static void move_gap(buffer* b, size_t to) {
  assert(to <= length_of(b));
  while (b->gap > to) b->text[--b->gap_end] = b->text[--b->gap];
  while (b->gap < to) b->text[b->gap++] = b->text[b->gap_end++];
}

static void make_room(buffer* b, size_t more) {
  if (b->gap_end - b->gap >= more) return;
  size_t tail = b->room - b->gap_end;
  size_t room = length_of(b) + more + GROWTH;
  char* larger = allocate(room);
  memcpy(larger, b->text, b->gap);
  memcpy(larger + room - tail, b->text + b->gap_end, tail);
  free(b->text);
  b->text = larger;
  b->room = room;
  b->gap_end = room - tail;
}

static void put(editor* e, const char* text, size_t length) {
  make_room(&e->text, length);
  assert(e->text.gap_end - e->text.gap >= length);
  if (e->has_mark && e->mark > e->text.gap) e->mark += length;
  memcpy(e->text.text + e->text.gap, text, length);
  e->text.gap += length;
}

static void cut(editor* e, size_t length) {
  assert(length <= length_of(&e->text) - e->text.gap);
  if (e->has_mark && e->mark > e->text.gap) {
    size_t behind = e->mark - e->text.gap;
    e->mark -= behind < length ? behind : length;
  }
  e->text.gap_end += length;
}

static void remember(editor* e, size_t where, const char* deleted, size_t length) {
  change* c = allocate(sizeof *c);
  c->before = e->last;
  c->at = where;
  c->length = length;
  c->deleted = NULL;
  if (deleted) {
    c->deleted = allocate(length);
    memcpy(c->deleted, deleted, length);
  }
  e->last = c;
}

static void insert(editor* e, const char* text, size_t length) {
  remember(e, e->text.gap, NULL, length);
  put(e, text, length);
}

static void erase(editor* e, size_t length) {
  size_t behind = length_of(&e->text) - e->text.gap;
  if (length > behind) length = behind;
  remember(e, e->text.gap, e->text.text + e->text.gap_end, length);
  cut(e, length);
}

static int undo(editor* e) {
  change* c = e->last;
  if (!c) return 0;
  move_gap(&e->text, c->at);
  if (c->deleted) {
    put(e, c->deleted, c->length);
    move_gap(&e->text, c->at);
  } else {
    cut(e, c->length);
  }
  e->last = c->before;
  free(c->deleted);
  free(c);
  return 1;
}

static int matches(const buffer* b, size_t place, const char* text) {
  for (; *text; text++, place++)
    if (at(b, place) != *text) return 0;
  return 1;
}

static int find(editor* e, const char* text) {
  size_t length = strlen(text);
  for (size_t place = e->text.gap; place + length <= length_of(&e->text); place++) {
    if (!matches(&e->text, place, text)) continue;
    move_gap(&e->text, place);
    return 1;
  }
  return 0;
}

static int copy(editor* e) {
  if (!e->has_mark) return 0;
  size_t from = e->mark, to = e->text.gap;
  if (from > to) {
    size_t other = from;
    from = to;
    to = other;
  }
  char* clip = allocate(to - from);
  for (size_t i = from; i < to; i++) clip[i - from] = at(&e->text, i);
  free(e->clip);
  e->clip = clip;
  e->clip_length = to - from;
  return 1;
}

static void where(const editor* e) {
  size_t line = 1, start = 0;
  for (size_t i = 0; i < e->text.gap; i++)
    if (at(&e->text, i) == '\n') {
      line++;
      start = i + 1;
    }
  printf("line %zu, column %zu\n", line, e->text.gap - start + 1);
}

static void show(const editor* e) {
  for (size_t i = 0; i < length_of(&e->text); i++) putchar(at(&e->text, i));
  putchar('\n');
}

/* \n is one character; the text becomes no longer. */
static size_t unescape(char* text) {
  char* to = text;
  for (const char* from = text; *from; from++) {
    if (from[0] == '\\' && from[1] == 'n') {
      *to++ = '\n';
      from++;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
  return (size_t)(to - text);
}

static void go(editor* e, long by) {
  long to = (long)e->text.gap + by;
  long most = (long)length_of(&e->text);
  if (to < 0) to = 0;
  if (to > most) to = most;
  move_gap(&e->text, (size_t)to);
}

static int run(editor* e, char* line) {
  char* rest = line + strcspn(line, " ");
  if (*rest) *rest++ = '\0';
  long number = strtol(rest, NULL, 10);
  if (strcmp(line, "insert") == 0) {
    size_t length = unescape(rest);
    insert(e, rest, length);
  } else if (strcmp(line, "left") == 0) {
    go(e, -number);
  } else if (strcmp(line, "right") == 0) {
    go(e, number);
  } else if (strcmp(line, "start") == 0) {
    move_gap(&e->text, 0);
  } else if (strcmp(line, "end") == 0) {
    move_gap(&e->text, length_of(&e->text));
  } else if (strcmp(line, "delete") == 0 && number > 0) {
    erase(e, (size_t)number);
  } else if (strcmp(line, "find") == 0) {
    if (!find(e, rest)) printf("not found\n");
  } else if (strcmp(line, "mark") == 0) {
    e->mark = e->text.gap;
    e->has_mark = 1;
  } else if (strcmp(line, "copy") == 0) {
    if (!copy(e)) printf("no mark\n");
  } else if (strcmp(line, "paste") == 0) {
    if (e->clip) insert(e, e->clip, e->clip_length);
  } else if (strcmp(line, "undo") == 0) {
    if (!undo(e)) printf("nothing to undo\n");
  } else if (strcmp(line, "show") == 0) {
    show(e);
  } else if (strcmp(line, "where") == 0) {
    where(e);
  } else {
    return 0;
  }
  check(e);
  return 1;
}

int main(void) {
  editor e = {.text = {allocate(FIRST_ROOM), FIRST_ROOM, 0, FIRST_ROOM}};
  char line[256];
  int wrong = 0;
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = '\0';
    if (run(&e, line)) continue;
    printf("what is %s?\n", line);
    wrong = 1;
  }
  while (e.last) undo(&e);
  assert(length_of(&e.text) == 0);
  free(e.clip);
  free(e.text.text);
  return wrong;
}
