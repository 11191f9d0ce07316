/* cache: a key-value store that keeps the entries last used.
 *
 *   cache CAPACITY < COMMANDS
 *
 *   set KEY VALUE [TTL]   TTL: how many further commands it lives
 *   get KEY | del KEY | list | stats | resize CAPACITY
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 7, KEY_SIZE = 16, VALUE_SIZE = 32 };

typedef struct entry {
  char key[KEY_SIZE];
  char value[VALUE_SIZE];
  long expires; /* 0: never */
  struct entry* chain;
  struct entry *newer, *older;
} entry;

typedef struct {
  entry* buckets[BUCKETS];
  entry *newest, *oldest;
  int count, capacity;
  long clock;
  long hits, misses, evicted;
} cache;

static unsigned hash(const char* key) {
  unsigned h = 17;
  while (*key) h = h * 31 + (unsigned char)*key++;
  return h % BUCKETS;
}

static void unlink_use(cache* c, entry* e) {
  if (e->newer)
    e->newer->older = e->older;
  else
    c->newest = e->older;
  if (e->older)
    e->older->newer = e->newer;
  else
    c->oldest = e->newer;
}

static void link_newest(cache* c, entry* e) {
  e->newer = NULL;
  e->older = c->newest;
  if (c->newest) c->newest->newer = e;
  c->newest = e;
  if (!c->oldest) c->oldest = e;
}

static entry* find(cache* c, const char* key) {
  entry* e = c->buckets[hash(key)];
  while (e && strcmp(e->key, key) != 0) e = e->chain;
  return e;
}

static void unlink_chain(cache* c, entry* e) {
  entry** link = &c->buckets[hash(e->key)];
  while (*link != e) link = &(*link)->chain;
  *link = e->chain;
}

static void drop(cache* c, entry* e) {
  unlink_chain(c, e);
  unlink_use(c, e);
  c->count--;
  free(e);
}

static void shrink(cache* c, int most) {
  while (c->count > most) {
    drop(c, c->oldest);
    c->evicted++;
  }
}

static entry* insert(cache* c, const char* key) {
  shrink(c, c->capacity - 1);
  entry* e = calloc(1, sizeof *e);
  if (!e) abort();
  strcpy(e->key, key);
  unsigned bucket = hash(key);
  e->chain = c->buckets[bucket];
  c->buckets[bucket] = e;
  link_newest(c, e);
  c->count++;
  return e;
}

static int is_expired(const cache* c, const entry* e) { return e->expires != 0 && c->clock >= e->expires; }

/* The living entry, now the one last used. */
static entry* use(cache* c, const char* key) {
  entry* e = find(c, key);
  if (e && is_expired(c, e)) {
    drop(c, e);
    e = NULL;
  }
  if (!e) return NULL;
  unlink_use(c, e);
  link_newest(c, e);
  return e;
}

static void set(cache* c, const char* key, const char* value, long ttl) {
  entry* e = use(c, key);
  if (!e) e = insert(c, key);
  strcpy(e->value, value);
  e->expires = ttl > 0 ? c->clock + ttl + 1 : 0;
}

static void get(cache* c, const char* key) {
  entry* e = use(c, key);
  if (e) {
    c->hits++;
    printf("%s\n", e->value);
  } else {
    c->misses++;
    printf("(none)\n");
  }
}

static void list(const cache* c) {
  for (const entry* e = c->newest; e; e = e->older) {
    if (is_expired(c, e)) continue;
    printf("%s=%s ", e->key, e->value);
  }
  printf("\n");
}

static void stats(const cache* c) {
  long asked = c->hits + c->misses;
  printf("%d of %d, %ld hits, %ld misses (%ld%%), %ld evicted\n", c->count, c->capacity, c->hits, c->misses,
         asked ? c->hits * 100 / asked : 0, c->evicted);
}

static int run(cache* c, const char* line) {
  char command[8], key[KEY_SIZE] = "", value[VALUE_SIZE] = "";
  long ttl = 0;
  int words = sscanf(line, "%7s %15s %31s %ld", command, key, value, &ttl);
  if (words < 1) return 1;
  c->clock++;
  if (strcmp(command, "set") == 0 && words >= 3) {
    set(c, key, value, ttl);
  } else if (strcmp(command, "get") == 0 && words == 2) {
    get(c, key);
  } else if (strcmp(command, "del") == 0 && words == 2) {
    entry* e = find(c, key);
    if (e) drop(c, e);
    printf("%s\n", e ? "gone" : "(none)");
  } else if (strcmp(command, "list") == 0) {
    list(c);
  } else if (strcmp(command, "stats") == 0) {
    stats(c);
  } else if (strcmp(command, "resize") == 0 && atoi(key) > 0) {
    c->capacity = atoi(key);
    shrink(c, c->capacity);
  } else {
    return 0;
  }
  return 1;
}

int main(int argc, char** argv) {
  cache c = {.capacity = argc > 1 ? atoi(argv[1]) : 4};
  char line[128];
  int number = 0, wrong = 0;
  while (fgets(line, sizeof line, stdin)) {
    number++;
    if (run(&c, line)) continue;
    printf("line %d: what?\n", number);
    wrong = 1;
  }
  shrink(&c, 0);
  return wrong;
}
