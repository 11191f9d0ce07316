// Makes terminating programs at random, of what C programs are made of: memory through pointers, accesses
// that overlap in part, bit-fields, structs by value, loops with and without phis, switches, early returns,
// nested calls, recursion, function pointers, copies and fills. They call nothing outside.
//
//   ProgramMaker made(seed);
//   auto log = made.assembler.log();
//   log.enter(0, FL_EXT_ROOT, made.main(), {1, 2});
//
// Every pointer that a program has points to kRoom bytes that may be accessed.
#pragma once

#include "replay/lanes.h"
#include "unit/replay/assembler.h"

#include <random>

namespace faultline::depend::testing {

using replay::testing::Assembler;
using replay::testing::FunctionAssembler;
using replay::testing::kData;
using replay::testing::Op;
using replay::testing::Operand;
using replay::testing::raw;
using replay::testing::word;

class ProgramMaker {
public:
  explicit ProgramMaker(uint64_t seed) : random_(seed) {
    for (unsigned level = 0; level < 3; ++level) makeFunction(level);
    makeMain();
  }
  Assembler assembler;
  uint32_t main() const { return main_; }

private:
  static constexpr uint64_t kRoom = 32, kArea = 160; // globals: kData .. kData + kArea + kRoom
  static constexpr uint64_t kPointers = kData + 0x200, kFunctions = kData + 0x280;
  static constexpr uint32_t kFrame = 96, kGuard = 88;
  static constexpr unsigned kSlots = 4;

  struct Typed {
    Operand value;
    uint32_t type;
  };
  struct Made {
    uint32_t symbol, returns;
  };
  // Of the function at hand.
  struct State {
    FunctionAssembler* f = nullptr;
    unsigned level = 0;
    uint32_t symbol = 0, returns = 0;
    bool recurses = false;                                // may still be given its call of itself
    std::vector<std::pair<uint32_t, uint32_t>> variables; // word, type
    std::vector<uint32_t> pointers;                       // words of variables
    std::vector<Typed> values;                            // may be used here
    std::vector<Operand> addresses;
    Operand depth = 0;
    bool inFrame = false;
    unsigned budget = 0; // statements
  };

  uint64_t below(uint64_t n) { return random_() % n; }
  bool chance(unsigned percent) { return below(100) < percent; }
  FunctionAssembler& f() { return *s_.f; }
  Assembler& a() { return assembler; }
  unsigned bits(uint32_t type) { return assembler.builder.types[type].bits; }
  bool isPlainInt(uint32_t type) {
    return assembler.builder.types[type].kind == fir::TypeKind::Int && bits(type) <= 64 && bits(type) > 1;
  }
  uint32_t someType() { return std::array{a().i8, a().i16, a().i32, a().i32, a().i64}[below(5)]; }
  Operand number(uint64_t value, uint32_t type) {
    return a().constant(value & uint64_t(replay::maskBits(bits(type))));
  }

  // ---- blocks: branches name blocks that come later, and are completed then ----
  uint32_t nextBlock() { return uint32_t(a().builder.blocks.size()) - f().record().firstBlock; }
  uint32_t thisBlock() { return nextBlock() - 1; }
  uint32_t lastOperand(uint32_t k) { return a().builder.instructions.back().operands + k; }
  void patch(uint32_t operand, Operand to) { a().builder.operands[operand] = to; }

  void makeFunction(unsigned level) {
    uint32_t symbol = a().declare();
    FunctionAssembler assembler(a(), "f" + std::to_string(level), {a().i64, a().i32, a().pointer, a().i32},
                                symbol);
    s_ = State{};
    s_.f = &assembler;
    s_.level = level;
    s_.symbol = symbol;
    s_.returns = std::array{a().i64, a().i32, a().i8, a().landing, a().voidType}[below(5)];
    s_.recurses = chance(50);
    s_.values = {{f().argument(0), a().i64}, {f().argument(1), a().i32}};
    s_.addresses = {f().argument(2)};
    s_.depth = f().argument(3);
    s_.budget = 10;
    begin();
    statements(5, 0);
    leave();
    f().finish();
    functions_.push_back({symbol, s_.returns});
  }

