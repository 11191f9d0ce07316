#include "replay/fp_ops.h"

#include <cmath>

namespace faultline::replay {

using fir::Intrinsic;
using fir::TypeKind;

namespace {

// What the compiler makes of minnum and maxnum: MINSD(b, a), and b where a is a NaN. The second operand of
// MINSD wins among equals and when b is a NaN.
template <class T> T minimum(T a, T b) { return std::isnan(a) ? b : b < a ? b : a; }
template <class T> T maximum(T a, T b) { return std::isnan(a) ? b : b > a ? b : a; }

float squareRoot(float a) {
  asm("sqrtss %0, %0" : "+x"(a));
  return a;
}
double squareRoot(double a) {
  asm("sqrtsd %0, %0" : "+x"(a));
  return a;
}
long double squareRoot(long double a) { return sqrtl(a); }

template <class T> T compute(Intrinsic which, T a, T b, T c) {
  switch (which) {
  case Intrinsic::Sqrt:
    return squareRoot(a);
  case Intrinsic::Floor:
    return std::floor(a);
  case Intrinsic::Ceil:
    return std::ceil(a);
  case Intrinsic::FTrunc:
    return std::trunc(a);
  case Intrinsic::Rint:
    return std::rint(a);
  case Intrinsic::NearbyInt:
    return std::nearbyint(a);
  case Intrinsic::Round:
    return std::round(a);
  case Intrinsic::RoundEven:
    return std::nearbyint(a); // the rounding mode is to nearest, ties to even
  case Intrinsic::Fma:
    return std::fma(a, b, c);
  case Intrinsic::MinNum:
    if constexpr (sizeof(T) > 8) return fminl(a, b);
    return minimum(a, b);
  case Intrinsic::MaxNum:
    if constexpr (sizeof(T) > 8) return fmaxl(a, b);
    return maximum(a, b);
  default:
    return a;
  }
}

template <class T> T pick(U128 bits) {
  T value{};
  std::memcpy(&value, &bits, sizeof(T) > 8 ? 10 : sizeof(T));
  return value;
}
template <class T> U128 pack(T value) {
  U128 bits = 0;
  std::memcpy(&bits, &value, sizeof(T) > 8 ? 10 : sizeof(T));
  return bits;
}

struct Layout {
  unsigned mantissa, exponent;
};
Layout layoutOf(TypeKind kind) {
  switch (kind) {
  case TypeKind::Half:
    return {10, 5};
  case TypeKind::Float:
    return {23, 8};
  case TypeKind::X87:
    return {64, 15}; // the integer bit is part of the mantissa
  case TypeKind::Quad:
    return {112, 15};
  default:
    return {52, 11};
  }
}

} // namespace

bool isFpIntrinsic(Intrinsic which) { return which >= Intrinsic::FAbs && which <= Intrinsic::Fma; }

U128 computeFpIntrinsic(Intrinsic which, TypeKind kind, U128 a, U128 b, U128 c) {
  U128 sign = U128(1) << (fpBits(kind) - 1);
  if (which == Intrinsic::FAbs) return a & ~sign & maskBits(fpBits(kind));
  if (which == Intrinsic::CopySign) return (a & ~sign) | (b & sign);
  switch (kind) {
  case TypeKind::Half: {
    // No half-precision unit: the compiler computes in float.
    auto wide = [](U128 x) { return pick<float>(convertFp(TypeKind::Half, TypeKind::Float, x)); };
    return convertFp(TypeKind::Float, TypeKind::Half, pack(compute<float>(which, wide(a), wide(b), wide(c))));
  }
  case TypeKind::Float:
    return pack(compute<float>(which, pick<float>(a), pick<float>(b), pick<float>(c)));
  case TypeKind::Double:
    return pack(compute<double>(which, pick<double>(a), pick<double>(b), pick<double>(c)));
  case TypeKind::X87:
    return pack(
        compute<long double>(which, pick<long double>(a), pick<long double>(b), pick<long double>(c)));
  default: { // by way of long double: right for all but the last bits of a 128-bit root
    auto narrow = [](U128 x) { return pick<long double>(convertFp(TypeKind::Quad, TypeKind::X87, x)); };
    U128 r = pack(compute<long double>(which, narrow(a), narrow(b), narrow(c)));
    return convertFp(TypeKind::X87, TypeKind::Quad, r);
  }
  }
}

// Mask bits: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -subnormal, 5 -0, 6 +0, 7 +subnormal,
// 8 +normal, 9 +inf.
bool isFpClass(TypeKind kind, U128 a, uint32_t mask) {
  Layout l = layoutOf(kind);
  U128 mantissa = a & maskBits(l.mantissa), exponent = (a >> l.mantissa) & maskBits(l.exponent);
  bool negative = (a >> (fpBits(kind) - 1)) & 1;
  U128 fraction = kind == TypeKind::X87 ? mantissa & maskBits(63) : mantissa;
  unsigned quietBit = kind == TypeKind::X87 ? 62 : l.mantissa - 1;
  unsigned bit;
  if (exponent == maskBits(l.exponent))
    bit = fraction ? ((fraction >> quietBit) & 1 ? 1 : 0) : negative ? 2 : 9;
  else if (exponent)
    bit = negative ? 3 : 8;
  else if (mantissa)
    bit = negative ? 4 : 7;
  else
    bit = negative ? 5 : 6;
  return (mask >> bit) & 1;
}

} // namespace faultline::replay
