// The fault is within a library call, and a handler ends the program: the call failed.
//
// ends: exit 3
// kind: crash
// message: argument 1, to is NULL
// builds: O0
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void onSegv(int signal) {
  (void)signal;
  _exit(3);
}

static void copy(char* to, const char* from) {
  strcpy(to, from); // <- fails in copy
}

int main(void) {
  signal(SIGSEGV, onSegv);
  char room[20];
  copy(room, "fine");
  puts(room);
  fflush(stdout);
  copy(0, room);
  return 0;
}