  void makeMain() {
    FunctionAssembler assembler(a(), "main", {a().i64, a().i32});
    s_ = State{};
    s_.f = &assembler;
    s_.level = 3;
    s_.returns = a().i64;
    s_.values = {{f().argument(0), a().i64}, {f().argument(1), a().i32}};
    s_.depth = a().constant(0);
    s_.budget = 22;
    for (unsigned k = 0; k < kSlots; ++k) {
      f().store(a().pointer, a().constant(kPointers + 8 * k), a().constant(kData + below(kArea)));
      f().store(a().pointer, a().constant(kFunctions + 8 * k), a().constant(0, functions_[k % 3].symbol));
    }
    begin();
    statements(12, 0);
    leave();
    f().finish();
    main_ = assembler.id();
  }

  void begin() {
    if (chance(70)) f().frame(kFrame, 16, kGuard), s_.inFrame = true;
    for (unsigned k = 0; k < 3; ++k) {
      uint32_t type = k == 2 && chance(30) ? a().landing : someType();
      s_.variables.push_back({f().variable(type), type});
      f().set(type, s_.variables.back().first, constantOf(type));
    }
    Operand target = pointer();
    s_.pointers.push_back(f().variable(a().pointer));
    f().set(a().pointer, s_.pointers[0], target);
  }
  Operand constantOf(uint32_t type) {
    if (type == a().landing) return a().wide({random_(), random_()});
    return number(random_() >> below(64), type);
  }

  // ---- values ----
  Typed value() {
    switch (below(8)) {
    case 0: {
      uint32_t type = someType();
      return {constantOf(type), type};
    }
    case 1:
    case 2:
    case 3: {
      auto [w, type] = s_.variables[below(s_.variables.size())];
      Typed read{f().get(type, w), type};
      return type == a().landing ? extract(read) : read;
    }
    case 4:
      return load();
    default: {
      Typed v = s_.values[s_.values.size() - 1 - below(std::min<size_t>(s_.values.size(), 5))];
      return v.type == a().landing ? extract(v) : v;
    }
    }
  }
  Typed extract(Typed aggregate) {
    uint32_t type = someType();
    uint64_t at = below(16 - bits(type) / 8 + 1);
    return {f().add(Op::Extract, type, {aggregate.value}, 0, at), type};
  }
  Typed convert(Typed v, uint32_t type) {
    if (v.type == type) return v;
    Op op = bits(type) < bits(v.type) ? Op::Trunc : chance(50) ? Op::SExt : Op::ZExt;
    return {f().add(op, type, {v.value}, v.type), type};
  }
  Operand valueOf(uint32_t type) {
    if (type != a().landing) return convert(value(), type).value;
    Typed part = value();
    uint64_t at = below(16 - bits(part.type) / 8 + 1);
    Operand whole = chance(50) ? a().wide({random_(), random_()}) : f().load(type, pointer());
    return f().add(Op::Insert, type, {whole, part.value}, part.type, at);
  }
  Typed condition() {
    Typed x = value();
    Operand y = valueOf(x.type);
    return {f().compare(uint8_t(32 + below(10)), x.type, x.value, y), a().i1};
  }

  // A pointer to kRoom bytes.
  Operand pointer() {
    switch (below(7)) {
    case 0:
      return f().load(a().pointer, a().constant(kPointers + 8 * below(kSlots)));
    case 1:
      if (s_.inFrame) return f().add(Op::Alloca, a().pointer, {}, 0, below(kGuard - kRoom));
      [[fallthrough]];
    case 2:
      return a().constant(kData + below(kArea));
    case 3:
      if (!s_.addresses.empty()) return s_.addresses[below(s_.addresses.size())];
      [[fallthrough]];
    case 4: {
      Operand index = f().add(Op::And, a().i64, {valueOf(a().i64), a().constant(31)});
      return f().add(Op::Gep, a().pointer, {a().constant(kData), index, a().constant(1 + below(4)), raw(64)},
                     0, below(32));
    }
    default:
      return s_.pointers.empty() ? a().constant(kData) : f().get(a().pointer, s_.pointers[0]);
    }
  }
  // An address in it, for an access of at most 16 bytes.
  Operand address() {
    Operand p = pointer();
    if (chance(40)) return p;
    if (chance(50)) return f().add(Op::Gep, a().pointer, {p}, 0, below(16));
    Operand index = f().add(Op::And, a().i32, {valueOf(a().i32), a().constant(3)});
    return f().add(Op::Gep, a().pointer, {p, index, a().constant(1 + below(4)), raw(32)}, 0, below(4));
  }
  Typed load() {
    uint32_t type = chance(10) ? a().landing : someType();
    Typed v{f().load(type, address()), type};
    if (type != a().landing) return v;
    s_.values.push_back(v);
    return extract(v);
  }
  void remember(Operand v, uint32_t type) {
    s_.values.push_back({v, type});
    if (!chance(50)) return;
    auto [w, own] = s_.variables[below(s_.variables.size())];
    if (own == a().landing || type == a().landing) return;
    f().set(own, w, convert({v, type}, own).value);
  }

