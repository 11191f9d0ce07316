// A handler for SIGSEGV that is left by a jump which does not bring the mask back: SIGSEGV stays blocked, and
// the next fault ends the program.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static jmp_buf out;

static void leave(int signal) { longjmp(out, signal); }

static int read(volatile int* p) {
  return *p; // <- fails in read
}

int main(void) {
  signal(SIGSEGV, leave);
  if (setjmp(out) == 0) return read(0);
  puts("caught once");
  fflush(stdout);
  return read((int*)8);
}
