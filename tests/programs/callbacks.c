// Our functions called by code that is not ours: qsort, bsearch, qsort_r, lfind, atexit and on_exit, once,
// tsearch and twalk, a hash of keys; with callbacks that call back again.
//
// args: gamma alpha beta delta
// ends: exit 4
// builds: O0,O2
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int depth, compares;

static int byText(const void* a, const void* b) {
  ++compares;
  return strcmp(*(char* const*)a, *(char* const*)b);
}
static int byNumber(const void* a, const void* b) {
  int x = *(const int*)a, y = *(const int*)b;
  return (x > y) - (x < y);
}
static int byKey(const void* a, const void* b, void* context) {
  int key = *(int*)context, x = *(const int*)a ^ key, y = *(const int*)b ^ key;
  if (depth == 0 && x % 3 == 0) {
    int inner[5] = {x, y, key, 2, 1};
    ++depth;
    qsort(inner, 5, sizeof(int), byNumber);
    --depth;
    *(int*)context ^= 0;
    compares += inner[2];
  }
  return x - y;
}
static void visit(const void* node, VISIT order, int level) {
  if (order == postorder || order == leaf) printf("%s@%d ", *(char* const*)node, level);
}
static int treeOrder(const void* a, const void* b) { return strcmp(a, b); }

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int prepared;
static void prepare(void) { prepared += 5; }

static void last(void) { printf("last %d\n", compares); }
static void first(int status, void* argument) {
  printf("first %d %s\n", status, (char*)argument);
  atexit(last);
}

int main(int argc, char** argv) {
  qsort(argv + 1, (size_t)argc - 1, sizeof *argv, byText);
  for (int i = 1; i < argc; ++i) printf("%s ", argv[i]);
  char* wanted = "beta";
  char** found = bsearch(&wanted, argv + 1, (size_t)argc - 1, sizeof *argv, byText);
  printf("%d\n", found ? (int)(found - argv) : -1);

  int numbers[30], key = 21;
  for (int i = 0; i < 30; ++i) numbers[i] = (i * 17) % 31;
  qsort_r(numbers, 30, sizeof *numbers, byKey, &key);
  for (int i = 0; i < 30; ++i) printf("%d ", numbers[i]);
  size_t n = 30;
  int seven = 7;
  int* at = lfind(&seven, numbers, &n, sizeof *numbers, byNumber);
  printf("%d\n", (int)(at - numbers));

  void* root = 0;
  for (int i = 1; i < argc; ++i) tsearch(argv[i], &root, treeOrder);
  tsearch("epsilon", &root, treeOrder);
  tdelete("alpha", &root, treeOrder);
  twalk(root, visit);
  printf("%d\n", tfind("alpha", &root, treeOrder) == 0);

  pthread_once(&once, prepare);
  pthread_once(&once, prepare);
  printf("%d\n", prepared);
  on_exit(first, "argument");
  return argc - 1;
}