  // ---- statements ----
  void statements(unsigned count, unsigned nesting) {
    for (unsigned k = 0; k < count && s_.budget; ++k) statement(nesting);
  }
  void statement(unsigned nesting) {
    unsigned kind = unsigned(below(nesting < 3 ? 24 : 14));
    if (s_.budget) --s_.budget;
    if (kind < 4) return arithmetic();
    if (kind < 6) return store();
    switch (kind) {
    case 6:
      return bitField();
    case 7: {
      auto [w, type] = s_.variables[below(s_.variables.size())];
      return f().set(type, w, valueOf(type));
    }
    case 8:
      if (chance(50)) return f().set(a().pointer, s_.pointers[0], pointer());
      return f().store(a().pointer, a().constant(kPointers + 8 * below(kSlots)), globalPointer());
    case 9: {
      Typed c = condition(), x = value();
      return remember(f().add(Op::Select, x.type, {c.value, x.value, valueOf(x.type)}, a().i1), x.type);
    }
    case 10:
      return copyOrFill();
    case 11:
      return atomic();
    case 12:
    case 13:
      return call();
    case 14:
    case 15:
    case 16:
    case 17:
      return choice(nesting);
    case 18:
      return select(nesting);
    case 19:
      return earlyReturn(nesting);
    case 20:
      return phiLoop(nesting);
    default:
      return loop(nesting);
    }
  }
  Operand globalPointer() {
    Operand index = f().add(Op::And, a().i64, {valueOf(a().i64), a().constant(63)});
    return f().add(Op::Gep, a().pointer, {a().constant(kData), index, a().constant(1), raw(64)}, 0,
                   below(64));
  }

  void arithmetic() {
    static constexpr Op kOps[] = {Op::Add,  Op::Add, Op::Sub, Op::Mul, Op::Shl, Op::LShr,
                                  Op::AShr, Op::And, Op::Or,  Op::Xor, Op::UDiv};
    Op op = kOps[below(std::size(kOps))];
    Typed x = value();
    Operand y = chance(40)
                    ? number(op == Op::Shl || op == Op::LShr || op == Op::AShr ? below(bits(x.type))
                                                                               : random_() >> below(64),
                             x.type)
                    : valueOf(x.type);
    if (op == Op::UDiv) y = f().add(Op::Or, x.type, {y, a().constant(1)});
    bool swapped = chance(30) && op >= Op::And && op <= Op::Xor;
    remember(f().add(op, x.type, swapped ? std::vector{y, x.value} : std::vector{x.value, y}), x.type);
    if (chance(10)) {
      Typed v = value();
      Operand real = f().add(Op::UIToFP, a().f64, {v.value}, v.type);
      Operand sum = f().add(Op::FAdd, a().f64, {real, a().constant(0x3ff8000000000000)});
      remember(f().add(Op::FPToSI, a().i64, {sum}, a().f64), a().i64);
    }
    if (chance(10)) {
      Typed v = value();
      Operand other = valueOf(v.type);
      remember(f().add(Op::Intrinsic, v.type, {v.value, other}, v.type, 0, uint8_t(fir::Intrinsic::UMax)),
               v.type);
    }
  }
  void store() {
    uint32_t type = chance(15) ? a().landing : someType();
    Operand v = valueOf(type);
    f().store(type, address(), v);
  }
  // p->field = v, and x = p->other
  void bitField() {
    uint32_t type = std::array{a().i8, a().i16, a().i32, a().i64}[below(4)];
    unsigned width = 1 + unsigned(below(bits(type) - 1)), at = unsigned(below(bits(type) - width + 1));
    auto mask = uint64_t(replay::maskBits(width));
    Operand p = address(), v = valueOf(type);
    Operand low = f().add(Op::And, type, {v, number(mask, type)});
    Operand place = f().add(Op::Shl, type, {low, number(at, type)});
    Operand old = f().load(type, p);
    Operand kept = f().add(Op::And, type, {old, number(~(mask << at), type)});
    f().store(type, p, f().add(Op::Or, type, {kept, place}));
    if (!chance(60)) return;
    at = unsigned(below(bits(type) - width + 1));
    Operand again = f().load(type, p);
    if (chance(50)) {
      Operand up = f().add(Op::LShr, type, {again, number(at, type)});
      return remember(f().add(Op::And, type, {up, number(mask, type)}), type);
    }
    Operand up = f().add(Op::Shl, type, {again, number(bits(type) - width - at, type)});
    remember(f().add(Op::AShr, type, {up, number(bits(type) - width, type)}), type);
  }
  void copyOrFill() {
    Operand to = pointer();
    Operand size = chance(50) ? a().constant(below(kRoom + 1))
                              : f().add(Op::And, a().i64, {valueOf(a().i64), a().constant(kRoom - 1)});
    if (chance(50)) {
      Operand from = pointer();
      f().put(Op::Copy, a().voidType, {to, from, size});
    } else {
      Operand byte = valueOf(a().i8);
      f().put(Op::Fill, a().voidType, {to, byte, size});
    }
  }
  void atomic() {
    uint32_t type = chance(50) ? a().i32 : a().i64;
    Operand v = valueOf(type), p = address();
    Operand old = f().add(Op::AtomicRMW, type, {p, v}, 0, bits(type) / 8, uint8_t(below(3)));
    remember(old, type);
  }

