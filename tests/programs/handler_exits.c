// A handler for SIGSEGV on a stack of its own that says something and ends the program with a status, as
// programs have it that catch stack overflows: what failed is the access, not the handler's _exit.
//
// ends: exit 2
// kind: crash
// message: node->next, where node is NULL
// builds: O0,O2
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
  int value;
  struct node* next;
};

static void die(int status) {
  if (write(1, "program error\n", 14) < 0) _exit(9);
  _exit(status);
}

static void onSegv(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  die(info->si_addr == (void*)8 ? 2 : 3);
}

static int walk(struct node* node, int steps) {
  int sum = 0;
  for (int i = 0; i < steps; ++i) {
    node = node->next; // <- fails in walk
    sum += i;
  }
  return sum + (node != 0);
}

int main(void) {
  stack_t alternative = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigaltstack(&alternative, 0);
  struct sigaction action = {.sa_sigaction = onSegv, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  struct node last = {2, 0}, first = {1, &last};
  printf("%d\n", walk(&first, 1));
  fflush(stdout);
  return walk(&first, 5);
}
