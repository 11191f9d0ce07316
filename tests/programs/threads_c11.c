// C11 threads: thrd_create and its result, mtx, cnd, call_once, thread-specific storage with a destructor,
// a detached thread, and thrd_exit from deep inside.
//
// flags: -pthread
// builds: O0,O2
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static int started, stage, freed, initialised;

static void initialise(void) { initialised += 3; }
static void release(void* value) {
  mtx_lock(&mutex);
  freed += *(int*)value;
  mtx_unlock(&mutex);
  free(value);
}
static void leave(int depth, int value) {
  if (depth == 0) thrd_exit(value);
  leave(depth - 1, value * 2);
}

static int work(void* argument) {
  int me = *(int*)argument;
  call_once(&once, initialise);
  int* mine = malloc(sizeof *mine);
  *mine = me + 1;
  tss_set(slot, mine);
  mtx_lock(&mutex);
  ++started;
  cnd_broadcast(&changed);
  while (stage != me) cnd_wait(&changed, &mutex);
  ++stage;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  if (me == 2) leave(5, 1);
  return me * 10 + *(int*)tss_get(slot);
}

static int detached(void* argument) {
  mtx_lock(&mutex);
  *(int*)argument += 100;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&changed);
  tss_create(&slot, release);
  thrd_t threads[4];
  int numbers[4];
  for (int i = 0; i < 4; ++i) {
    numbers[i] = 3 - i;
    thrd_create(&threads[i], work, &numbers[i]);
  }
  for (int i = 0; i < 4; ++i) {
    int result;
    thrd_join(threads[i], &result);
    printf("%d ", result);
  }
  printf("%d %d %d %d\n", started, stage, freed, initialised);
  thrd_t loose;
  static int touched = 1;
  thrd_create(&loose, detached, &touched);
  thrd_detach(loose);
  mtx_lock(&mutex);
  while (touched < 100) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  printf("%d\n", touched);
  return 0;
}
