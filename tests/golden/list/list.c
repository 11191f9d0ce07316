#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node* next;
  char name[8];
  unsigned small : 3, large : 5;
};
typedef struct node node_t;
enum color { RED, GREEN = 4, BLUE };
enum mode { MODE_READ = 1, MODE_WRITE = 2, MODE_RUN = 4 };

static struct node table[4];
int (*handler)(const char*, int);
int limit = 7;

int sum(struct node* n, int k, node_t copy) {
  int s = 0;
  for (int i = 0; i < k; i++) {
    struct node* q = n->next;
    table[i].next = n;
    s += q->next->value / copy.value;
    q->name[i] = s;
  }
  int vla[k];
  vla[0] = s;
  int later = vla[1];
  {
    int s = 4;
    printf("%d %d\n", s, later);
    scanf("%d", &s);
  }
  return s + limit;
}

int run(const char* text, enum color c) {
  assert(c != RED && "no colour");
  if (text[0] == 'x') abort();
  return handler(text, strlen(text) / c);
}

int main(void) {
  node_t x = {0};
  enum mode m = MODE_READ | MODE_RUN;
  puts("usage: list FILE");
  free(x.next);
  return sum(&x, 3, x) + run(0, (enum color)m);
}
