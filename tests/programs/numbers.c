// Numbers beyond int and double: long double, _Complex, __int128, _Float16, _BitInt, _Bool, overflow
// builtins, conversions between them all, NaN, infinities, denormals, rounding, remainders.
//
// flags: -lm
// builds: O0,O2
#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static void print128(unsigned __int128 v) {
  char text[50], *p = text + 49;
  *p = 0;
  do *--p = (char)('0' + (int)(v % 10));
  while (v /= 10);
  printf("%s ", p);
}

static void show(const void* data, size_t size) {
  for (size_t i = 0; i < size; ++i) printf("%02x", ((const unsigned char*)data)[size - 1 - i]);
  putchar(' ');
}

int main(void) {
  volatile long double ld = 1.0L / 3, big = LDBL_MAX / 4;
  printf("%.20Lg %Lg %d %Lg\n", ld * ld + 1, big * 2, (int)(ld * 100), fmodl(1e18L + 7, 10));
  double complex z = 3 + 4 * I;
  float complex w = 1.5f - 2 * I;
  long double complex v = 0.5L + 0.25L * I;
  z = z * w / (1 + I) - conj(z);
  v = v * v + (long double)creal(z);
  printf("%.9g %.9g %.9g %.9Lg %.9Lg\n", creal(z), cimag(z), cabs(z), creall(v), cimagl(v));

  volatile __int128 i = (__int128)INT64_MAX * 12345 + 678;
  print128((unsigned __int128)(i * i % 1000000007));
  print128((unsigned __int128)-1);
  print128((unsigned __int128)(i >> 60) ^ (unsigned __int128)i << 50);
  printf("%d %g %ld\n", i > 0, (double)i, (long)(i / -1000000));

  volatile _Float16 h = (_Float16)0.1f, k = 2048;
  printf("%.9g %.9g %.9g %d\n", (double)(h * 3), (double)(k + (_Float16)1), (double)(_Float16)70000.0,
         (int)(k / h));
  volatile _BitInt(17) bits = 65535;
  bits += 1;
  volatile unsigned _BitInt(100) wide = 1;
  for (int n = 0; n < 99; ++n) wide = wide * 2 + (unsigned _BitInt(100))(n % 3);
  unsigned _BitInt(100) copy = wide;
  printf("%d %llu %llu\n", (int)bits, (unsigned long long)copy, (unsigned long long)(copy >> 64));

  int r;
  unsigned long ul;
  printf("%d %d ", __builtin_add_overflow(INT_MAX, 1, &r), r);
  printf("%d %lu ", __builtin_mul_overflow(1ul << 40, 1ul << 30, &ul), ul);
  printf("%d %d\n", __builtin_sub_overflow(-5, INT_MAX, &r), r);
  volatile double zero = 0, nan = zero / zero, infinity = 1 / zero, tiny = DBL_MIN;
  printf("%d %d %d %g %d\n", nan == nan, isnan(nan), nan < 1, -infinity,
         fpclassify(tiny / 1024) == FP_SUBNORMAL);
  show((void*)&tiny, 8);
  double small = tiny / 1024;
  show(&small, 8);
  volatile int odd = 16777217;
  float f = (float)odd;
  show(&f, 4);
  printf("%a %a\n", small, (double)f);
  volatile float big_f = 3e9f;
  volatile double negative = -1.9;
  printf("%u %d %lu %lld\n", (unsigned)big_f, (int)negative, (unsigned long)1.8e19, (long long)-9.2e18);
  printf("%g %g %g %g %g\n", rint(2.5), nearbyint(3.5), round(-2.5), trunc(-2.7), copysign(3, -0.0));
  printf("%d %d %d %d\n", -7 / 2, -7 % 2, (-7) >> 1, (int)((unsigned)-7 >> 28));
  _Bool flag = 256;
  flag += 1;
  printf("%d %d %d %d\n", flag, __builtin_clz(1000), __builtin_ctzl(1ul << 40),
         __builtin_popcountll(~0ull >> 3));
  printf("%x %lx\n", __builtin_bswap32(0x12345678), __builtin_bswap64(0x123456789abcdef0));
  return 0;
}
