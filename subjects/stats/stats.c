/* stats: small statistics and matrices.
 *
 *   stats describe   numbers from standard input: count, mean, median, quartiles, deviation, mode, histogram
 *   stats fit        pairs x y: the line of least squares and its r
 *   stats det        a matrix (first its size): determinant
 *   stats solve      a matrix and a right side in its last column: the solution
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIZE = 8, BINS = 5 };

typedef struct {
  double* values;
  size_t count, room;
} series;

typedef struct {
  double cell[MAX_SIZE][MAX_SIZE + 1];
  int rows, columns;
} matrix;

static void append(series* s, double value) {
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 8;
    s->values = realloc(s->values, s->room * sizeof *s->values);
    if (!s->values) abort();
  }
  s->values[s->count++] = value;
}

static series read_series(FILE* in) {
  series s = {NULL, 0, 0};
  double value;
  while (fscanf(in, "%lf", &value) == 1) append(&s, value);
  return s;
}

static int by_value(const void* a, const void* b) {
  double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double sum(const series* s) {
  double total = 0, lost = 0; /* what rounding took away is added again */
  for (size_t i = 0; i < s->count; i++) {
    double term = s->values[i] - lost;
    double next = total + term;
    lost = (next - total) - term;
    total = next;
  }
  return total;
}

/* The value below which a share of the sorted values lies, between neighbours by proportion. */
static double quantile(const series* s, double share) {
  double at = share * (double)(s->count - 1);
  size_t below = (size_t)at;
  if (below + 1 >= s->count) return s->values[s->count - 1];
  double part = at - (double)below;
  return s->values[below] * (1 - part) + s->values[below + 1] * part;
}

static double deviation(const series* s, double mean) {
  double total = 0;
  for (size_t i = 0; i < s->count; i++) {
    double off = s->values[i] - mean;
    total += off * off;
  }
  return s->count > 1 ? sqrt(total / (double)(s->count - 1)) : 0;
}

/* The value that occurs most often, of the sorted ones; the smallest such. */
static double mode(const series* s, size_t* times) {
  double best = s->values[0];
  size_t run = 0;
  *times = 0;
  for (size_t i = 0; i < s->count; i++) {
    run = i > 0 && s->values[i] == s->values[i - 1] ? run + 1 : 1;
    if (run > *times) {
      *times = run;
      best = s->values[i];
    }
  }
  return best;
}

static void histogram(const series* s) {
  int bins[BINS] = {0};
  double low = s->values[0], high = s->values[s->count - 1];
  double width = (high - low) / BINS;
  for (size_t i = 0; i < s->count; i++) {
    int bin = width > 0 ? (int)((s->values[i] - low) / width) : 0;
    if (bin >= BINS) bin = BINS - 1;
    bins[bin]++;
  }
  for (int b = 0; b < BINS; b++) {
    printf("%8.2f ", low + width * b);
    for (int i = 0; i < bins[b]; i++) putchar('#');
    putchar('\n');
  }
}

static int describe(void) {
  series s = read_series(stdin);
  if (s.count == 0) {
    printf("no numbers\n");
    return 1;
  }
  double mean = sum(&s) / (double)s.count;
  qsort(s.values, s.count, sizeof *s.values, by_value);
  size_t times;
  double most = mode(&s, &times);
  printf("count %zu\nmean %.4f\nmedian %.4f\n", s.count, mean, quantile(&s, 0.5));
  printf("quartiles %.4f %.4f\n", quantile(&s, 0.25), quantile(&s, 0.75));
  printf("deviation %.4f\nmode %.4f (%zu times)\n", deviation(&s, mean), most, times);
  histogram(&s);
  free(s.values);
  return 0;
}

static int fit(void) {
  series s = read_series(stdin);
  size_t n = s.count / 2;
  if (n < 2) {
    printf("too few pairs\n");
    free(s.values);
    return 1;
  }
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  for (size_t i = 0; i < n; i++) {
    double a = s.values[2 * i], b = s.values[2 * i + 1];
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
    yy += b * b;
  }
  double over = (double)n * xx - x * x;
  double slope = ((double)n * xy - x * y) / over;
  double start = (y - slope * x) / (double)n;
  double r = ((double)n * xy - x * y) / sqrt(over * ((double)n * yy - y * y));
  printf("y = %.4f x + %.4f, r = %.4f\n", slope, start, r);
  free(s.values);
  return 0;
}

static int read_matrix(matrix* m, int extra) {
  if (scanf("%d", &m->rows) != 1 || m->rows < 1 || m->rows > MAX_SIZE) return 0;
  m->columns = m->rows + extra;
  for (int r = 0; r < m->rows; r++)
    for (int c = 0; c < m->columns; c++)
      if (scanf("%lf", &m->cell[r][c]) != 1) return 0;
  return 1;
}

static void swap_rows(matrix* m, int a, int b) {
  for (int c = 0; c < m->columns; c++) {
    double kept = m->cell[a][c];
    m->cell[a][c] = m->cell[b][c];
    m->cell[b][c] = kept;
  }
}

static int pivot_row(const matrix* m, int column) {
  int best = column;
  for (int r = column + 1; r < m->rows; r++)
    if (fabs(m->cell[r][column]) > fabs(m->cell[best][column])) best = r;
  return best;
}

/* Makes it triangular; the sign that exchanging rows gave the determinant, 0 if it is singular. */
static int eliminate(matrix* m) {
  int sign = 1;
  for (int k = 0; k < m->rows; k++) {
    int pivot = pivot_row(m, k);
    if (fabs(m->cell[pivot][k]) < 1e-12) return 0;
    if (pivot != k) {
      swap_rows(m, pivot, k);
      sign = -sign;
    }
    for (int r = k + 1; r < m->rows; r++) {
      double factor = m->cell[r][k] / m->cell[k][k];
      for (int c = k; c < m->columns; c++) m->cell[r][c] -= factor * m->cell[k][c];
    }
  }
  return sign;
}

static int determinant(void) {
  matrix m;
  if (!read_matrix(&m, 0)) {
    printf("no matrix\n");
    return 1;
  }
  double result = eliminate(&m);
  for (int i = 0; i < m.rows; i++) result *= m.cell[i][i];
  printf("%.4f\n", result);
  return 0;
}

static int solve(void) {
  matrix m;
  double x[MAX_SIZE];
  if (!read_matrix(&m, 1)) {
    printf("no matrix\n");
    return 1;
  }
  if (eliminate(&m) == 0) {
    printf("singular\n");
    return 1;
  }
  for (int r = m.rows - 1; r >= 0; r--) {
    double value = m.cell[r][m.columns - 1];
    for (int c = r + 1; c < m.rows; c++) value -= m.cell[r][c] * x[c];
    x[r] = value / m.cell[r][r];
  }
  for (int r = 0; r < m.rows; r++) printf("x%d = %.4f\n", r + 1, x[r]);
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "describe";
  if (strcmp(what, "describe") == 0) return describe();
  if (strcmp(what, "fit") == 0) return fit();
  if (strcmp(what, "det") == 0) return determinant();
  if (strcmp(what, "solve") == 0) return solve();
  fputs("usage: stats describe|fit|det|solve\n", stderr);
  return 2;
}
