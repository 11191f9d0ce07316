// Vector extensions and SSE intrinsics: arithmetic, comparison, shuffles, masks, conversions, loads and
// stores, vectors passed and returned.
//
// flags: -Wno-psabi
// builds: O0,O2
#include <emmintrin.h>
#include <stdio.h>
#include <string.h>

typedef int Int4 __attribute__((vector_size(16)));
typedef float Float4 __attribute__((vector_size(16)));
typedef unsigned char Byte16 __attribute__((vector_size(16)));
typedef short Short8 __attribute__((vector_size(16)));
typedef double Double2 __attribute__((vector_size(16)));
typedef int Int8 __attribute__((vector_size(32)));

static Float4 blend(Float4 a, Float4 b, Int4 mask) { return (Float4)(((Int4)a & mask) | ((Int4)b & ~mask)); }
static Int8 wide(Int8 v, int n) { return v * n + (v << 2); }

static long count(const char* text, char c) {
  __m128i wanted = _mm_set1_epi8(c);
  long n = 0;
  size_t size = strlen(text), i = 0;
  for (; i + 16 <= size; i += 16) {
    __m128i chunk = _mm_loadu_si128((const __m128i*)(text + i));
    n += __builtin_popcount((unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(chunk, wanted)));
  }
  for (; i < size; ++i) n += text[i] == c;
  return n;
}

int main(void) {
  Int4 a = {1, 2, 3, 4}, b = {40, 30, 20, 10};
  Int4 sum = a * b - (b >> 1), mask = a * 10 > b;
  Float4 f = {1.5f, 2.5f, 3.5f, 4.5f}, g = f * 2.0f - 1.0f, h = blend(f, g, mask);
  for (int i = 0; i < 4; ++i) printf("%d %d %g; ", sum[i], mask[i], h[i]);
  putchar('\n');
  Byte16 bytes;
  for (int i = 0; i < 16; ++i) bytes[i] = (unsigned char)(i * 17);
  bytes = __builtin_shufflevector(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0) ^ 0x5a;
  Short8 shorts =
      __builtin_convertvector(__builtin_shufflevector(bytes, bytes, 0, 2, 4, 6, 8, 10, 12, 14), Short8);
  shorts /= (Short8){1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 8; ++i) printf("%d %d ", bytes[i * 2], shorts[i]);
  putchar('\n');
  Int8 w = wide((Int8){1, 2, 3, 4, 5, 6, 7, 8}, 3);
  int total = 0;
  for (int i = 0; i < 8; ++i) total = total * 3 + w[i];
  Double2 d = {0.5, 8};
  d = d / (Double2){4, 3} + d[1];
  printf("%d %.9g %.9g\n", total, d[0], d[1]);

  printf("%ld\n", count("the quick brown fox jumps over the lazy dog, then over the other one", 'e'));
  __m128 x = _mm_set_ps(4, 3, 2, 1), y = _mm_rsqrt_ps(_mm_set1_ps(0.25f));
  float out[4];
  _mm_storeu_ps(out, _mm_sqrt_ps(_mm_mul_ps(x, x)));
  printf("%g %g %g %g %d\n", out[0], out[1], out[2], out[3], _mm_movemask_ps(_mm_cmplt_ps(y, x)));
  __m128d p = _mm_set_pd(3.25, -1.75);
  __m128i q = _mm_cvtpd_epi32(p), s = _mm_adds_epi16(_mm_set1_epi16(32000), _mm_set1_epi16(1000));
  __m128i sad = _mm_sad_epu8(_mm_set1_epi8(9), _mm_set1_epi8(4)),
          packed = _mm_packs_epi32(q, _mm_slli_epi32(q, 20));
  printf("%d %d %d %d %lld\n", _mm_cvtsi128_si32(q), _mm_extract_epi16(s, 3), _mm_extract_epi16(sad, 0),
         (short)_mm_extract_epi16(packed, 4),
         (long long)_mm_cvtsi128_si64(_mm_mul_epu32(_mm_set1_epi32(7), q)));
  printf("%d\n", _mm_comieq_sd(p, p) + 2 * _mm_ucomilt_sd(p, _mm_setzero_pd()));
  return 0;
}
