_Thread_local int shared = 1000;
_Thread_local struct pair {
  long a, b;
} pairOf[3] = {{1, 2}, {3, 4}, {5, 6}};

int* addressOfShared(void) { return &shared; }

long addUp(void) {
  long sum = 0;
  for (int i = 0; i < 3; ++i) sum = sum * 7 + pairOf[i].a - pairOf[i].b;
  return sum;
}
