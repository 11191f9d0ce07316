// The loops of a function, one within the other: a loop is a set of blocks each of which leads to all others,
// and its header the block by which it is entered. What is left of it without the header has the loops
// inside.
//
//   b0 -> b1;  b1 -> b2, b4;  b2 -> b2, b3;  b3 -> b1        loop 0: b1 b2 b3, header b1
//                                                            loop 1: b2, within loop 0
#pragma once

#include "program/image.h"

namespace faultline::fir {

class Loops {
public:
  Loops(const Image& image, const Function& function);

  struct Loop {
    uint32_t header = 0;
    uint32_t outer = kNone; // the loop around it
    std::vector<uint32_t> blocks = {};
    std::vector<uint32_t> leaving = {}; // of these, those that may go to a block outside
  };
  std::span<const Loop> all() const { return loops_; } // outer ones before inner ones
  // The innermost loop that the block is in; kNone: in none.
  uint32_t of(uint32_t block) const { return innermost_[block]; }
  bool has(uint32_t loop, uint32_t block) const;

private:
  using Edges = std::vector<std::vector<uint32_t>>;
  void findIn(const Edges& successors, std::vector<uint32_t> blocks, uint32_t outer);
  void add(const Edges& successors, const Edges& predecessors, std::vector<uint32_t> blocks, uint32_t outer);

  std::vector<Loop> loops_;
  std::vector<uint32_t> innermost_; // by block
};

} // namespace faultline::fir
