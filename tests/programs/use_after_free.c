// A freed block is read and called through: glibc put its own links there.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
// memory: use-after-free
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
  struct session* next;
  char* user;
  int count;
};

static int visit(volatile struct session* s) {
  s->count++;
  return s->user[0]; // <- fails in visit
}

int main(void) {
  struct session* volatile s = malloc(sizeof *s);
  s->next = 0, s->user = "anna", s->count = 0;
  printf("%c\n", visit(s));
  fflush(stdout);
  free(s);
  char* other = malloc(sizeof *s);
  memset(other, 'x', sizeof *s);
  printf("%c\n", visit(s));
  return 0;
}
