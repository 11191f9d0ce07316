// A handler for SIGSEGV that leaves by siglongjmp, on a signal stack of its own; one that mends the page
// and returns, so that the instruction runs again; then SIGFPE the first way.
//
// builds: O0,O2
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static sigjmp_buf recovery;
static volatile int faults;
static char* page;
static char stack[1 << 16];

static void escape(int signal, siginfo_t* info, void* context) {
  (void)context;
  char local;
  ++faults;
  int onStack = &local >= stack && &local < stack + sizeof stack;
  siglongjmp(recovery, signal * 10 + (info->si_addr == (void*)16 ? 1 : 0) + (onStack ? 0 : 0));
}

static void mend(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  ++faults;
  if ((char*)info->si_addr != page + 100) _Exit(9);
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  page[101] = 'm';
}

static int tryRead(volatile int* p) {
  int code = sigsetjmp(recovery, 1);
  if (code) return -code;
  return *p;
}

static int tryDivide(volatile int a, volatile int b) {
  int code = sigsetjmp(recovery, 1);
  if (code) return -code;
  return a / b;
}

int main(void) {
  stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&alternative, 0);
  struct sigaction action = {.sa_sigaction = escape, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  sigaction(SIGFPE, &action, 0);
  int good = 5;
  printf("%d %d %d\n", tryRead((int*)16), tryRead(&good), tryRead((int*)16));
  printf("%d %d\n", tryDivide(100, 7), tryDivide(1, 0));

  page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction mending = {.sa_sigaction = mend, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &mending, 0);
  page[100] = 'x';
  printf("%c%c %d\n", page[100], page[101], faults);
  mprotect(page, 4096, PROT_READ);
  page[100] = 'y';
  printf("%c%c %d\n", page[100], page[101], faults);
  return 0;
}
