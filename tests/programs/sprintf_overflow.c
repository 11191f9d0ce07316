// sprintf writes beyond a field of a structure on the heap and changes the pointer behind it.
//
// args: a-very-long-name-that-covers-the-pointer
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>

struct user {
  char name[16];
  int* score;
  char rest[64];
};

static void show(struct user* u) {
  printf("%.4s %d\n", u->name, *u->score); // <- fails in show
  fflush(stdout);
}

int main(int argc, char** argv) {
  int score = 7;
  struct user* u = calloc(1, sizeof *u);
  u->score = &score;
  sprintf(u->name, "%s", "short");
  show(u);
  sprintf((char*)(void*)u, "<%s>", argc > 1 ? argv[1] : "");
  show(u);
  return 0;
}
