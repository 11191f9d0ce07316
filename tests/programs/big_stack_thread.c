// A thread with a stack of 256 MiB, most of which it uses, in large arrays and in deep recursion.
//
// flags: -pthread
// builds: O0
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static unsigned long descend(int depth) {
  unsigned char room[1 << 20];
  memset(room, depth, 4096);
  memset(room + sizeof room - 4096, depth, 4096);
  unsigned long below = depth ? descend(depth - 1) : 0;
  return below * 3 + room[10] + room[sizeof room - 10];
}

static void* work(void* argument) { return (void*)descend((int)(long)argument); }

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256ul << 20);
  pthread_t thread;
  void* result;
  if (pthread_create(&thread, &attributes, work, (void*)200) != 0) return 1;
  pthread_join(thread, &result);
  printf("%lu\n", (unsigned long)result);
  return 0;
}
