// Structures of every class of the calling convention, passed and returned: in integer registers, in vector
// registers, mixed, in memory by value, through a hidden pointer, and when the registers have run out.
//
// builds: O0,O2,nopie
#include <stdio.h>
#include <string.h>

typedef struct {
  char a;
} One;
typedef struct {
  char a[3];
} Three;
typedef struct {
  int a;
  float b;
} IntFloat;
typedef struct {
  float x, y;
} TwoFloats;
typedef struct {
  float x, y, z;
} ThreeFloats;
typedef struct {
  double x, y;
} TwoDoubles;
typedef struct {
  long a;
  double b;
} Mixed;
typedef struct {
  double b;
  long a;
} MixedBack;
typedef struct {
  short a;
  char b;
  int c;
  long d;
} Packed16;
typedef struct {
  long a, b, c;
} Big;
typedef struct {
  char text[40];
  int n;
} Text;
typedef struct {
  long double v;
} Wide;
typedef struct {
} Empty;
typedef union {
  double d;
  long l;
  char c[8];
} Either;

static One one(One v) {
  v.a++;
  return v;
}
static Three three(Three v) {
  v.a[0] ^= v.a[2];
  v.a[1] += 3;
  return v;
}
static IntFloat intFloat(IntFloat v) { return (IntFloat){(int)v.b * 2, (float)v.a / 4}; }
static TwoFloats twoFloats(TwoFloats v) { return (TwoFloats){v.y, v.x + 1}; }
static ThreeFloats threeFloats(ThreeFloats v) { return (ThreeFloats){v.z, v.x, v.y}; }
static TwoDoubles twoDoubles(TwoDoubles v) { return (TwoDoubles){v.y * v.x, v.x - v.y}; }
static Mixed mixed(Mixed v) { return (Mixed){v.a + (long)v.b, v.b * 0.5}; }
static MixedBack mixedBack(MixedBack v) { return (MixedBack){v.b + (double)v.a, -v.a}; }
static Packed16 packed16(Packed16 v) {
  v.d += v.a * v.b * v.c;
  return v;
}
static Big big(Big v, int scale) {
  v.a *= scale;
  v.b -= v.a;
  v.c ^= v.b;
  return v;
}
static Text text(Text v, const char* more) {
  strcat(v.text, more);
  v.n = (int)strlen(v.text);
  return v;
}
static Wide wide(Wide v) { return (Wide){v.v * 1.5L + 0.25L}; }
static Empty empty(Empty v) { return v; }
static Either either(Either v) {
  v.l++;
  return v;
}

__attribute__((noinline)) double many(Mixed a, Big b, MixedBack c, TwoDoubles d, int e, Packed16 f, Text g,
                                      Mixed h, ThreeFloats i, char j, Wide k, double l, Mixed m) {
  return (double)a.a + a.b + (double)b.c + c.b + d.y + e + (double)f.d + g.n + g.text[1] + (double)h.a + h.b +
         i.z + j + (double)k.v + l + (double)m.a + m.b;
}

int main(void) {
  Big (*volatile throughPointer)(Big, int) = big;
  One a = one((One){'x'});
  Three b = three((Three){{1, 2, 7}});
  IntFloat c = intFloat((IntFloat){10, 7.75f});
  TwoFloats d = twoFloats((TwoFloats){1.5f, 2.5f});
  ThreeFloats e = threeFloats((ThreeFloats){1, 2, 3});
  TwoDoubles f = twoDoubles((TwoDoubles){1.25, 8});
  Mixed g = mixed((Mixed){5, 9.5});
  MixedBack h = mixedBack((MixedBack){0.125, 77});
  Packed16 i = packed16((Packed16){3, 4, 5, 6});
  Big j = throughPointer(big((Big){1, 2, 3}, 10), -3);
  Text k = text((Text){"one", 0}, "+two");
  Wide l = wide((Wide){2.0L});
  Empty m = empty((Empty){});
  Either n = either((Either){.d = 1.0});
  (void)m;
  printf("%c %d,%d,%d %d,%g %g,%g %g,%g,%g\n", a.a, b.a[0], b.a[1], b.a[2], c.a, c.b, d.x, d.y, e.x, e.y,
         e.z);
  printf("%g,%g %ld,%g %g,%ld %ld %ld,%ld,%ld\n", f.x, f.y, g.a, g.b, h.b, h.a, i.d, j.a, j.b, j.c);
  printf("%s,%d %Lg %.17g\n", k.text, k.n, l.v, n.d);
  printf("%.10g\n", many(g, j, h, f, 42, i, k, mixed(g), e, 'j', l, 0.5, mixed(mixed(g))));
  return 0;
}
