// Thread-local variables: static, external, in another file, with initial values and pointers to
// themselves, in several threads at once.
//
// with: parts/tls_other.c
// flags: -pthread
// builds: O0,O2,nopie
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

extern _Thread_local int shared;
extern _Thread_local struct pair {
  long a, b;
} pairOf[3];
int* addressOfShared(void);
long addUp(void);

static _Thread_local int own = 5;
static _Thread_local char text[16] = "initial";
static __thread int zero;

static void* work(void* argument) {
  long n = (long)argument;
  int* p = &own;
  for (int i = 0; i < 100; ++i) {
    own += (int)n;
    *p -= i % 3;
    shared ^= own;
    pairOf[i % 3].a += n * i;
    pairOf[i % 3].b -= shared & 7;
    zero++;
  }
  text[0] = (char)('A' + n);
  static _Thread_local int counter;
  counter += zero + *addressOfShared();
  long* result = malloc(sizeof *result * 2);
  result[0] = own * 1000L + counter + (addressOfShared() == &shared);
  result[1] = addUp() + text[0] + text[1];
  return result;
}

int main(void) {
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], 0, work, (void*)(i + 1));
  long* mine = work((void*)9);
  for (int i = 0; i < 4; ++i) {
    void* result;
    pthread_join(threads[i], &result);
    printf("%ld %ld\n", ((long*)result)[0], ((long*)result)[1]);
    free(result);
  }
  printf("%ld %ld %s %d\n", mine[0], mine[1], text, zero);
  free(mine);
  return 0;
}
