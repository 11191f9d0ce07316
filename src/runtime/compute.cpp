#include "runtime/compute.h"

#include "abi/experiment.h"

#include <string.h>

namespace fl {
namespace {

// LLVM's numbers of predicates: floats by a bit each for equal, greater, less, unordered; then integers.
constexpr uint32_t kLastFloatPredicate = 15;
enum IntegerPredicate { kEq = 32, kNe, kUgt, kUge, kUlt, kUle, kSgt, kSge, kSlt, kSle };

uint64_t masked(uint64_t value, uint32_t bits) { return bits < 64 ? value & ((1ull << bits) - 1) : value; }

int64_t signedOf(uint64_t value, uint32_t bits) {
  if (bits == 0 || bits >= 64) return int64_t(value);
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

double floatOf(uint64_t value, uint32_t bits) {
  if (bits == 32) {
    float f;
    memcpy(&f, &value, sizeof f);
    return f;
  }
  double d;
  memcpy(&d, &value, sizeof d);
  return d;
}

uint64_t bitsOf(double value, uint32_t bits) {
  uint64_t out = 0;
  if (bits == 32) {
    float f = float(value);
    memcpy(&out, &f, sizeof f);
  } else {
    memcpy(&out, &value, sizeof value);
  }
  return out;
}

bool compareFloats(double a, double b, uint32_t predicate) {
  if (a != a || b != b) return predicate & 8;
  return predicate & (a == b ? 1 : a > b ? 2 : 4);
}

bool compareIntegers(const Computation& c, uint32_t predicate) {
  uint64_t a = c.left, b = c.right;
  int64_t sa = signedOf(a, c.bits), sb = signedOf(b, c.bits);
  switch (predicate) {
  case kEq:
    return a == b;
  case kNe:
    return a != b;
  case kUgt:
    return a > b;
  case kUge:
    return a >= b;
  case kUlt:
    return a < b;
  case kUle:
    return a <= b;
  case kSgt:
    return sa > sb;
  case kSge:
    return sa >= sb;
  case kSlt:
    return sa < sb;
  default:
    return sa <= sb;
  }
}

// A division that is not defined raises SIGFPE, as it would in the program.
template <class T> T divided(T a, T b, bool wantsRest) {
  volatile T divisor = b;
  return wantsRest ? T(a % divisor) : T(a / divisor);
}

uint64_t arithmetic(const Computation& c) {
  uint64_t a = c.left, b = c.right;
  int64_t sa = signedOf(a, c.bits), sb = signedOf(b, c.bits);
  switch (c.operation) {
  case FL_OPERATION_ADD:
    return a + b;
  case FL_OPERATION_SUB:
    return a - b;
  case FL_OPERATION_MUL:
    return a * b;
  case FL_OPERATION_UDIV:
  case FL_OPERATION_UREM:
    return divided(a, b, c.operation == FL_OPERATION_UREM);
  case FL_OPERATION_SDIV:
  case FL_OPERATION_SREM:
    return uint64_t(divided(sa, sb, c.operation == FL_OPERATION_SREM));
  case FL_OPERATION_SHL:
    return b < c.bits ? a << b : 0;
  case FL_OPERATION_LSHR:
    return b < c.bits ? a >> b : 0;
  case FL_OPERATION_ASHR:
    return uint64_t(sa >> (b < c.bits ? b : c.bits - 1));
  case FL_OPERATION_AND:
    return a & b;
  case FL_OPERATION_OR:
    return a | b;
  case FL_OPERATION_XOR:
    return a ^ b;
  case FL_OPERATION_ZEXT:
    return a;
  case FL_OPERATION_SEXT:
    return uint64_t(sa);
  default:
    return a;
  }
}

} // namespace

uint64_t compute(const Computation& c) {
  if (c.operation >= FL_OPERATION_COMPARE) {
    uint32_t predicate = c.operation - FL_OPERATION_COMPARE;
    return predicate <= kLastFloatPredicate
               ? compareFloats(floatOf(c.left, c.bits), floatOf(c.right, c.bits), predicate)
               : compareIntegers(c, predicate);
  }
  if (c.operation == FL_OPERATION_SEXT) return arithmetic(c); // to any width
  if (c.operation < FL_OPERATION_FADD || c.operation > FL_OPERATION_FDIV)
    return masked(arithmetic(c), c.bits);
  double a = floatOf(c.left, c.bits), b = floatOf(c.right, c.bits);
  switch (c.operation) {
  case FL_OPERATION_FADD:
    return bitsOf(a + b, c.bits);
  case FL_OPERATION_FSUB:
    return bitsOf(a - b, c.bits);
  case FL_OPERATION_FMUL:
    return bitsOf(a * b, c.bits);
  default:
    return bitsOf(a / b, c.bits);
  }
}

uint64_t changedResult(uint64_t value, uint32_t change, uint64_t by) {
  switch (change) {
  case FL_CHANGE_ADD:
    return value + by;
  case FL_CHANGE_NOT:
    return value == 0;
  case FL_CHANGE_NEGATE:
    return 0 - value;
  default:
    return value;
  }
}

uint64_t changedComputation(Computation c, uint64_t value, uint32_t change, uint64_t by) {
  switch (change) {
  case FL_CHANGE_OPERATION:
    c.operation = uint32_t(by);
    return compute(c);
  case FL_CHANGE_LEFT:
    return c.left;
  case FL_CHANGE_RIGHT:
    return c.right;
  case FL_CHANGE_SWAP:
    return compute({c.right, c.left, c.operation, c.bits});
  case FL_CHANGE_SET_LEFT:
    c.left = by;
    return compute(c);
  case FL_CHANGE_SET_RIGHT:
    c.right = by;
    return compute(c);
  default:
    return changedResult(value, change, by);
  }
}

} // namespace fl
