// Where terms lie: nodes that never move, and a table that finds an equal one. No rule of arithmetic is here.
#pragma once

#include "logic/term.h"

#include <array>

namespace faultline::logic {

struct Node {
  Kind kind;
  uint8_t count; // operands
  bool hasFloat; // it or one below is an operation on floats
  uint32_t width;
  std::array<Term, 3> operands;
  uint64_t parameter;   // Constant of at most 64 bits: its value
  const uint64_t* wide; // Constant of more
  uint64_t variables;   // a bit for each variable in it, several on one bit: tells quickly what is not there
};

class Storage {
public:
  Term intern(Kind kind, uint32_t width, std::span<const Term> operands, uint64_t parameter);
  Term constant(uint32_t width, std::span<const uint64_t> words); // bits above `width` are 0 already
  const Node& operator[](Term t) const { return chunks_[t.id >> kShift][t.id & (kChunk - 1)]; }
  size_t size() const { return count_; }

private:
  static constexpr uint32_t kShift = 14, kChunk = 1u << kShift;
  template <class Same> Term find(uint64_t hash, Same&& same, const Node& fresh);
  void grow();
  uint64_t hashOf(const Node& node) const;

  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::vector<std::unique_ptr<uint64_t[]>> wide_;
  std::vector<uint32_t> table_ = std::vector<uint32_t>(1 << 12, ~0u); // ids, by hash
  uint32_t count_ = 0;
};

} // namespace faultline::logic
