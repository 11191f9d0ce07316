// Asks a run for a backward slice: from an instance and what it used there.
#pragma once

#include "depend/backward_walk.h"
#include "depend/forward_walk.h"
#include "depend/history.h"

namespace faultline::depend {

struct Question {
  replay::Time time = 0; // the instruction that was about to be executed; the run's end: where it ended
  size_t frame = 0;      // 0: the innermost
  uint32_t instruction = fir::kNone; // local id, in that frame; kNone: where the frame stands
  std::vector<uint32_t> operands =
      {}; // numbers of operands that are asked for; none: why it is executed at all
  std::vector<std::pair<uint64_t, uint64_t>> memory = {}; // address, size
  std::vector<BitRange> bits = {};                        // of a bit-field
  std::vector<uint32_t> words = {};                       // frame words
  std::optional<OutputPosition> position = {};            // and where in the output it came to be
};

// Of all threads, as the replay stands.
std::map<uint32_t, std::vector<StackFunction>> stacksOf(const replay::Replay& replay);

Result<Slice> sliceBackward(History& history, const Question& question, WalkOptions options = {},
                            Alternatives* alternatives = nullptr);
// What the input reached, over the whole run.
Result<Slice> sliceForward(History& history, std::vector<Seed> seeds, ForwardOptions options = {});

} // namespace faultline::depend
