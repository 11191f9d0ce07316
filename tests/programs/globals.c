// Globals of all sorts: tables with addresses of each other, differences of addresses, big ones, zero ones,
// constants, statics in functions, initialisers that point into the middle, strings in arrays.
//
// builds: O0,O2,nopie,sections
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct node {
  const char* name;
  const struct node* links[3];
  int (*function)(const struct node*);
  const char* middle;
};

static int depth(const struct node* n) { return n ? 1 + depth(n->links[0]) : 0; }
static int width(const struct node* n) {
  return (n->links[0] != 0) + (n->links[1] != 0) + (n->links[2] != 0);
}
extern const struct node a, b;
const struct node c = {"node c", {&b, &a, 0}, width, &"inner"[2]};
const struct node a = {"node a", {0, &b, &c}, depth, 0};
const struct node b = {"node b", {&a, 0, 0}, depth, (const char*)&a.name + 0};
static const struct node* const table[] = {&c, &b, &a, &c + 0};

static char bytes[100];
static char* const into[] = {bytes + 10, &bytes[50], bytes + 100, (char*)&bytes[3]};
static const intptr_t distance = sizeof bytes;
static int big[1 << 20];
static double initialised[1000] = {[5] = 2.5, [999] = -1};
static const char words[][8] = {"one", "two", "three", "seven77"};
static const char* lines[] = {"line one", "line two", 0};
static struct {
  int x;
  int* px;
  void* self;
} cycle = {5, &cycle.x, &cycle};
static volatile const int constant = 12345;
static int* const address = &big[77777];
static const int32_t offsets[] = {(int32_t)sizeof(struct node), 8, 16};

static int counter(void) {
  static int n = 100;
  static int* p = &n;
  static char buffer[16] = "b";
  buffer[n % 15] ^= 1;
  return ++*p + buffer[3];
}

int main(void) {
  for (int i = 0; i < 4; ++i)
    printf("%s %d %s; ", table[i]->name, table[i]->function(table[i]),
           table[i] == &c ? table[i]->middle : "-");
  putchar('\n');
  for (int i = 0; i < 4; ++i) {
    if (i != 2) *into[i] = (char)('a' + i);
    printf("%ld ", (long)(into[i] - bytes));
  }
  printf("%d %d %d %ld\n", bytes[10], bytes[50], bytes[3], (long)distance);
  for (int i = 0; i < 1 << 20; i += 4099) big[i] = i;
  *address = 4;
  long sum = 0;
  for (int i = 0; i < 1 << 20; ++i) sum += big[i];
  printf("%ld %g %g %s%s %s %d\n", sum, initialised[5] + initialised[6], initialised[999], words[2], words[3],
         lines[1], lines[2] == 0);
  cycle.x++;
  printf("%d %d %d\n", *cycle.px, cycle.self == &cycle, *((int*)cycle.self));
  for (int i = 0; i < 20; ++i) sum = sum * 3 + counter();
  printf("%ld %d %d\n", sum, constant, offsets[0] + offsets[2]);
  return 0;
}
