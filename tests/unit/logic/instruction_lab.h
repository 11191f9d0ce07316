// One FIR instruction on given operands: computed by replay's own function, and as a term, folded, evaluated
// and asked of the solvers. All must agree.
#pragma once

#include "logic/encode.h"
#include "logic/solver.h"
#include "program/operands.h"
#include "replay/fp_ops.h"
#include "replay/int_ops.h"
#include "replay/machine.h"
#include "replay/operations.h"
#include "unit/replay/assembler.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

namespace faultline::logic::testing {

using replay::testing::Assembler;
using replay::testing::raw;
using replay::testing::word;
using Words = std::vector<uint64_t>;
using U128 = unsigned __int128;

enum class Ask { Nobody, Z3, Both };

class Lab {
public:
  explicit Lab(uint64_t seed = 7) : random(seed) {}

  Assembler a;
  std::mt19937_64 random;

  // An instruction without operands yet.
  fir::Instruction instruction(fir::Op op, uint32_t type, uint32_t aux = 0, uint8_t sub = 0,
                               uint64_t imm = 0) {
    fir::Instruction i{};
    i.op = op;
    i.sub = sub;
    i.type = type;
    i.aux = aux;
    i.imm = imm;
    return i;
  }

  U128 number(uint32_t bits) {
    U128 v = U128(random()) << 64 | random();
    switch (random() % 5) {
    case 0:
      v = U128(__int128(int64_t(random() % 9) - 4));
      break;
    case 1:
      v = U128(1) << (random() % bits);
      break;
    case 2:
      v = ~U128(0) >> (random() % 128);
      break;
    default:
      break;
    }
    return v & replay::maskBits(bits);
  }
  // Numbers that rounding, overflow and conversions care about, NaNs of both kinds, and any pattern.
  U128 floating(fir::TypeKind kind) {
    static const double special[] = {0.0,     -0.0,    1.0,          -1.5,     0.5,         2.5,
                                     1e10,    -3e9,    2147483648.0, -0x1p63,  0x1p63,      0x1.fp62,
                                     65504.0, 65520.0, 1e-8,         INFINITY, -INFINITY,   NAN,
                                     1e300,   5e-324,  0x1p-24,      3.7,      4294967295.0};
    switch (random() % 4) {
    case 0:
      return U128(random()) & replay::maskBits(replay::fpBits(kind));
    case 1: // a signalling NaN
      if (random() % 2)
        return kind == fir::TypeKind::Half    ? 0x7d01
               : kind == fir::TypeKind::Float ? 0xff812345u
                                              : 0x7ff4000000012345ull;
      [[fallthrough]];
    default: {
      double d = special[random() % std::size(special)];
      if (random() % 2) d = double(int64_t(random() % 2000) - 1000) / double(1 + random() % 16);
      return replay::convertFp(fir::TypeKind::Double, kind, replay::fpToBits(d));
    }
    }
  }
  Words value(uint32_t type) {
    fir::Type t = a.builder.types[type];
    const fir::Type& e = t.kind == fir::TypeKind::Vector ? a.builder.types[t.element] : t;
    Words out(std::max(t.words, 2u), 0);
    if (t.kind == fir::TypeKind::Aggregate) {
      for (uint32_t k = 0; k < t.bytes; ++k) reinterpret_cast<uint8_t*>(out.data())[k] = uint8_t(random());
    } else {
      for (uint32_t k = 0; k < t.lanes; ++k)
        replay::setLane(out.data(), e.bits, k, replay::isFp(e.kind) ? floating(e.kind) : number(e.bits));
    }
    out.resize(std::max(t.words, 1u));
    return out;
  }

  struct Value { // an operand: words in the frame; or what a Raw operand says
    Words words;
    uint32_t width = 0; // as a term
    uint32_t raw = fir::kNone;
  };
  Value of(uint32_t type) { return {value(type), widthOf(a.builder.types[type])}; }
  static Value number(uint32_t width, uint64_t n) { return {{n}, width}; }
  static Value rawValue(uint32_t n) { return {{}, 0, n}; }

