// Makes programs at random.
#pragma once

#include "assembler.h"

#include "abi/state.h"
#include "replay/lanes.h"

#include <random>

namespace faultline::replay::testing {

enum { EQ = 32, NE, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE };

// A function of loops, branches, calls of functions made before it, and accesses to a small array. Variables
// are of 8 to 64 bits; temporaries are used once or often, at once or later, in the same block or beyond.
class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {
    for (unsigned k = 0; k < 3; ++k) functions_.push_back(function(k, 2 + below(3)));
    main_ = function(3, 4);
  }
  Assembler assembler;
  uint32_t main() const { return main_.id; }

private:
  struct Made {
    uint32_t symbol, id;
  };
  struct Typed {
    Operand value;
    uint32_t type;
  };

  uint64_t below(uint64_t n) { return random_() % n; }
  uint32_t someType() {
    return std::array{
        assembler.i8, assembler.i16, assembler.i64, assembler.i32, assembler.i32, assembler.i32}[below(6)];
  }
  unsigned bits(uint32_t type) { return assembler.builder.types[type].bits; }

  Made function(unsigned level, unsigned loops) {
    Assembler& a = assembler;
    FunctionAssembler f(a, "f" + std::to_string(level), {a.i64, a.i32});
    if (below(2)) f.frame(64, 16, 56);
    variables_.clear();
    temporaries_.clear();
    for (unsigned k = 0; k < 4; ++k) { // few, so that they get in each other's way
      uint32_t type = someType();
      variables_.push_back({f.variable(type), type});
      f.set(type, variables_.back().first, a.constant(random_() & uint64_t(maskBits(bits(type)))));
    }
    long_ = {{f.argument(0), a.i64}, {f.argument(1), a.i32}};
    counters_.clear();
    for (unsigned k = 0; k < loops; ++k) loop(f, level);
    Typed r = convert(f, pick(f), a.i64);
    f.ret(a.i64, r.value);
    f.finish();
    return {f.symbol(), f.id()};
  }

  uint32_t blockCount(FunctionAssembler& f) {
    return uint32_t(assembler.builder.blocks.size()) - f.record().firstBlock;
  }

  // for (i = 0; i < n; ++i) { if (...) {...} else {...} }
  void loop(FunctionAssembler& f, unsigned level) {
    Assembler& a = assembler;
    uint32_t i = f.variable(a.i32);
    f.set(a.i32, i, a.constant(0));
    uint32_t head = blockCount(f);
    f.br(head);
    f.block(true);
    temporaries_.clear();
    auto v = f.get(a.i32, i);
    auto c = f.compare(SLT, a.i32, v, a.constant(3 + below(12)));
    f.condBr(c, head + 1, head + 5);
    f.block();
    temporaries_.clear();
    straight(f, level, 6);
    Typed x = pick(f), y = convert(f, pick(f), x.type);
    auto condition = f.compare(uint8_t(EQ + below(10)), x.type, x.value, y.value);
    if (below(3) == 0) condition = f.add(Op::Xor, a.i1, {condition, a.constant(1)});
    auto keep = temporaries_;
    f.condBr(condition, head + 2, head + 3);
    f.block();
    straight(f, level, 5);
    Typed left = convert(f, pick(f), a.i32);
    f.br(head + 4);
    f.block();
    temporaries_ = keep; // they live across blocks
    straight(f, level, 5);
    Typed right = convert(f, pick(f), a.i32);
    f.br(head + 4);
    f.block();
    temporaries_ = keep;
    auto phi = f.add(Op::Phi, a.i32, {raw(head + 2), left.value, raw(head + 3), right.value});
    temporaries_.push_back({phi, a.i32});
    straight(f, level, 4);
    auto n = f.get(a.i32, i);
    auto more = f.add(Op::Add, a.i32, {n, a.constant(1)});
    f.set(a.i32, i, more);
    f.br(head);
    f.block();
    temporaries_.clear();
  }

