// Atomic operations of 1 to 16 bytes: every read-modify-write, weak and strong compare-exchange loops,
// fences, flags, pointers, floating point, structures.
//
// flags: -mcx16 -latomic
// builds: O0,O2
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  int64_t a, b;
} Pair;
typedef struct {
  char c[3];
} Odd;

static _Atomic uint8_t u8 = 200;
static _Atomic int16_t i16 = -300;
static _Atomic uint32_t u32 = 7;
static _Atomic int64_t i64 = 1ll << 40;
static _Atomic __int128 i128 = 5;
static _Atomic double d = 1.5;
static _Atomic float f = 0.25f;
static _Atomic Pair pair;
static _Atomic Odd odd;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static uint32_t plain32 = 0x1234;
static int64_t plain64 = 30;
static int cells[10];
static _Atomic(int*) pointer = cells;

int main(void) {
  unsigned long trail = 0;
  for (int i = 1; i < 50; ++i) {
    trail = trail * 31 + atomic_fetch_add(&u8, (uint8_t)i);
    trail = trail * 31 + (unsigned long)atomic_fetch_sub(&i16, (int16_t)(i * 7));
    trail = trail * 31 + atomic_fetch_xor_explicit(&u32, (uint32_t)i << (i % 20), memory_order_relaxed);
    trail = trail * 31 + atomic_fetch_or(&u32, 0x10), trail += atomic_fetch_and(&u32, ~3u);
    trail = trail * 31 + (unsigned long)atomic_exchange(&i64, (int64_t)trail ^ i);
    trail += (unsigned long)__atomic_fetch_nand(&plain32, 0xff - i, __ATOMIC_SEQ_CST);
    trail += (unsigned long)__atomic_fetch_min(&plain64, (int64_t)1000 * i, __ATOMIC_SEQ_CST);
    trail += (unsigned long)__atomic_max_fetch(&plain64, (int64_t)500 * i, __ATOMIC_ACQ_REL);
    i128 = i128 * 3 + i;
    d += i * 0.5, f *= 1.125f;
    *atomic_fetch_add(&pointer, i % 2 ? 1 : 0) += i;
    if (i % 9 == 0) atomic_store(&pointer, cells);
    atomic_thread_fence(memory_order_seq_cst);
  }
  printf("%lu %u %d %u %ld %u\n", trail, u8, i16, u32, (long)i64, plain32);
  printf("%lx %lx %g %g\n", (unsigned long)(i128 >> 64), (unsigned long)i128, d, (double)f);
  for (int i = 0; i < 10; ++i) printf("%d ", cells[i]);
  uint32_t expected = 1;
  int first = atomic_compare_exchange_strong(&u32, &expected, 9), rounds = 0;
  while (!atomic_compare_exchange_weak(&u32, &expected, expected * 2 + 1)) ++rounds;
  printf("%d %u %u %d\n", first, expected, u32, rounds < 100);
  Pair begin = {1, 2}, wanted = {10, 20};
  atomic_init(&pair, begin);
  Pair old = atomic_load(&pair);
  int swapped = atomic_compare_exchange_strong(&pair, &old, wanted);
  old = (Pair){3, 3};
  int missed = atomic_compare_exchange_strong(&pair, &old, wanted);
  Pair now = atomic_load(&pair);
  printf("%d %d %ld %ld\n", swapped, missed, (long)old.a, (long)now.b);
  Odd before = {{1, 2, 3}};
  atomic_store(&odd, before);
  Odd next = {{4, 5, 6}}, was = atomic_exchange(&odd, next);
  Odd after = atomic_load(&odd);
  int set = atomic_flag_test_and_set(&flag);
  printf("%d %d %d %d\n", was.c[2], after.c[0], set, atomic_flag_test_and_set(&flag));
  atomic_flag_clear(&flag);
  printf("%d ", __sync_fetch_and_add(&cells[0], 5));
  printf("%d ", __sync_bool_compare_and_swap(&cells[1], -1, 4));
  printf("%d\n", __sync_val_compare_and_swap(&cells[0], cells[0], 77));
  return 0;
}
