// Forks in the way that its first argument names; see tests/cli/children_test.cpp.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int table[8];

static int readThrough(int* p) { return *p; }

static void* work(void* n) {
  for (int i = 0; i < 1000; ++i) table[i % 8] += *(int*)n;
  return 0;
}

static void runThreads(int n) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(threads + i, 0, work, &n);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}

static void waitForAll(void) {
  while (wait(0) > 0) {
  }
}

// Twice forked, with all descriptors closed, as daemons do by hand.
static int byHand(void) {
  if (fork()) return 0;
  setsid();
  if (fork()) _exit(0);
  for (int i = 3; i < 1024; ++i) close(i);
  table[1] = 5;
  usleep(100000);
  return readThrough(table[1] == 5 ? 0 : table);
}

static int byLibc(void) {
  if (daemon(1, 1) != 0) return 3;
  usleep(50000);
  return readThrough(0);
}

static int replace(void) {
  for (int i = 0; i < 3; ++i)
    if (vfork() == 0) {
      execlp(i == 1 ? "/no/such/program" : "sleep", "sleep", "0.2", (char*)0);
      _exit(127);
    }
  waitForAll();
  return system("true");
}

static int killOne(void) {
  pid_t child = fork();
  if (child == 0)
    for (;;) table[1]++;
  usleep(50000);
  kill(child, SIGKILL);
  waitForAll();
  return 0;
}

static int withThreads(void) {
  int n = 3;
  pthread_t thread;
  pthread_create(&thread, 0, work, &n);
  if (fork() == 0) {
    runThreads(2);
    if (fork() == 0) abort();
    waitForAll();
    exit(40);
  }
  pthread_join(thread, 0);
  runThreads(1);
  waitForAll();
  return 0;
}

static int many(void) {
  for (int i = 1; i <= 30; ++i) {
    if (fork() == 0) {
      table[2] = i;
      return i == 28 ? readThrough((int*)8) : 0;
    }
    if (i % 10 == 0) waitForAll();
  }
  waitForAll();
  return 0;
}

static int hang(void) {
  if (fork() == 0)
    for (;;) table[1]++;
  return 0;
}

// More than one log buffer before the fork, and after it on both sides.
static int large(void) {
  FILE* zeros = fopen("/dev/zero", "r");
  unsigned sum = 1;
  for (int i = 0; i < 400000; ++i) sum = sum * 31 + (unsigned)getc(zeros);
  int inChild = fork() == 0;
  for (int i = 0; i < (inChild ? 5000000 : 400000); ++i) sum = sum * 31 + (unsigned)getc(zeros);
  if (inChild) return sum ? 3 : 4;
  waitForAll();
  return 0;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(void);
  } ways[] = {{"by-hand", byHand},      {"by-libc", byLibc}, {"replace", replace}, {"kill", killOne},
              {"threads", withThreads}, {"many", many},      {"hang", hang},       {"large", large}};
  table[0] = argc;
  for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; ++i)
    if (argc > 1 && strcmp(argv[1], ways[i].name) == 0) return ways[i].run();
  return 9;
}
