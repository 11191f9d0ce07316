// Unaligned loads and stores of every size, which x86 allows, and atomic ones, which it allows too; then an
// aligned vector store to an unaligned address, which it does not.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned char bytes[128];

__attribute__((noinline)) static void storeVector(void* to, __m128i v) {
  _mm_store_si128(to, v); // <- fails in storeVector
}

int main(void) {
  for (int i = 0; i < 20; ++i) {
    *(volatile uint16_t*)(bytes + i * 3 + 1) += (uint16_t)(i * 259);
    *(volatile uint32_t*)(bytes + i * 2 + 3) ^= 0x01020304u * (unsigned)i;
    *(volatile uint64_t*)(bytes + i + 5) += 0x0101010101010101ul;
    *(volatile double*)(bytes + 91) += 0.5 * i;
  }
  unsigned h = 1;
  for (int i = 0; i < 128; ++i) h = h * 31 + bytes[i];
  printf("%u %g\n", h, *(volatile double*)(bytes + 91));
  fflush(stdout);
  _Alignas(16) static unsigned char room[64];
  storeVector(room + 16, _mm_set1_epi8(7));
  printf("%d\n", room[20]);
  fflush(stdout);
  unsigned char* volatile odd = room + 1;
  storeVector(odd, _mm_set1_epi8(7));
  puts("never");
  return 0;
}
