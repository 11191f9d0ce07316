/* stock: reads movements of a small warehouse and prints what is left of each item.
 *
 *   in  NAME COUNT        goods arrive
 *   out NAME COUNT        goods leave
 *   drop NAME             the item is no longer kept
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 8, NAME_SIZE = 24 };

typedef struct item {
  char name[NAME_SIZE];
  long count;
  long moves;
  struct item* next;
} item;

typedef struct store {
  item* buckets[BUCKETS];
  int items;
} store;

static unsigned bucket_of(const char* name) {
  unsigned hash = 5381;
  for (; *name; name++) hash = hash * 33 + (unsigned char)*name;
  return hash % BUCKETS;
}

static item* find(store* s, const char* name) {
  for (item* i = s->buckets[bucket_of(name)]; i; i = i->next)
    if (strcmp(i->name, name) == 0) return i;
  return NULL;
}

static item* find_or_add(store* s, const char* name) {
  item* i = find(s, name);
  if (i) return i;
  i = calloc(1, sizeof *i);
  if (!i) abort();
  snprintf(i->name, sizeof i->name, "%s", name);
  unsigned bucket = bucket_of(name);
  i->next = s->buckets[bucket];
  s->buckets[bucket] = i;
  s->items++;
  return i;
}

/* 0, or -1 if there is no such item. */
static int drop(store* s, const char* name) {
  item** link = &s->buckets[bucket_of(name)];
  while (*link && strcmp((*link)->name, name) != 0) link = &(*link)->next;
  item* gone = *link;
  if (!gone) return -1;
  *link = gone->next;
  free(gone);
  return 0;
}

static void apply(store* s, const char* action, const char* name, long count) {
  if (strcmp(action, "drop") == 0) {
    if (drop(s, name) > 0) s->items--;
    return;
  }
  item* i = find_or_add(s, name);
  i->count += strcmp(action, "in") == 0 ? count : -count;
  i->moves++;
}

static int read_movements(store* s, FILE* in) {
  char line[128], action[8], name[NAME_SIZE];
  int lines = 0;
  while (fgets(line, sizeof line, in)) {
    long count = 0;
    if (sscanf(line, "%7s %23s %ld", action, name, &count) < 2) continue;
    apply(s, action, name, count);
    lines++;
  }
  return lines;
}

static item** sorted_items(store* s) {
  item** list = calloc((size_t)s->items, sizeof *list);
  if (!list) abort();
  int n = 0;
  for (int b = 0; b < BUCKETS; b++)
    for (item* i = s->buckets[b]; i; i = i->next) {
      int at = n++;
      for (; at > 0 && strcmp(list[at - 1]->name, i->name) > 0; at--) list[at] = list[at - 1];
      list[at] = i;
    }
  return list;
}

static long print_report(store* s) {
  item** list = sorted_items(s);
  long total = 0;
  for (int n = 0; n < s->items; n++) {
    printf("%-12s %6ld  (%ld moves)\n", list[n]->name, list[n]->count, list[n]->moves);
    total += list[n]->count;
  }
  free(list);
  return total;
}

int main(int argc, char** argv) {
  FILE* in = argc > 1 ? fopen(argv[1], "r") : stdin;
  if (!in) {
    perror(argv[1]);
    return 1;
  }
  store s = {0};
  int lines = read_movements(&s, in);
  long total = print_report(&s);
  printf("%d movements, %d items, %ld pieces\n", lines, s.items, total);
  return 0;
}
