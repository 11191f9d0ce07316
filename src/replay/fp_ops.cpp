#include "replay/fp_ops.h"

#include <cmath>
#include <emmintrin.h>

namespace faultline::replay {

using fir::Intrinsic;
using fir::Op;
using fir::TypeKind;

using Half = _Float16;
using Quad = __float128;

namespace {

template <class T> T fromBits(U128 bits) {
  if constexpr (sizeof(T) == 2) {
    uint16_t low = uint16_t(bits);
    return __builtin_bit_cast(Half, low);
  } else {
    T value{};
    std::memcpy(&value, &bits, sizeof(T) > 8 ? (std::is_same_v<T, long double> ? 10 : 16) : sizeof(T));
    return value;
  }
}
template <class T> U128 toBits(T value) {
  U128 bits = 0;
  std::memcpy(&bits, &value, std::is_same_v<T, long double> ? 10 : sizeof(T));
  return bits;
}

// Calls f with a value of the C++ type that stands for `kind`.
template <class F> auto withType(TypeKind kind, F&& f) {
  switch (kind) {
  case TypeKind::Half:
    return f(Half{});
  case TypeKind::Float:
    return f(float{});
  case TypeKind::X87:
    return f((long double)0);
  case TypeKind::Quad:
    return f(Quad{});
  default:
    return f(double{});
  }
}

template <class T> T remainder(T a, T b) {
  if constexpr (std::is_same_v<T, float>)
    return fmodf(a, b);
  else if constexpr (std::is_same_v<T, double>)
    return fmod(a, b);
  else if constexpr (std::is_same_v<T, Half>)
    return Half(fmodf(float(a), float(b)));
  else
    return T(fmodl((long double)a, (long double)b));
}

template <class T> T compute(Op op, T a, T b) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    switch (op) {
    case Op::FAdd:
      return sseAdd(a, b);
    case Op::FSub:
      return sseSub(a, b);
    case Op::FMul:
      return sseMul(a, b);
    case Op::FDiv:
      return sseDiv(a, b);
    default:
      return remainder(a, b);
    }
  } else if constexpr (std::is_same_v<T, Half>) {
    return op == Op::FRem ? remainder(a, b) : Half(compute<float>(op, float(a), float(b)));
  } else {
    switch (op) {
    case Op::FAdd:
      return a + b;
    case Op::FSub:
      return a - b;
    case Op::FMul:
      return a * b;
    case Op::FDiv:
      return a / b;
    default:
      return remainder(a, b);
    }
  }
}

U128 signBit(TypeKind kind) { return U128(1) << (fpBits(kind) - 1); }

// cvttss2si and cvttsd2si: out of range gives the "integer indefinite".
int32_t truncate32(float a) { return _mm_cvttss_si32(_mm_set_ss(a)); }
int32_t truncate32(double a) { return _mm_cvttsd_si32(_mm_set_sd(a)); }
int64_t truncate64(float a) { return _mm_cvttss_si64(_mm_set_ss(a)); }
int64_t truncate64(double a) { return _mm_cvttsd_si64(_mm_set_sd(a)); }
int64_t truncate64(long double a) { return a >= -0x1p63L && a < 0x1p63L ? int64_t(a) : INT64_MIN; }
int32_t truncate32(long double a) { return a > -0x1p31L - 1 && a < 0x1p31L ? int32_t(a) : INT32_MIN; }

// As compiled code without AVX-512 does it: two signed conversions, the second one used when the first is
// out of range.
template <class T> uint64_t truncateUnsigned64(T a) {
  int64_t low = truncate64(a);
  int64_t high;
  if constexpr (sizeof(T) <= 8)
    high = truncate64(compute<T>(Op::FSub, a, T(0x1p63)));
  else
    high = truncate64(a - T(0x1p63L));
  return uint64_t(low) | (uint64_t(high) & uint64_t(low >> 63));
}
uint64_t truncateUnsigned64(long double a) {
  // Code for x87 subtracts 2^63 first if the value is not below it, and flips the top bit back.
  if (a >= 0x1p63L) return uint64_t(truncate64(a - 0x1p63L)) ^ (uint64_t(1) << 63);
  return uint64_t(truncate64(a));
}

template <class T> U128 toInteger(bool isSigned, unsigned bits, T a) {
  if (bits > 64) return isSigned ? U128(I128(a)) : U128(a);
  if (bits == 64) return isSigned ? uint64_t(truncate64(a)) : truncateUnsigned64(a);
  if (bits > 32) return uint64_t(truncate64(a));
  if (bits == 32 && !isSigned) return uint32_t(truncate64(a));
  return uint32_t(truncate32(a));
}

} // namespace

bool isFp(TypeKind kind) { return kind >= TypeKind::Half && kind <= TypeKind::Quad; }
unsigned fpBits(TypeKind kind) {
  switch (kind) {
  case TypeKind::Half:
    return 16;
  case TypeKind::Float:
    return 32;
  case TypeKind::X87:
    return 80;
  case TypeKind::Quad:
    return 128;
  default:
    return 64;
  }
}

U128 computeFp(Op op, TypeKind kind, U128 a, U128 b) {
  if (op == Op::FNeg) return a ^ signBit(kind);
  return withType(kind, [&](auto t) {
    using T = decltype(t);
    return toBits<T>(compute<T>(op, fromBits<T>(a), fromBits<T>(b)));
  });
}

bool compareFp(uint8_t predicate, TypeKind kind, U128 a, U128 b) {
  return withType(kind, [&](auto t) {
    using T = decltype(t);
    return compareFp<T>(predicate, fromBits<T>(a), fromBits<T>(b));
  });
}

U128 convertFp(TypeKind from, TypeKind to, U128 a) {
  return withType(from, [&](auto f) {
    using F = decltype(f);
    return withType(to, [&](auto t) {
      using T = decltype(t);
      return toBits<T>(T(fromBits<F>(a)));
    });
  });
}

U128 fpToInt(TypeKind from, bool isSigned, unsigned bits, U128 a) {
  U128 mask = maskBits(bits);
  switch (from) {
  case TypeKind::Half:
    return toInteger(isSigned, bits, float(fromBits<Half>(a))) & mask;
  case TypeKind::Float:
    return toInteger(isSigned, bits, fromBits<float>(a)) & mask;
  case TypeKind::Double:
    return toInteger(isSigned, bits, fromBits<double>(a)) & mask;
  case TypeKind::X87:
    return toInteger(isSigned, bits, fromBits<long double>(a)) & mask;
  default: {
    Quad q = fromBits<Quad>(a); // a library function in both worlds
    return (isSigned ? U128(I128(q)) : U128(q)) & mask;
  }
  }
}

U128 intToFp(TypeKind to, bool isSigned, unsigned bits, U128 a) {
  return withType(to, [&](auto t) {
    using T = decltype(t);
    if (bits > 64) return isSigned ? toBits<T>(T(signExtend(a, bits))) : toBits<T>(T(a));
    return isSigned ? toBits<T>(T(int64_t(signExtend(a, bits)))) : toBits<T>(T(uint64_t(a)));
  });
}

} // namespace faultline::replay