  void call() {
    bool itself = s_.recurses && s_.symbol && chance(50);
    if (!itself && s_.level == 0) return arithmetic();
    Operand x = valueOf(a().i64), y = valueOf(a().i32), p = pointer();
    if (itself) {
      s_.recurses = false;
      Operand more = f().compare(38 /* sgt */, a().i32, s_.depth, a().constant(0));
      f().condBr(more, nextBlock(), 0);
      uint32_t skip = lastOperand(2);
      f().block();
      auto kept = s_.values;
      Operand less = f().add(Op::Sub, a().i32, {s_.depth, a().constant(1)});
      Operand r = f().callInside(s_.returns, s_.symbol, {x, y, p, less});
      if (s_.returns == a().landing)
        f().store(s_.returns, pointer(), r);
      else if (s_.returns != a().voidType)
        remember(r, s_.returns);
      f().br(nextBlock());
      patch(skip, raw(nextBlock()));
      f().block();
      s_.values = kept;
      return;
    }
    Operand depth = a().constant(below(3));
    const Made& callee = functions_[below(s_.level)];
    Operand r = 0;
    uint32_t returns = callee.returns;
    if (s_.level == 3 && chance(40)) {
      // By pointer; what is called returns what it likes.
      Operand target = chance(50) ? f().load(a().pointer, a().constant(kFunctions + 8 * below(kSlots)))
                                  : f().add(Op::Select, a().pointer,
                                            {condition().value, a().constant(0, functions_[0].symbol),
                                             a().constant(0, callee.symbol)},
                                            a().i1);
      f().call(fir::CallKind::Either, a().voidType, {target, x, y, p, depth});
      if (chance(50))
        f().store(a().pointer, a().constant(kFunctions + 8 * below(kSlots)),
                  a().constant(0, functions_[below(3)].symbol));
      return;
    }
    r = f().callInside(returns, callee.symbol, {x, y, p, depth});
    if (returns == a().landing)
      s_.values.push_back({r, returns});
    else if (returns != a().voidType)
      remember(r, returns);
  }

  // if, with or without else, with or without a phi behind it
  void choice(unsigned nesting) {
    Operand c = condition().value;
    bool otherwise = chance(60), joins = chance(50);
    f().condBr(c, nextBlock(), 0);
    uint32_t no = lastOperand(2), from = thisBlock();
    auto kept = s_.values;
    uint32_t type = someType();
    Operand left, right = joins && !otherwise ? constantOf(type) : 0;
    f().block();
    statements(1 + unsigned(below(2)), nesting + 1);
    left = joins ? valueOf(type) : 0;
    f().br(0);
    uint32_t join = lastOperand(0), leftFrom = thisBlock(), rightFrom = from;
    patch(no, raw(nextBlock()));
    if (otherwise) {
      f().block();
      s_.values = kept;
      statements(1 + unsigned(below(2)), nesting + 1);
      if (joins) right = valueOf(type);
      rightFrom = thisBlock();
      f().br(nextBlock());
    }
    patch(join, raw(nextBlock()));
    f().block();
    s_.values = kept;
    if (joins) remember(f().add(Op::Phi, type, {raw(leftFrom), left, raw(rightFrom), right}), type);
  }

