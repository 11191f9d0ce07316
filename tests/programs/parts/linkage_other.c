int common[4];
int weakVariable = 6;
int callsBack(int v);

__attribute__((visibility("hidden"))) int hidden(int v) { return callsBack(v) * 2; }

int overridden(int v) { return v + 100; }

int otherFile(int v) {
  common[2] = v;
  return hidden(v) + common[1];
}
