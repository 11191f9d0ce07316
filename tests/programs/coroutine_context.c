// makecontext and swapcontext: two hand-made coroutines that take turns on stacks of their own.
//
// builds: O0
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static ucontext_t mainContext, contexts[2];
static int shared, done;

static void run(int me) {
  int local[4] = {me, me * 10, me * 100, 0};
  for (int i = 0; i < 5; ++i) {
    local[3] += local[i % 3] + shared;
    shared += me + 1;
    printf("%d:%d ", me, local[3]);
    swapcontext(&contexts[me], &contexts[1 - me]);
  }
  printf("%d ends with %d ", me, local[0] + local[1] + local[2] + local[3]);
  ++done;
}

static int scribble(int n) {
  int area[300];
  for (int i = 0; i < 300; ++i) area[i] = n * i;
  return area[n % 300];
}

int main(void) {
  for (int i = 0; i < 2; ++i) {
    getcontext(&contexts[i]);
    contexts[i].uc_stack.ss_size = 1 << 16;
    contexts[i].uc_stack.ss_sp = malloc(1 << 16);
    contexts[i].uc_link = &mainContext;
    makecontext(&contexts[i], (void (*)(void))run, 1, i);
  }
  swapcontext(&mainContext, &contexts[0]);
  printf("\n%d %d\n", shared, done);
  printf("%d ", scribble(100));
  swapcontext(&mainContext, &contexts[1]); // its locals must have survived
  printf("\n%d %d\n", shared, done);
  return 0;
}