  Typed pick(FunctionAssembler& f) {
    Assembler& a = assembler;
    switch (below(6)) {
    case 0: {
      uint32_t type = someType();
      return {a.constant(random_() >> below(64) & uint64_t(maskBits(bits(type)))), type};
    }
    case 1:
    case 2: {
      auto [word, type] = variables_[below(variables_.size())];
      return {f.get(type, word), type};
    }
    case 3:
      return long_[below(2)];
    default:
      if (temporaries_.empty()) return long_[0];
      return temporaries_[temporaries_.size() - 1 - below(std::min<size_t>(temporaries_.size(), 4))];
    }
  }

  Typed convert(FunctionAssembler& f, Typed v, uint32_t type) {
    if (v.type == type) return v;
    bool narrower = bits(type) < bits(v.type);
    Op op = narrower ? Op::Trunc : below(2) ? Op::SExt : Op::ZExt;
    return {f.add(op, type, {v.value}, v.type), type};
  }

  Operand element(FunctionAssembler& f, uint32_t type) {
    Assembler& a = assembler;
    uint64_t bytes = bits(type) / 8;
    Typed index = convert(f, pick(f), below(2) ? a.i64 : a.i32);
    auto low = f.add(Op::And, index.type, {index.value, a.constant(31)});
    Typed wide{low, index.type};
    if (below(2)) wide = convert(f, wide, a.i64);
    auto base = f.add(Op::Gep, a.pointer, {a.constant(kData)}, 0, below(3) * 8);
    return f.add(
        Op::Gep, a.pointer,
        {below(2) ? base : a.constant(kData + 4), wide.value, a.constant(bytes), raw(bits(wide.type))}, 0,
        below(2) * 8);
  }

  void straight(FunctionAssembler& f, unsigned level, unsigned count) {
    Assembler& a = assembler;
    for (unsigned k = 0; k < count; ++k) {
      switch (below(8)) {
      case 0: {
        auto [word, type] = variables_[below(variables_.size())];
        f.set(type, word, convert(f, pick(f), type).value);
        break;
      }
      case 1: {
        uint32_t type = someType();
        temporaries_.push_back({f.load(type, element(f, type)), type});
        break;
      }
      case 2: {
        uint32_t type = someType();
        Typed v = convert(f, pick(f), type);
        f.store(type, element(f, type), v.value);
        break;
      }
      case 3:
        if (level && below(4) == 0) {
          Typed x = convert(f, pick(f), a.i64), y = convert(f, pick(f), a.i32);
          temporaries_.push_back(
              {f.callInside(a.i64, functions_[below(level)].symbol, {x.value, y.value}), a.i64});
          break;
        }
        [[fallthrough]];
      case 4: {
        Typed x = pick(f), y = convert(f, pick(f), x.type);
        auto c = f.compare(uint8_t(EQ + below(10)), x.type, x.value, y.value);
        temporaries_.push_back({f.add(Op::Select, x.type, {c, x.value, y.value}, a.i1), x.type});
        break;
      }
      default: {
        static constexpr Op kOps[] = {Op::Add,  Op::Sub, Op::Mul, Op::Shl, Op::LShr,
                                      Op::AShr, Op::And, Op::Or,  Op::Xor};
        Typed x = pick(f), y = convert(f, pick(f), x.type);
        temporaries_.push_back({f.add(kOps[below(std::size(kOps))], x.type, {x.value, y.value}), x.type});
        if (below(2)) {
          auto [word, type] = variables_[below(variables_.size())];
          f.set(type, word, convert(f, temporaries_.back(), type).value);
        }
      }
      }
    }
  }

  std::mt19937_64 random_;
  std::vector<std::pair<uint32_t, uint32_t>> variables_;
  std::vector<Typed> temporaries_, long_;
  std::vector<uint32_t> counters_;
  std::vector<Made> functions_;
  Made main_;
};

} // namespace faultline::replay::testing
