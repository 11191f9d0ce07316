// Loops, recursion, nested breaks, and structures copied whole: by assignment, in arrays, through pointers.
//
// args: 7 3
// builds: O0,O2,nopie
#include <stdio.h>
#include <stdlib.h>

struct point {
  int x, y;
};
struct shape {
  struct point corner[4];
  char name[12];
  double weight;
};

static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

static void permute(int* v, int n, int k, unsigned* sum) {
  if (k == n) {
    unsigned h = 0;
    for (int i = 0; i < n; ++i) h = h * 31 + (unsigned)v[i];
    *sum ^= h;
    return;
  }
  for (int i = k; i < n; ++i) {
    int t = v[k];
    v[k] = v[i], v[i] = t;
    permute(v, n, k + 1, sum);
    t = v[k], v[k] = v[i], v[i] = t;
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 5, m = argc > 2 ? atoi(argv[2]) : 2;
  struct shape shapes[8] = {{{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, "first", 1.5}};
  for (int i = 1; i < 8; ++i) {
    shapes[i] = shapes[i - 1];
    struct shape* s = &shapes[i];
    s->corner[i % 4] = (struct point){s->corner[(i + 1) % 4].y, i * i};
    s->name[i % 5] = (char)('A' + i);
    s->weight = s->weight * 1.25 - i;
  }
  for (int i = 7; i >= 0; i -= 3) {
    struct shape s = shapes[i];
    printf("%s %g", s.name, s.weight);
    for (int k = 0; k < 4; ++k) printf(" %d,%d", s.corner[k].x, s.corner[k].y);
    putchar('\n');
  }
  int found = -1, steps = 0;
  for (int i = 2; found < 0; ++i) {
    int j = 2;
    do {
      ++steps;
      if (j * j > i * 50) {
        found = i;
        break;
      }
      if ((i * 50 + n) % j == 0) goto next;
    } while (++j);
  next:;
  }
  int v[7];
  for (int i = 0; i < 7; ++i) v[i] = i * i + m;
  unsigned sum = 0;
  permute(v, n, 0, &sum);
  printf("%d %d %u %d\n", found, steps, sum, ackermann(2, m));
  return 0;
}
