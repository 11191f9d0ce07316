// Integer and floating-point operations of every width: in both forms of code, against computations done
// here.
#include "assembler.h"

#include "abi/state.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"

#include <cmath>
#include <random>

using namespace faultline;
using namespace faultline::replay;
using namespace faultline::replay::testing;

namespace {

using U = unsigned __int128;
using S = __int128;

U mask(unsigned bits) { return bits == 128 ? ~U(0) : (U(1) << bits) - 1; }
S extend(U v, unsigned bits) { return S(v << (128 - bits)) >> (128 - bits); }

U expected(Op op, unsigned bits, U a, U b) {
  S sa = extend(a, bits), sb = extend(b, bits);
  unsigned width = bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
  unsigned count = unsigned(b) & (width - 1);
  U r = 0;
  switch (op) {
  case Op::Add:
    r = a + b;
    break;
  case Op::Sub:
    r = a - b;
    break;
  case Op::Mul:
    r = a * b;
    break;
  case Op::UDiv:
    r = a / b;
    break;
  case Op::URem:
    r = a % b;
    break;
  case Op::SDiv:
    r = U(sa / sb);
    break;
  case Op::SRem:
    r = U(sa % sb);
    break;
  case Op::Shl:
    r = a << count;
    break;
  case Op::LShr:
    r = a >> count;
    break;
  case Op::AShr:
    r = U(sa >> count);
    break;
  case Op::And:
    r = a & b;
    break;
  case Op::Or:
    r = a | b;
    break;
  default:
    r = a ^ b;
    break;
  }
  return r & mask(bits);
}

struct Random {
  std::mt19937_64 engine{42};
  U value(unsigned bits) {
    U v = (U(engine()) << 64) | engine();
    switch (engine() % 4) {
    case 0:
      v = U(S(int64_t(engine() % 9) - 4));
      break; // small
    case 1:
      v = U(1) << (engine() % bits);
      break;
    default:
      break;
    }
    return v & mask(bits);
  }
};

// One function that stores op(a, b) for every kind of operand: word and word, word and constant, ...
TEST(Arithmetic, IntegersOfEveryWidth) {
  Random random;
  for (unsigned bits : {1u, 3u, 8u, 13u, 16u, 24u, 32u, 33u, 48u, 64u, 65u, 100u, 128u}) {
    SCOPED_TRACE(bits);
    Assembler a;
    uint32_t type = a.type(fir::TypeKind::Int, bits);
    FunctionAssembler f(a, "main", {});
    std::vector<U> results;
    auto place = [&] { return a.constant(kData + 16 * results.size()); };
    for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::UDiv, Op::SDiv, Op::URem, Op::SRem, Op::Shl, Op::LShr,
                  Op::AShr, Op::And, Op::Or, Op::Xor})
      for (int round = 0; round < 6; ++round) {
        U x = random.value(bits), y = random.value(bits);
        bool divides = op >= Op::UDiv && op <= Op::SRem;
        if (divides && (y == 0 || y == mask(bits))) y = 1;
        if (divides && bits == 1) continue;
        auto constant = [&](U v) {
          return bits > 64 ? a.wide({uint64_t(v), uint64_t(v >> 64)}) : a.constant(uint64_t(v));
        };
        Operand cx = constant(x), cy = constant(y);
        uint32_t vx = f.variable(type), vy = f.variable(type);
        f.set(type, vx, cx);
        f.set(type, vy, cy);
        auto wx = f.get(type, vx), wy = f.get(type, vy);
        for (auto [p, q] : {std::pair(wx, wy), std::pair(wx, cy), std::pair(cx, wy)}) {
          f.store(type, place(), f.add(op, type, {p, q}));
          results.push_back(expected(op, bits, x, y));
        }
      }
    f.endInNextEpoch();
    auto log = a.log();
    log.enter(0, FL_EXT_ROOT, f.id(), {}).exit(2, 0, FL_EXT_ROOT);
    expectEnds(a, log, [&](Replay& r) {
      for (size_t k = 0; k < results.size(); ++k)
        ASSERT_EQ(peekMemory<U>(r, kData + 16 * k), results[k]) << k;
    });
  }
}

