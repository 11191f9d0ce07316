struct record {
  char name[16];
  double value;
};
extern int shared;
int oneStep(int v, int (*f)(int));
int twoStep(int v);
struct record makeRecord(int n, double v);
long assemblyAdd(long a, long b);
long assemblyCall(int (*f)(int), long v);
static inline int inlined(int v) { return v * shared + 1; }
