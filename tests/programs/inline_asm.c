// Inline assembly: results in registers, memory read and written, flags, several results, cpuid and rdtsc,
// a loop in assembly, asm goto.
//
// builds: O0,O2,nopie
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned add(unsigned a, unsigned b) {
  __asm__("addl %1, %0" : "+r"(a) : "r"(b) : "cc");
  return a;
}
static unsigned divide(unsigned long n, unsigned by, unsigned* rest) {
  unsigned quotient;
  __asm__("divl %4"
          : "=a"(quotient), "=d"(*rest)
          : "0"((unsigned)n), "1"((unsigned)(n >> 32)), "rm"(by)
          : "cc");
  return quotient;
}
static void increment(int* cell) { __asm__ volatile("lock; incl %0" : "+m"(*cell) : : "memory", "cc"); }
static void fill(char* to, char with, size_t n) {
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(with) : "memory");
}
static unsigned long length(const char* text) {
  unsigned long n = 0;
  __asm__ volatile("1: cmpb $0, (%1,%0)\n\tje 2f\n\tincq %0\n\tjmp 1b\n2:"
                   : "+r"(n)
                   : "r"(text)
                   : "memory", "cc");
  return n;
}
static int isCarry(unsigned char a, unsigned char b) {
  int carry;
  __asm__("addb %2, %1" : "=@ccc"(carry), "+q"(a) : "q"(b));
  return carry;
}
static int isZero(int v) {
  __asm__ goto("testl %0, %0\n\tje %l1" : : "r"(v) : "cc" : zero);
  return 0;
zero:
  return 1;
}
static void swapMemory(long* a, long* b) {
  __asm__("movq %0, %%rax\n\txchgq %%rax, %1\n\tmovq %%rax, %0" : "+m"(*a), "+m"(*b) : : "rax");
}

int main(void) {
  unsigned rest = 0, eax = 0, ebx, ecx = 0, edx;
  printf("%u %u", add(40, 2), divide(0x500000003ul, 7, &rest));
  printf(" %u\n", rest);
  int cell = 5;
  for (int i = 0; i < 10; ++i) increment(&cell);
  char text[20];
  fill(text, '=', 19);
  text[19] = 0;
  printf("%d %s %lu\n", cell, text, length("seventeen letters"));
  printf("%d %d %d %d\n", isCarry(200, 100), isCarry(1, 2), isZero(0), isZero(3));
  long a = 11, b = 22;
  swapMemory(&a, &b);
  printf("%ld %ld\n", a, b);
  __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
  char vendor[13] = {0};
  memcpy(vendor, &ebx, 4), memcpy(vendor + 4, &edx, 4), memcpy(vendor + 8, &ecx, 4);
  uint32_t low, high, later, laterHigh;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  __asm__ volatile("rdtsc" : "=a"(later), "=d"(laterHigh));
  uint64_t first = (uint64_t)high << 32 | low, second = (uint64_t)laterHigh << 32 | later;
  printf("%zu %d %d\n", strlen(vendor), eax > 0, second >= first);
  return 0;
}