TEST(Arithmetic, Comparisons) {
  Random random;
  for (unsigned bits : {8u, 16u, 17u, 32u, 64u, 128u}) {
    Assembler a;
    uint32_t type = a.type(fir::TypeKind::Int, bits);
    FunctionAssembler f(a, "main", {});
    std::vector<bool> results;
    for (uint8_t p = 32; p <= 41; ++p)
      for (int round = 0; round < 8; ++round) {
        U x = random.value(bits), y = round % 3 ? random.value(bits) : x;
        S sx = extend(x, bits), sy = extend(y, bits);
        auto constant = [&](U v) {
          return bits > 64 ? a.wide({uint64_t(v), uint64_t(v >> 64)}) : a.constant(uint64_t(v));
        };
        uint32_t vx = f.variable(type), vy = f.variable(type);
        f.set(type, vx, constant(x));
        f.set(type, vy, constant(y));
        auto wx = f.get(type, vx), wy = f.get(type, vy);
        bool expect[] = {x == y, x != y, x > y, x >= y, x<y, x <= y, sx> sy, sx >= sy, sx < sy, sx <= sy};
        for (auto [l, q] : {std::pair(wx, wy), std::pair(wx, constant(y)), std::pair(constant(x), wy)}) {
          f.store(a.i1, a.constant(kData + results.size()), f.compare(p, type, l, q));
          results.push_back(expect[p - 32]);
        }
      }
    f.endInNextEpoch();
    auto log = a.log();
    log.enter(0, FL_EXT_ROOT, f.id(), {}).exit(2, 0, FL_EXT_ROOT);
    expectEnds(a, log, [&](Replay& r) {
      for (size_t k = 0; k < results.size(); ++k)
        ASSERT_EQ(peekMemory<uint8_t>(r, kData + k), results[k]) << k;
    });
  }
}

uint64_t bitsOf(double d) { return fpToBits<double>(d); }
uint64_t bitsOf(float d) { return fpToBits<float>(d); }

template <class T> void checkFp(uint32_t Assembler::* type) {
  const T values[] = {T(0),     T(-0.0),     T(1),         T(-2.5), T(1e30),
                      T(3e-30), T(INFINITY), T(-INFINITY), T(NAN),  T(123456789)};
  Assembler a;
  FunctionAssembler f(a, "main", {});
  std::vector<uint64_t> results;
  uint32_t t = a.*type;
  auto keep = [&](uint32_t of, Operand v, uint64_t expect) {
    f.store(of, a.constant(kData + 8 * results.size()), v);
    results.push_back(expect);
  };
  for (T x : values)
    for (T y : values) {
      uint32_t vx = f.variable(t), vy = f.variable(t);
      f.set(t, vx, a.constant(bitsOf(x)));
      f.set(t, vy, a.constant(bitsOf(y)));
      auto wx = f.get(t, vx), wy = f.get(t, vy);
      volatile T p = x, q = y;
      keep(t, f.add(Op::FAdd, t, {wx, wy}), bitsOf(T(p + q)));
      keep(t, f.add(Op::FSub, t, {wx, a.constant(bitsOf(y))}), bitsOf(T(p - q)));
      keep(t, f.add(Op::FMul, t, {wx, wy}), bitsOf(T(p * q)));
      keep(t, f.add(Op::FDiv, t, {a.constant(bitsOf(x)), wy}), bitsOf(T(p / q)));
      keep(t, f.add(Op::FRem, t, {wx, wy}), bitsOf(T(std::fmod(T(p), T(q)))));
      keep(t, f.add(Op::FNeg, t, {wx}), bitsOf(T(-p)));
      for (uint8_t c = 0; c < 16; ++c) {
        bool unordered = std::isnan(x) || std::isnan(y);
        bool expect =
            ((c & 1) && x == y) || ((c & 2) && x > y) || ((c & 4) && x < y) || ((c & 8) && unordered);
        keep(a.i1, f.compare(c, t, wx, wy), expect);
        keep(a.i1, f.compare(c, t, a.constant(bitsOf(x)), wy), expect);
      }
    }
  f.endInNextEpoch();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    for (size_t k = 0; k < results.size(); ++k) ASSERT_EQ(peekMemory(r, kData + 8 * k), results[k]) << k;
  });
}

TEST(Arithmetic, Doubles) { checkFp<double>(&Assembler::f64); }
TEST(Arithmetic, Floats) { checkFp<float>(&Assembler::f32); }

TEST(Arithmetic, ConversionsOutOfRangeAreTheMachines) {
  auto toInt = [](double d, bool isSigned, unsigned bits) {
    return uint64_t(fpToInt(fir::TypeKind::Double, isSigned, bits, bitsOf(d)));
  };
  EXPECT_EQ(toInt(-3.9, true, 32), 0xfffffffdu);
  EXPECT_EQ(toInt(1e20, true, 32), 0x80000000u);
  EXPECT_EQ(toInt(NAN, true, 64), uint64_t(1) << 63);
  EXPECT_EQ(toInt(300, true, 8), 44u);
  EXPECT_EQ(toInt(4e9, false, 32), 4000000000u);
  EXPECT_EQ(toInt(1.5e19, false, 64), 15000000000000000000u);
  EXPECT_EQ(uint64_t(intToFp(fir::TypeKind::Double, false, 64, ~uint64_t(0))),
            bitsOf(18446744073709551616.0));
  EXPECT_EQ(uint64_t(intToFp(fir::TypeKind::Float, true, 8, 0xff)), bitsOf(-1.0f));
}

