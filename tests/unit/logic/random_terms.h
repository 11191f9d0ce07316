// Random terms over a few variables, next to their value, which is computed without any rule.
#pragma once

#include "logic/solver.h"
#include "logic/term.h"
#include "replay/int_ops.h"

#include <gtest/gtest.h>
#include <random>

namespace faultline::logic::testing {

using U128 = unsigned __int128;

struct Valued {
  Term term;
  U128 value;
};

class RandomTerms {
public:
  RandomTerms(Terms& terms, uint64_t seed) : t(terms), random(seed) {
    for (uint32_t k = 0; k < 6; ++k) {
      uint32_t width = kWidths[k % std::size(kWidths)];
      U128 value = number(width);
      Term x = t.variable(width, k);
      values[x] = constant(width, value);
      all.push_back({x, value});
    }
  }

  Terms& t;
  std::mt19937_64 random;
  std::vector<Valued> all;
  Terms::Map values;

  U128 number(uint32_t width) {
    U128 v = U128(random()) << 64 | random();
    if (random() % 2) v = random() % 5;
    if (random() % 5 == 0) v = ~v;
    return v & replay::maskBits(width);
  }
  Term constant(uint32_t width, U128 value) {
    uint64_t words[] = {uint64_t(value), uint64_t(value >> 64)};
    return t.constant(width, words);
  }
  Valued any() {
    return all[random() % 3 ? all.size() - 1 - random() % std::min<size_t>(all.size(), 8)
                            : random() % all.size()];
  }
  Valued any(uint32_t width) {
    if (random() % 5 == 0) {
      U128 v = number(width);
      return {constant(width, v), v};
    }
    for (int tries = 0; tries < 12; ++tries)
      if (Valued v = any(); t.width(v.term) == width) return v;
    Valued v = any();
    uint32_t from = t.width(v.term);
    if (from > width) return {t.extract(v.term, 0, width), v.value & replay::maskBits(width)};
    return {t.zeroExtend(v.term, width), v.value};
  }

  // One more, from those that there are.
  Valued grow() {
    Valued made = one();
    all.push_back(made);
    return made;
  }
  // Its value as it was computed here.
  static std::string show(U128 v) {
    char text[40];
    snprintf(text, sizeof text, "%016lx%016lx", (unsigned long)(v >> 64), (unsigned long)v);
    return text;
  }

private:
  static constexpr uint32_t kWidths[] = {1, 8, 32, 64, 16, 5};

  Valued one() {
    Valued a = any();
    uint32_t width = t.width(a.term);
    U128 mask = replay::maskBits(width);
    switch (random() % 8) {
    case 0:
    case 1:
    case 2: {
      auto kind = Kind(unsigned(Kind::Add) + random() % 13);
      Valued b = any(width);
      if (random() % 2) std::swap(a, b);
      auto op = fir::Op(unsigned(fir::Op::Add) + unsigned(kind) - unsigned(Kind::Add));
      return {t.binary(kind, a.term, b.term), replay::computeInt(op, width, a.value, b.value)};
    }
    case 3: {
      auto kind = Kind(unsigned(Kind::Equal) + random() % 5);
      static const uint8_t predicates[] = {replay::EQ, replay::ULT, replay::ULE, replay::SLT, replay::SLE};
      Valued b = any(width);
      if (random() % 2) std::swap(a, b);
      uint8_t predicate = predicates[unsigned(kind) - unsigned(Kind::Equal)];
      return {t.binary(kind, a.term, b.term), U128(replay::compareInt(predicate, width, a.value, b.value))};
    }
    case 4: {
      Valued b = any();
      uint32_t low = t.width(b.term);
      if (width + low > 128) return {t.unary(Kind::Not, a.term), ~a.value & mask};
      return {t.concat(a.term, b.term), a.value << low | b.value};
    }
    case 5: {
      auto from = uint32_t(random() % width), n = uint32_t(1 + random() % (width - from));
      return {t.extract(a.term, from, n), (a.value >> from) & replay::maskBits(n)};
    }
    case 6: {
      auto to = uint32_t(std::min<uint64_t>(width + random() % 40, 128));
      if (random() % 2) return {t.zeroExtend(a.term, to), a.value};
      return {t.signExtend(a.term, to), U128(replay::signExtend(a.value, width)) & replay::maskBits(to)};
    }
    default: {
      Valued c = any(1), b = any(width);
      return {t.choose(c.term, a.term, b.term), c.value & 1 ? a.value : b.value};
    }
    }
  }
};

} // namespace faultline::logic::testing
