// Memory that grows on the stack while a function runs: alloca, variable-length arrays in loops, left by
// goto, break and return, with sizes that depend on data; two-dimensional ones passed on.
//
// builds: O0,O2
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static unsigned mix(unsigned h, const void* data, size_t size) {
  const unsigned char* p = data;
  for (size_t i = 0; i < size; ++i) h = (h ^ p[i]) * 16777619u;
  return h;
}

static unsigned matrix(int rows, int columns, int cells[rows][columns]) {
  unsigned h = 1;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) h = h * 7 + (unsigned)cells[r][c];
  return h;
}

static unsigned inLoop(int n) {
  unsigned h = 0;
  int i = 0;
again:
  for (; i < n; ++i) {
    char text[i + 1];
    memset(text, 'a' + i, sizeof text);
    h = mix(h, text, sizeof text);
    if (i == 3) {
      ++i;
      goto again;
    }
    if (i % 7 == 6) continue;
    int square[i + 1][i + 2];
    for (int r = 0; r <= i; ++r)
      for (int c = 0; c < i + 2; ++c) square[r][c] = r * c + i;
    h += matrix(i + 1, i + 2, square);
    if (i == 20) goto out;
    if (h == 1) return 1;
  }
out:
  return h;
}

struct node {
  struct node* next;
  int value;
};

static unsigned chain(int n) {
  struct node* head = 0;
  for (int i = 0; i < n; ++i) {
    struct node* node = alloca(sizeof *node + (size_t)(i % 5) * 8);
    node->next = head;
    node->value = i * i;
    head = node;
  }
  unsigned h = 3;
  for (; head; head = head->next) h = mix(h, &head->value, sizeof head->value);
  return h;
}

static unsigned aligned(int n) {
  unsigned h = 9;
  for (int i = 1; i < n; ++i) {
    _Alignas(64) char big[64];
    double v[i];
    char* odd = alloca((size_t)i);
    for (int k = 0; k < i; ++k) v[k] = k * 0.5, odd[k] = (char)k;
    memset(big, i, sizeof big);
    h = mix(mix(mix(h, v, sizeof v), odd, (size_t)i), big, sizeof big) + (unsigned)((size_t)big % 64);
  }
  return h;
}

static unsigned recursive(int depth) {
  int local[depth + 1];
  for (int i = 0; i <= depth; ++i) local[i] = i ^ depth;
  unsigned below = depth ? recursive(depth - 1) : 0;
  return mix(below, local, sizeof local);
}

int main(void) {
  printf("%u %u\n", inLoop(10), inLoop(40));
  printf("%u %u\n", chain(100), aligned(20));
  printf("%u\n", recursive(50));
  for (int round = 0; round < 20000; ++round) {
    char scratch[round % 4096 + 1];
    scratch[round % 4096] = (char)round;
    if (scratch[round % 4096] != (char)round) return 1;
  }
  puts("done");
  return 0;
}