TEST(Arithmetic, NaNsKeepTheFirstOperandsPayload) {
  uint64_t a = 0x7ff8000000000123, b = 0xfff8000000000456;
  EXPECT_EQ(uint64_t(computeFp(Op::FAdd, fir::TypeKind::Double, a, b)), a);
  EXPECT_EQ(uint64_t(computeFp(Op::FMul, fir::TypeKind::Double, b, a)), b);
  EXPECT_EQ(uint64_t(computeFp(Op::FSub, fir::TypeKind::Double, bitsOf(double(INFINITY)),
                               bitsOf(double(INFINITY)))),
            0xfff8000000000000);
}

TEST(Arithmetic, Intrinsics) {
  bool overflow = false;
  auto run = [&](fir::Intrinsic which, unsigned bits, U a, U b = 0, U c = 0) {
    overflow = false;
    return uint64_t(computeIntIntrinsic(which, bits, a, b, c, overflow));
  };
  using I = fir::Intrinsic;
  EXPECT_EQ(run(I::Abs, 32, uint32_t(-5)), 5u);
  EXPECT_EQ(run(I::SMax, 8, 0x80, 1), 1u);
  EXPECT_EQ(run(I::UMax, 8, 0x80, 1), 0x80u);
  EXPECT_EQ(run(I::BSwap, 32, 0x01020304), 0x04030201u);
  EXPECT_EQ(run(I::BitReverse, 8, 0x01), 0x80u);
  EXPECT_EQ(run(I::CtLz, 32, 1), 31u);
  EXPECT_EQ(run(I::CtTz, 16, 0), 16u);
  EXPECT_EQ(run(I::CtPop, 64, ~uint64_t(0)), 64u);
  EXPECT_EQ(run(I::FShl, 8, 0x12, 0x34, 4), 0x23u);
  EXPECT_EQ(run(I::FShr, 8, 0x12, 0x34, 4), 0x23u);
  EXPECT_EQ(run(I::SAddOverflow, 32, 0x7fffffff, 1), 0x80000000u);
  EXPECT_TRUE(overflow);
  EXPECT_EQ(run(I::UMulOverflow, 64, uint64_t(1) << 63, 2), 0u);
  EXPECT_TRUE(overflow);
  EXPECT_EQ(run(I::USubSat, 8, 3, 5), 0u);
  EXPECT_EQ(run(I::SAddSat, 8, 0x7f, 1), 0x7fu);
  EXPECT_EQ(run(I::SSubSat, 8, 0x80, 1), 0x80u);
}

TEST(Arithmetic, VectorsLaneByLane) {
  Assembler a;
  uint32_t v4 = a.vector(a.i32, 4), mask4 = a.vector(a.i1, 4);
  FunctionAssembler f(a, "main", {});
  auto x = a.wide({0x0000000200000001, 0xffffffff00000003}),
       y = a.wide({0x0000000500000005, 0x0000000500000005});
  auto sum = f.add(Op::Add, v4, {x, y});
  f.store(v4, a.constant(kData), sum);
  auto less = f.add(Op::ICmp, v4, {x, y}, 0, 0, 40 /* slt */, mask4);
  auto most = f.add(Op::Select, v4, {less, y, x}, mask4);
  f.store(v4, a.constant(kData + 16), most);
  auto shuffled = f.add(Op::Shuffle, v4, {x, y, raw(3), raw(4), raw(0), raw(fir::kNone & 0x3fffffff)}, v4);
  f.store(v4, a.constant(kData + 32), shuffled);
  auto lane = f.add(Op::ExtractLane, a.i32, {shuffled, a.constant(2)}, v4);
  f.store(a.i32, a.constant(kData + 48), lane);
  f.endInNextEpoch();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory(r, kData), 0x0000000700000006u);
    EXPECT_EQ(peekMemory(r, kData + 8), 0x0000000400000008u);
    EXPECT_EQ(peekMemory(r, kData + 16), 0x0000000500000005u);
    EXPECT_EQ(peekMemory(r, kData + 24), 0x0000000500000005u); // -1 < 5
    EXPECT_EQ(peekMemory(r, kData + 32), 0x00000005ffffffffu);
    EXPECT_EQ(peekMemory(r, kData + 40), 0x0000000000000001u);
    EXPECT_EQ(peekMemory<uint32_t>(r, kData + 48), 1u);
  });
}

} // namespace
