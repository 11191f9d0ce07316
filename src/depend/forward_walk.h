// Follows input forwards through a run: what was computed from it, and what was executed, or not computed
// otherwise, because of it. The mirror of BackwardWalk: a location is *touched* from where something touched
// was put there until something else is.
//
//   n = atoi(argv[1]); for (i = 0; i < n; i++) s += 2;      argv[1] touches n, the branch of the loop, and,
//   as
//                                                           that decides how often they are executed, i and s
#pragma once

#include "depend/backward_walk.h"

namespace faultline::depend {

// Input that the walk starts from: bytes that the outside call at `call` took, or, without one, that were in
// memory from the start.
struct Seed {
  std::optional<uint64_t> call = {};
  uint64_t first = 0, address = 0, size = 0;
};

struct ForwardOptions {
  bool control = true;   // what is executed because of the input
  bool addresses = true; // what is read from, or written to, a place that the input chose
  uint64_t nodeLimit = 4'000'000;
};

class ForwardWalk {
public:
  using Effects = BackwardWalk::Effects;

  ForwardWalk(Code& code, ForwardOptions options, std::vector<Seed> seeds);
  // Where the walk begins: stacks as BackwardWalk::begin has them.
  void begin(uint64_t time, const std::map<uint32_t, std::vector<StackFunction>>& stacks, uint32_t thread);
  void walk(const replay::Trace& trace, const Effects& effects);
  // Nodes: earliest first; `consumer` is the node that the touched value came from.
  Slice finish();

private:
  static constexpr uint32_t kClean = ~uint32_t(0);
  struct Touch {
    uint64_t mask = 0;
    uint32_t node = kClean;
    explicit operator bool() const { return mask != 0; }
  };
  struct Frame {
    const FunctionCode* code;
    std::unordered_map<uint32_t, Touch> words;
    uint32_t entry = kClean;                            // its call was executed because of the input
    uint32_t block = kClean;                            // the same of the block at hand
    uint32_t current = fir::kNone, before = fir::kNone; // block at hand, and the one before it
    std::vector<uint32_t> branchNode; // by block: node of the last branch there, if it was touched
    std::vector<uint64_t> branchTime; // 0: not executed yet
    std::vector<Touch> result;
    std::vector<Touch> variable; // arguments, in order
    std::vector<Passed> variablePassed;
  };
  struct Thread {
    std::vector<Frame> stack;
    std::vector<Touch> arguments; // of the call at hand
    std::vector<Passed> passed;
    uint32_t fixed = 0;
    uint32_t caller = kClean; // touched control of the call
    uint32_t callback = kClean;
  };

  void segment(const SegmentCode& code, uint32_t from, uint32_t to, StepWords words);
  void step(const SegmentCode& code, uint32_t k, StepWords words, Frame& frame);
  void enterBlock(const SegmentCode& code, Frame& frame);
  void other(const replay::TraceOther& other, const Effects& effects);
  void outsideCall(const replay::TraceOther& other, const OutsideEffect* effect);
  void call(const SegmentCode& code, uint32_t k, Frame& frame);
  void variableArguments(const replay::TraceOther& other, Frame& frame);
  void push(uint32_t module, uint32_t function);
  uint32_t include(const SegmentCode& code, uint32_t k, uint32_t from, Why why);
  Touch memory(uint64_t address, uint64_t size, std::vector<uint64_t>* masks = nullptr);
  void touchMemory(uint64_t address, uint64_t size, std::span<const uint64_t> masks, uint32_t node,
                   uint64_t kept = 0);
  void cleanMemory(uint64_t address, uint64_t size, uint64_t kept = 0);
  Touch word(const Frame& frame, uint32_t number) const;
  void setWords(Frame& frame, uint32_t first, uint32_t count, const std::vector<Touch>& touches);
  std::vector<Touch> through(const SegmentCode& code, const Step& s, StepWords words, const Frame& frame,
                             uint32_t& from, Why& why) const;

  Code& code_;
  ForwardOptions options_;
  std::vector<Seed> seeds_;
  WantedMemory memory_; // the wanter is the node
  std::map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;
  uint32_t threadNumber_ = 0;
  uint64_t time_ = 0, stepTime_ = 0;
  uint64_t serial_ = 0;
  std::vector<const replay::TraceOther*> lists_; // va_start, in the segment that follows
  Slice slice_;
  std::vector<InstructionCount> counts_;
};

} // namespace faultline::depend
