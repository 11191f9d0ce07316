// Every kind of instruction, on random operands, against replay's own computation.
#include "instruction_lab.h"

using namespace faultline;
using namespace faultline::logic;
using namespace faultline::logic::testing;
using fir::Intrinsic;
using fir::Op;

namespace {

constexpr int kRounds = 40, kAsked = 1; // of each, and how many of them go to the solvers

const uint32_t kWidths[] = {1, 3, 8, 13, 16, 32, 33, 48, 64, 65, 100, 128};

struct Case : ::testing::Test {
  Lab lab;
  uint32_t integer(uint32_t bits) { return lab.a.type(fir::TypeKind::Int, bits); }
  uint32_t half() { return lab.a.type(fir::TypeKind::Half, 16); }
  uint32_t widthOfType(uint32_t type) { return widthOf(lab.a.builder.types[type]); }
  // Operands of `types`, result of `result` bits.
  void run(fir::Instruction i, std::vector<uint32_t> types, uint32_t result, int rounds = kRounds,
           int asked = kAsked, Ask whom = Ask::Both) {
    for (int round = 0; round < rounds && !HasFailure(); ++round) {
      std::vector<Lab::Value> values;
      for (uint32_t type : types) values.push_back(lab.of(type));
      lab.expectAgreement(i, values, result, round < asked ? whom : Ask::Nobody);
    }
  }
};

using Integers = Case;
using Floats = Case;
using Vectors = Case;
using Others = Case;

TEST_F(Integers, Arithmetic) {
  for (uint32_t bits : kWidths)
    for (Op op = Op::Add; op <= Op::Xor; op = Op(unsigned(op) + 1)) {
      SCOPED_TRACE(fmt::format("op {} width {}", unsigned(op), bits));
      uint32_t type = integer(bits);
      // Numbers given or not, the circuit of a wide product is made and searched.
      bool hard = op >= Op::Mul && op <= Op::SRem;
      run(lab.instruction(op, type), {type, type}, bits, kRounds, !hard || bits <= 32 ? kAsked : 0,
          hard && bits > 8 ? Ask::Z3 : Ask::Both);
    }
}

TEST_F(Integers, Comparisons) {
  for (uint32_t bits : kWidths)
    for (uint8_t predicate = replay::EQ; predicate <= replay::SLE; ++predicate) {
      uint32_t type = integer(bits);
      SCOPED_TRACE(fmt::format("predicate {} width {}", predicate, bits));
      run(lab.instruction(Op::ICmp, type, 0, predicate), {type, type}, 1);
      Lab::Value same = lab.of(type);
      lab.expectAgreement(lab.instruction(Op::ICmp, type, 0, predicate), {same, same}, 1, Ask::Both);
    }
}

TEST_F(Integers, Casts) {
  for (uint32_t small : kWidths)
    for (uint32_t large : kWidths) {
      if (small >= large) continue;
      uint32_t s = integer(small), l = integer(large);
      SCOPED_TRACE(fmt::format("{} {}", small, large));
      run(lab.instruction(Op::Trunc, s, l), {l}, small, 10, 1);
      run(lab.instruction(Op::ZExt, l, s), {s}, large, 10, 1);
      run(lab.instruction(Op::SExt, l, s), {s}, large, 10, 1);
    }
  run(lab.instruction(Op::BitCast, lab.a.i64, lab.a.pointer), {lab.a.pointer}, 64);
  run(lab.instruction(Op::BitCast, lab.a.f64, lab.a.i64), {lab.a.i64}, 64);
}

TEST_F(Integers, Intrinsics) {
  const Intrinsic all[] = {
      Intrinsic::Abs,        Intrinsic::SMax,    Intrinsic::SMin,    Intrinsic::UMax,      Intrinsic::UMin,
      Intrinsic::CtPop,      Intrinsic::CtLz,    Intrinsic::CtTz,    Intrinsic::FShl,      Intrinsic::FShr,
      Intrinsic::SAddSat,    Intrinsic::UAddSat, Intrinsic::SSubSat, Intrinsic::USubSat,   Intrinsic::BSwap,
      Intrinsic::BitReverse, Intrinsic::Expect,  Intrinsic::PtrMask, Intrinsic::ObjectSize};
  for (uint32_t bits : {8u, 16u, 32u, 64u, 128u})
    for (Intrinsic which : all) {
      if (which == Intrinsic::BSwap && bits == 8) continue;
      SCOPED_TRACE(fmt::format("intrinsic {} width {}", unsigned(which), bits));
      uint32_t type = integer(bits);
      // A second operand that is a flag takes one word.
      bool flag = which == Intrinsic::Abs || which == Intrinsic::CtLz || which == Intrinsic::CtTz;
      bool one = which == Intrinsic::BSwap || which == Intrinsic::BitReverse || which == Intrinsic::CtPop ||
                 which == Intrinsic::ObjectSize;
      bool three = which == Intrinsic::FShl || which == Intrinsic::FShr;
      if ((which == Intrinsic::PtrMask || which == Intrinsic::Expect) && bits > 64) continue;
      std::vector<uint32_t> types = {type};
      if (!one) types.push_back(flag ? lab.a.i1 : type);
      if (three) types.push_back(type);
      run(lab.instruction(Op::Intrinsic, type, type, uint8_t(which)), types, bits, kRounds, bits <= 32);
    }
}

TEST_F(Integers, OverflowIntrinsics) {
  for (uint32_t bits : {8u, 16u, 32u, 64u, 128u})
    for (Intrinsic which = Intrinsic::SAddOverflow; which <= Intrinsic::UMulOverflow;
         which = Intrinsic(unsigned(which) + 1)) {
      SCOPED_TRACE(fmt::format("intrinsic {} width {}", unsigned(which), bits));
      uint32_t type = integer(bits), result = lab.a.type(fir::TypeKind::Aggregate, 2 * bits);
      // A wide product takes both solvers long even with numbers given.
      bool hard = bits >= 64 && which >= Intrinsic::SMulOverflow;
      run(lab.instruction(Op::Intrinsic, result, type, uint8_t(which)), {type, type}, widthOfType(result),
          kRounds, hard ? 0 : 1);
    }
}

TEST_F(Floats, Arithmetic) {
  for (uint32_t type : {half(), lab.a.f32, lab.a.f64})
    for (Op op : {Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FNeg}) {
      SCOPED_TRACE(fmt::format("op {} type {}", unsigned(op), widthOfType(type)));
      std::vector<uint32_t> types = {type};
      if (op != Op::FNeg) types.push_back(type);
      run(lab.instruction(op, type), types, widthOfType(type), 200,
          op >= Op::FMul && op <= Op::FDiv && type == lab.a.f64 ? 0 : 1);
    }
}

TEST_F(Floats, Comparisons) {
  uint32_t h = half();
  for (uint32_t type : {h, lab.a.f32, lab.a.f64})
    for (uint8_t predicate = 0; predicate < 16; ++predicate) {
      SCOPED_TRACE(fmt::format("predicate {} type {}", predicate, widthOfType(type)));
      run(lab.instruction(Op::FCmp, type, 0, predicate), {type, type}, 1, 60,
          type != h && predicate % 3 == 1);
    }
}

TEST_F(Floats, Conversions) {
  uint32_t h = half();
  for (uint32_t from : {h, lab.a.f32, lab.a.f64})
    for (uint32_t to : {h, lab.a.f32, lab.a.f64}) {
      if (from == to) continue;
      SCOPED_TRACE(fmt::format("{} to {}", widthOfType(from), widthOfType(to)));
      bool wider = widthOfType(to) > widthOfType(from);
      run(lab.instruction(wider ? Op::FPExt : Op::FPTrunc, to, from), {from}, widthOfType(to), 300, 2);
    }
  for (uint32_t type : {h, lab.a.f32, lab.a.f64})
    for (uint32_t bits : {1u, 8u, 16u, 32u, 33u, 64u}) {
      SCOPED_TRACE(fmt::format("{} bits, integer of {}", widthOfType(type), bits));
      uint32_t n = integer(bits);
      int asked = type != h && (bits == 32 || bits == 64);
      for (Op op : {Op::FPToSI, Op::FPToUI}) run(lab.instruction(op, n, type), {type}, bits, 200, asked);
      for (Op op : {Op::SIToFP, Op::UIToFP})
        run(lab.instruction(op, type, n), {n}, widthOfType(type), 100, asked);
    }
}

TEST_F(Floats, Intrinsics) {
  for (uint32_t type : {half(), lab.a.f32, lab.a.f64})
    for (Intrinsic which = Intrinsic::FAbs; which <= Intrinsic::Fma; which = Intrinsic(unsigned(which) + 1)) {
      SCOPED_TRACE(fmt::format("intrinsic {} type {}", unsigned(which), widthOfType(type)));
      std::vector<uint32_t> types = {type};
      if (which >= Intrinsic::CopySign) types.push_back(type);
      if (which == Intrinsic::Fma) types.push_back(type);
      // Their circuits are too large to be searched here; folding and evaluation are what is compared.
      bool hard = which == Intrinsic::Fma || which == Intrinsic::Sqrt;
      run(lab.instruction(Op::Intrinsic, type, type, uint8_t(which)), types, widthOfType(type), 200,
          hard ? 0 : 1);
    }
}

TEST_F(Floats, Classes) {
  for (uint32_t type : {half(), lab.a.f32, lab.a.f64})
    for (int round = 0; round < 200; ++round)
      lab.expectAgreement(lab.instruction(Op::Intrinsic, lab.a.i1, type, uint8_t(Intrinsic::IsFPClass)),
                          {lab.of(type), Lab::number(32, lab.random() & 1023)}, 1,
                          round < 3 ? Ask::Both : Ask::Nobody);
}

TEST_F(Vectors, Lanewise) {
  Assembler& a = lab.a;
  struct Form {
    uint32_t element, lanes;
  };
  for (Form form :
       {Form{a.i32, 4}, Form{a.i8, 16}, Form{a.i1, 8}, Form{a.i64, 2}, Form{a.i8, 3}, Form{a.i16, 32}}) {
    uint32_t v = a.vector(form.element, form.lanes), flags = a.vector(a.i1, form.lanes),
             width = widthOfType(v);
    SCOPED_TRACE(fmt::format("{} x {}", form.lanes, widthOfType(form.element)));
    for (Op op : {Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Shl, Op::UDiv})
      run(lab.instruction(op, v), {v, v}, width, 10, op != Op::Mul && op != Op::UDiv);
    run(lab.instruction(Op::ICmp, v, 0, replay::SLT), {v, v}, widthOfType(flags), 10, 1);
    run(lab.instruction(Op::Select, v, flags), {flags, v, v}, width, 10, 1);
    run(lab.instruction(Op::Select, v, a.i1), {a.i1, v, v}, width, 10, 1);
    for (uint32_t lane = 0; lane <= form.lanes; ++lane) {
      lab.expectAgreement(lab.instruction(Op::ExtractLane, form.element, v),
                          {lab.of(v), Lab::number(64, lane)}, widthOfType(form.element),
                          lane < 1 ? Ask::Both : Ask::Nobody);
      lab.expectAgreement(lab.instruction(Op::InsertLane, v, v),
                          {lab.of(v), lab.of(form.element), Lab::number(64, lane)}, width,
                          lane < 1 ? Ask::Both : Ask::Nobody);
    }
    for (int round = 0; round < 10; ++round) {
      std::vector<Lab::Value> values = {lab.of(v), lab.of(v)};
      for (uint32_t k = 0; k < form.lanes; ++k)
        values.push_back(
            Lab::rawValue(lab.random() % 9 ? uint32_t(lab.random() % (2 * form.lanes)) : fir::kNone >> 2));
      lab.expectAgreement(lab.instruction(Op::Shuffle, v, v), values, width,
                          round == 0 ? Ask::Both : Ask::Nobody);
    }
  }
  uint32_t f = a.vector(a.f32, 4), d = a.vector(a.f64, 4), n = a.vector(a.i32, 4);
  for (Op op : {Op::FAdd, Op::FMul, Op::FNeg}) {
    std::vector<uint32_t> types = {f};
    if (op != Op::FNeg) types.push_back(f);
    run(lab.instruction(op, f), types, 128, 20, 1);
  }
  run(lab.instruction(Op::FPExt, d, f), {f}, 256, 20, 1);
  run(lab.instruction(Op::FPToSI, n, f), {f}, 128, 20, 1);
  run(lab.instruction(Op::FCmp, f, 0, 4), {f, f}, 64, 20, 1);
  run(lab.instruction(Op::BitCast, a.vector(a.i8, 16), n), {n}, 128, 5, 1);
  run(lab.instruction(Op::Intrinsic, n, n, uint8_t(Intrinsic::SMax)), {n, n}, 128, 10, 1);
  uint32_t pair = a.type(fir::TypeKind::Aggregate, 256);
  run(lab.instruction(Op::Intrinsic, pair, n, uint8_t(Intrinsic::SAddOverflow)), {n, n}, 256, 10, 1);
}

TEST_F(Others, SelectAndAddress) {
  Assembler& a = lab.a;
  for (uint32_t type : {a.i32, a.i64, a.f64, a.pointer, integer(128), a.type(fir::TypeKind::X87, 80)})
    run(lab.instruction(Op::Select, type, a.i1), {a.i1, type, type}, widthOfType(type));
  for (int round = 0; round < kRounds; ++round)
    lab.expectAgreement(lab.instruction(Op::Gep, a.pointer, 0, 0, lab.random() % 64),
                        {lab.of(a.pointer), lab.of(a.i32), Lab::number(64, 12), Lab::rawValue(32),
                         lab.of(a.i64), Lab::number(64, 1), Lab::rawValue(64), lab.of(a.i8),
                         Lab::number(64, 40), Lab::rawValue(8)},
                        64, round < kAsked ? Ask::Both : Ask::Nobody);
}

TEST_F(Others, MembersOfAggregates) {
  Assembler& a = lab.a;
  uint32_t s = a.type(fir::TypeKind::Aggregate, 24 * 8);
  for (uint32_t member : {a.i8, a.i32, a.i64, a.f64, a.i1, a.pointer})
    for (uint64_t offset : {0, 4, 8, 16}) {
      run(lab.instruction(Op::Extract, member, 0, 0, offset), {s}, widthOfType(member), 5, 1);
      run(lab.instruction(Op::Insert, s, member, 0, offset), {s, member}, 192, 5, 1);
    }
}

TEST_F(Others, VariablesMove) {
  Terms t;
  fir::Image image = lab.a.image();
  fir::Instruction load = lab.instruction(Op::LoadVar, lab.a.i32),
                   store = lab.instruction(Op::StoreVar, lab.a.i32);
  Term x = t.variable(32, 1);
  EXPECT_EQ(*encode(t, image, load, std::vector{x}), x);
  EXPECT_EQ(*encode(t, image, store, std::vector{Term{}, x}), x);
}

TEST_F(Others, NoTheory) {
  Terms t;
  uint32_t x87 = lab.a.type(fir::TypeKind::X87, 80), quad = lab.a.type(fir::TypeKind::Quad, 128);
  fir::Image image = lab.a.image();
  std::vector<Term> two = {t.variable(80, 1), t.variable(80, 2)};
  EXPECT_FALSE(encode(t, image, lab.instruction(Op::FAdd, x87), two));
  EXPECT_FALSE(encode(t, image, lab.instruction(Op::FCmp, x87, 0, 1), two));
  std::vector<Term> four = {t.variable(128, 3), t.variable(128, 4)};
  EXPECT_FALSE(encode(t, image, lab.instruction(Op::FMul, quad), four));
  std::vector<Term> doubles = {t.variable(64, 5), t.variable(64, 6)};
  EXPECT_FALSE(encode(t, image, lab.instruction(Op::FRem, lab.a.f64), doubles));
  EXPECT_FALSE(encode(t, image, lab.instruction(Op::Load, lab.a.i64), doubles));
}

TEST_F(Others, Branches) {
  Assembler& a = lab.a;
  replay::testing::FunctionAssembler f(a, "f", {a.i32});
  f.condBr(f.argument(0), 1, 2);
  fir::Operand five = a.constant(5), six = a.constant(6), seven = a.constant(7);
  f.put(Op::Switch, a.i32, {f.argument(0), raw(1), five, raw(2), six, raw(3), seven, raw(2)});
  f.br(4);
  f.finish();
  fir::Image image = a.image();
  Terms t;
  Term c = t.variable(1, 1), n = t.variable(32, 2);
  const fir::Instruction *condition = &image.instructions[1], *choice = &image.instructions[2];
  EXPECT_EQ(*encodeBranch(t, image, *condition, c, 1, {}), c);
  EXPECT_EQ(*encodeBranch(t, image, *condition, c, 2, {}), t.negate(c));
  EXPECT_EQ(*encodeBranch(t, image, *condition, c, 3, {}), t.no());
  auto at = [&](uint32_t block, uint64_t value) {
    Term taken = *encodeBranch(t, image, *choice, n, block, {});
    return t.isTrue(t.evaluate(taken, [&](Term) { return t.bits(32, value); }));
  };
  for (uint64_t value = 0; value < 10; ++value) {
    EXPECT_EQ(at(2, value), value == 5 || value == 7);
    EXPECT_EQ(at(3, value), value == 6);
    EXPECT_EQ(at(1, value), value < 5 || value > 7);
  }
  EXPECT_EQ(*encodeBranch(t, image, image.instructions[3], {}, 4, {}), t.yes());
}

} // namespace