  void expectAgreement(fir::Instruction i, const std::vector<Value>& values, uint32_t resultWidth, Ask whom) {
    std::vector<fir::Operand> operands;
    Words frame;
    for (const Value& v : values) {
      if (v.raw != fir::kNone) {
        operands.push_back(raw(v.raw));
        continue;
      }
      operands.push_back(word(uint32_t(frame.size())));
      frame.insert(frame.end(), v.words.begin(), v.words.end());
    }
    i.operands = uint32_t(a.builder.operands.size());
    i.operandCount = uint16_t(operands.size());
    a.builder.operands.insert(a.builder.operands.end(), operands.begin(), operands.end());
    i.dst = uint32_t(frame.size());
    fir::Image image = a.image();
    Words result;
    if (!compute(image, i, frame, result)) return; // a division that the processor refuses

    Terms t;
    std::vector<Term> constants, variables, conditions;
    for (size_t k = 0; k < values.size(); ++k) {
      if (values[k].raw != fir::kNone) {
        constants.emplace_back(), variables.emplace_back();
        continue;
      }
      constants.push_back(t.constant(values[k].width, values[k].words));
      variables.push_back(t.variable(values[k].width, k));
      conditions.push_back(t.equal(variables.back(), constants.back()));
    }
    Term expected = t.constant(resultWidth, result);
    std::optional<Term> folded = encode(t, image, i, constants), general = encode(t, image, i, variables);
    ASSERT_TRUE(folded && general) << "no theory";
    ASSERT_EQ(t.width(*general), resultWidth);
    EXPECT_EQ(*folded, expected) << "folding: " << show(t, *folded) << " replay: " << show(t, expected);
    Term evaluated = t.evaluate(*general, [&](Term x) { return constants[t.parameter(x)]; });
    EXPECT_EQ(evaluated, expected) << "evaluating: " << show(t, evaluated)
                                   << " replay: " << show(t, expected);
    if (whom != Ask::Nobody) ask(t, conditions, t.equal(*general, expected), whom);
  }

  static std::string show(const Terms& t, Term constant) {
    std::string out;
    if (!t.isConstant(constant)) return "no constant";
    for (uint64_t w : t.words(constant)) out = fmt::format("{:016x} ", w) + out;
    return out;
  }

private:
  static bool compute(const fir::Image& image, const fir::Instruction& i, Words frame, Words& result) {
    replay::Machine machine(1 << 20);
    replay::LoadedModule module;
    module.image = &image;
    replay::DecodedFunction function;
    function.module = &module;
    replay::Operation op;
    auto& types = image.types;
    op.instruction = &i;
    op.function = &function;
    op.type = &types[i.type];
    op.element = op.type->kind == fir::TypeKind::Vector ? &types[op.type->element] : op.type;
    op.auxType = &types[i.aux];
    op.dst = i.dst;
    op.dstWords = std::max(fir::resultWords(image, i), 1u);
    op.run = replay::operationFor(i);
    for (fir::Operand o : image.operandsOf(i)) op.sources.push_back({nullptr, fir::operandIndex(o)});
    frame.resize(frame.size() + op.dstWords + 2);
    if (!op.run(machine, op, frame.data())) return false;
    result.assign(frame.begin() + i.dst, frame.begin() + i.dst + op.dstWords);
    return true;
  }

  static void ask(Terms& t, std::vector<Term> conditions, Term claim, Ask whom) {
    for (auto make : {makeZ3, makeCvc5}) {
      if (make == makeCvc5 && whom == Ask::Z3) break;
      std::unique_ptr<Solver> solver = std::move(*make(t));
      SCOPED_TRACE(solver->name());
      conditions.push_back(claim);
      Answer yes = solver->check({conditions, false, 20000});
      EXPECT_EQ(yes.kind, Answer::Satisfiable) << yes.reason;
      conditions.back() = t.negate(claim);
      Answer no = solver->check({conditions, false, 20000});
      EXPECT_EQ(no.kind, Answer::Unsatisfiable) << no.reason;
      conditions.pop_back();
    }
  }
};

} // namespace faultline::logic::testing
