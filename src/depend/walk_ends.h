// What is left of a backward walk from some moment on depends on nothing but what it looks for there. So a
// walk that comes to a moment looking for just what an earlier one looked for ends as that one did, and need
// not go on. In a run in which much influences much, questions about its end soon look for the same:
//
//   question 1, from s:   s | i, n, a[0..9], s | ... the rest of the run
//   question 2, from t:   t | i, n, a[0..9], s    the same as question 1 here: its rest is known
//
// This holds once instances have no nodes of their own any more (WalkOptions::nodeLimit): the rest is then
// counts, the first instance of each instruction, and leaves.
#pragma once

#include "depend/packed_file.h"
#include "depend/slice.h"

#include <array>
#include <map>

namespace faultline::depend {

// Of all that a walk looks for at a moment, whoever wants it.
using WantsDigest = std::array<uint64_t, 2>;

struct WalkEnd {
  // Another walk has other nodes: an instance stands for its node, its instruction for that where it has
  // none.
  struct Consumer {
    uint64_t time = 0;
    uint32_t id = kNoConsumer; // none
    bool operator==(const Consumer&) const = default;
  };
  struct First { // instance of an instruction that this walk had not met before
    uint64_t time = 0;
    uint32_t id = 0, thread = 0;
    Why why = Why::Value;
    Consumer consumer;
    bool operator==(const First&) const = default;
  };
  struct LeafAt {
    Leaf leaf;
    Consumer consumer;
  };
  uint64_t time = 0;
  WantsDigest wants = {};
  uint64_t start = 0; // where it ended
  std::vector<std::pair<uint32_t, uint64_t>> instances = {};
  std::vector<First> firsts = {};
  std::vector<LeafAt> leaves = {};
  std::vector<std::pair<std::string, uint64_t>> blackBoxes = {};
};

class WalkEnds {
public:
  explicit WalkEnds(uint64_t windowInstructions) : windowInstructions_(windowInstructions) {}
  bool hasAt(uint64_t time) const { return ends_.contains(time); }
  const WalkEnd* find(uint64_t time, const WantsDigest& wants) const;
  void add(WalkEnd end); // the oldest go if there are too many
  size_t size() const { return order_.size(); }

  // Whether to remember what is looked for at this time, having remembered or passed so many windows: soon
  // after the walk has come to count, then less and less often, at times that other walks come to as well.
  bool isWorthIt(uint64_t time, uint64_t windows) const;

  void load(const recording::SideFiles& side);
  Result<void> write(const recording::SideFiles& side);

private:
  uint64_t windowInstructions_;
  std::multimap<uint64_t, WalkEnd> ends_; // by time
  std::vector<std::multimap<uint64_t, WalkEnd>::iterator> order_;
  uint64_t bytes_ = 0;
  bool isNew_ = false;
};

// Nothing: it is not well-formed.
std::vector<uint8_t> encodeEnd(const WalkEnd& end);
std::optional<WalkEnd> decodeEnd(std::span<const uint8_t> bytes);

} // namespace faultline::depend
