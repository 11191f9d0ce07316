// A handler for SIGSEGV that reports and aborts, as crash reporters do; SIGABRT goes back to its default
// first. What failed is the access.
//
// ends: signal SIGABRT
// kind: crash
// builds: O0,O2
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ignore(int signal) { (void)signal; }

static void onSegv(int number, siginfo_t* info, void* context) {
  (void)context;
  char text[60];
  snprintf(text, sizeof text, "crashed: %d at %ld\n", number == SIGSEGV, (long)info->si_addr);
  if (write(1, text, strlen(text)) < 0) _exit(9);
  signal(SIGABRT, SIG_DFL);
  abort();
}

int main(void) {
  signal(SIGABRT, ignore);
  struct sigaction action = {.sa_sigaction = onSegv, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, 0);
  puts("before");
  fflush(stdout);
  int* volatile p = (int*)24;
  return *p; // <- fails in main
}