  void select(unsigned nesting) {
    uint32_t type = someType();
    unsigned cases = 1 + unsigned(below(3));
    Operand v = f().add(Op::And, type, {valueOf(type), a().constant(3)});
    std::vector<Operand> operands = {v, raw(0)};
    for (unsigned k = 0; k < cases; ++k) operands.insert(operands.end(), {a().constant(k), raw(0)});
    f().put(Op::Switch, type, operands);
    uint32_t first = lastOperand(0);
    auto kept = s_.values;
    std::vector<uint32_t> ends;
    for (unsigned k = 0; k <= cases; ++k) {
      patch(first + 1 + 2 * k, raw(nextBlock()));
      f().block();
      s_.values = kept;
      statements(1, nesting + 1);
      bool falls = k < cases && chance(20);
      f().br(nextBlock());
      if (!falls) ends.push_back(lastOperand(0));
    }
    for (uint32_t end : ends) patch(end, raw(nextBlock()));
    f().block();
    s_.values = kept;
  }

  void earlyReturn(unsigned nesting) {
    if (nesting == 0 && s_.level == 3) return arithmetic();
    Operand c = condition().value;
    f().condBr(c, nextBlock(), nextBlock() + 1);
    f().block();
    auto kept = s_.values;
    leave();
    f().block();
    s_.values = kept;
  }
  void leave() {
    if (s_.returns == a().voidType) return f().ret();
    Operand v = s_.returns == a().landing && chance(30) ? constantOf(s_.returns) : valueOf(s_.returns);
    f().ret(s_.returns, v);
  }

  // for (i = 0; i < n; ++i) { ...; if (...) break; if (...) continue; ... }
  void loop(unsigned nesting) {
    uint32_t i = f().variable(a().i32);
    f().set(a().i32, i, a().constant(0));
    uint32_t head = nextBlock();
    f().br(head);
    f().block(true);
    auto kept = s_.values;
    Operand n = a().constant(1 + below(5));
    if (chance(40)) n = f().add(Op::And, a().i32, {valueOf(a().i32), a().constant(3)});
    f().condBr(f().compare(40 /* slt */, a().i32, f().get(a().i32, i), n), nextBlock(), 0);
    std::vector<uint32_t> outs = {lastOperand(2)}, nexts;
    f().block();
    statements(1 + unsigned(below(2)), nesting + 1);
    for (auto* list : {&outs, &nexts}) {
      if (!chance(30)) continue;
      f().condBr(condition().value, 0, nextBlock());
      list->push_back(lastOperand(1));
      f().block();
      statements(1, nesting + 1);
    }
    f().br(nextBlock());
    for (uint32_t o : nexts) patch(o, raw(nextBlock()));
    f().block();
    s_.values = kept;
    f().set(a().i32, i, f().add(Op::Add, a().i32, {f().get(a().i32, i), a().constant(1)}));
    f().br(head);
    for (uint32_t o : outs) patch(o, raw(nextBlock()));
    f().block();
    s_.values = kept;
  }

  // do { x, y = y, x + ...; } while (++i < n), all by phis: the block may be its own predecessor
  void phiLoop(unsigned nesting) {
    uint32_t type = someType();
    Operand x0 = valueOf(type), y0 = valueOf(type);
    uint32_t from = thisBlock(), head = nextBlock();
    f().br(head);
    f().block(true);
    Operand i = f().add(Op::Phi, a().i32, {raw(from), a().constant(0), raw(0), raw(0)});
    uint32_t iBack = lastOperand(2);
    Operand x = f().add(Op::Phi, type, {raw(from), x0, raw(0), raw(0)});
    uint32_t xBack = lastOperand(2);
    Operand y = f().add(Op::Phi, type, {raw(from), y0, raw(0), raw(0)});
    uint32_t yBack = lastOperand(2);
    auto kept = s_.values;
    s_.values.push_back({x, type});
    if (chance(60)) statements(1 + unsigned(below(2)), nesting + 1);
    Operand sum = f().add(Op::Add, type, {x, valueOf(type)});
    Operand next = f().add(Op::Add, a().i32, {i, a().constant(1)});
    Operand more = f().compare(40 /* slt */, a().i32, next, a().constant(1 + below(5)));
    f().condBr(more, head, nextBlock());
    patch(iBack, raw(thisBlock())), patch(iBack + 1, next);
    patch(xBack, raw(thisBlock())), patch(xBack + 1, y);
    patch(yBack, raw(thisBlock())), patch(yBack + 1, sum);
    f().block();
    s_.values = kept;
    s_.values.push_back({y, type});
    s_.values.push_back({sum, type});
  }

  std::mt19937_64 random_;
  State s_;
  std::vector<Made> functions_;
  uint32_t main_ = 0;
};

} // namespace faultline::depend::testing
