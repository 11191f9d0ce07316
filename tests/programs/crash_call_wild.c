// A call through a pointer that an overflow made wild; and it points to data, which must not run.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>
#include <string.h>

struct handler {
  char name[8];
  void (*run)(int);
};

static int runs;
static void work(int n) { runs += n; }

static void call(struct handler* h, int n) {
  h->run(n); // <- fails in call
}

int main(void) {
  static struct handler handlers[3] = {{"first", work}, {"second", work}, {"third", work}};
  const char* names[3] = {"a", "seven77", "overflowing into"};
  for (int i = 0; i < 3; ++i) {
    memcpy(handlers[i].name, names[i], strlen(names[i]));
    call(&handlers[i], i + 1);
    printf("%d\n", runs);
    fflush(stdout);
  }
  return 0;
}
