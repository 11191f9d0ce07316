// What was executed, and who made what, at any time of a run: windows of instances (instance_window.h), made
// when something in them is asked for, the last used kept. An instance is named by its time.
//
//   Instances all(history);
//   FL_TRY(use, all.at(time));                    an instruction that was executed
//   FL_TRY(made, all.operand(time, 1));           who made its operand 1
#pragma once

#include "depend/instance_window.h"

#include <list>

namespace faultline::depend {

inline constexpr uint64_t kNoInstance = ~uint64_t(0);

// Where a word, or some bytes, came from.
struct Origin {
  enum Kind : uint8_t {
    Made,     // the instance at `time` made it: word `part` of its result, or byte `part` of what it wrote
    Argument, // the call at `time` passed it: operand `part`, word `word` of it
    Nobody,   // a constant, an undefined value
    Initial,  // memory as the program found it at its start
    Start,   // outside code gave it: an argument of main or of a callback, what longjmp returned; see `value`
    Outside, // outside code wrote it, nobody knows which call
  };
  Kind kind = Nobody;
  uint64_t time = kNoInstance;
  uint32_t part = 0, word = 0;
  uint64_t address = 0; // of memory
  std::optional<uint64_t> value = {};
};

struct OriginPiece {
  uint32_t offset = 0, size = 0; // bytes
  Origin origin = {};
};

struct Executed {
  uint64_t time = kNoInstance;
  uint32_t id = fir::kNone;
  uint32_t thread = 0, depth = 0;
  const fir::Image* image = nullptr;
  const fir::Instruction* instruction = nullptr;
  uint32_t module = 0, function = 0, local = 0, block = 0;
  uint64_t value = 0;                   // of its result, or of what it stores, returns, or decides by
  std::span<const uint64_t> words = {}; // of a result of more than one word
  std::shared_ptr<const InstanceWindow> keep = nullptr; // that has them
};

class Instances {
public:
  struct Options {
    uint64_t windowInstructions = 250'000; // as History has them, so that its summaries are of use
    uint64_t memoryBytes = uint64_t(1) << 30;
  };
  explicit Instances(History& history);
  Instances(History& history, Options options);

  History& history() { return history_; }

  // Fails if nothing was executed at that time, as where the run ended.
  Result<Executed> at(uint64_t time);
  bool isExecuted(uint64_t time);
  // Word `word` of the operand; a Phi's: the one that was taken.
  Result<Origin> operand(uint64_t time, uint32_t operand, uint32_t word = 0);
  // Which operand a Phi took, and the branch that led there (kNoInstance: none).
  struct Choice {
    uint32_t operand = 0;
    uint64_t edge = kNoInstance;
  };
  Result<Choice> choice(uint64_t phi);
  // Of what a Load, Copy, AtomicRMW or CmpXchg read.
  Result<std::vector<OriginPiece>> loaded(uint64_t time);
  struct Access {
    uint64_t address = 0, size = 0, source = 0;
  };
  Result<std::optional<Access>> access(uint64_t time);
  // What an outside call made of what; null: it was no outside call, or did not return.
  Result<std::shared_ptr<const OutsideEffect>> effect(uint64_t time);
  // Of source `source` of flow `flow` of it.
  Result<std::vector<OriginPiece>> effectSource(uint64_t time, uint32_t flow, uint32_t source);
  // The branch, or else the call, that decided that it was executed; kNoInstance: outside code.
  Result<uint64_t> control(uint64_t time);
  // The call that made the frame it was executed in; kNoInstance: none of the program's.
  Result<uint64_t> caller(uint64_t time);

  // In the frame at `depth` (0: innermost) of the running thread, before `time`: the last instance of the
  // instruction, if it is under way or was executed last there; who made a word.
  Result<uint64_t> underWay(uint64_t time, uint32_t thread, size_t depth);
  Result<Origin> word(uint64_t time, uint32_t thread, size_t depth, uint32_t word);
  Result<std::vector<OriginPiece>> memory(uint64_t time, uint64_t address, uint64_t size);

  // Times of branches that had a choice in from..to, the latest first, until visit says false.
  Result<void> branches(uint64_t from, uint64_t to,
                        const std::function<bool(uint64_t time, uint32_t id, uint32_t depth)>& visit);
  // The same of stores to memory.
  Result<void> writes(uint64_t from, uint64_t to,
                      const std::function<bool(uint64_t time, uint32_t id)>& visit);
  uint64_t windowsMade() const { return made_; }
  // Asked before more of the run is looked at; false: no more, and what needs it fails.
  void setWatch(std::function<bool()> watch) {
    watch_ = std::move(watch);
    wasStopped_ = false;
  }
  bool wasStopped() const { return wasStopped_; }

private:
  using WindowPointer = std::shared_ptr<const InstanceWindow>;
  Result<WindowPointer> window(uint64_t time);
  Result<WindowPointer> windowBefore(uint64_t start); // the one that ends there; null: the run began there
  // The last one before `start` that may have written there.
  Result<WindowPointer> windowWriting(uint64_t start, uint64_t address, uint64_t size);
  // The last one before `w` in which the call at `depth` of the thread began, or executed a segment that is
  // wanted.
  using IsWanted = std::function<bool(const SegmentCode& segment)>;
  Result<WindowPointer> windowExecuting(const InstanceWindow& w, uint32_t thread, uint32_t depth,
                                        const IsWanted& isWanted);
  struct Place { // a call of a function that is active
    uint32_t thread, depth, module, function;
  };
  Result<Origin> resolveWord(WindowPointer w, Maker maker, const Place& place, uint32_t word);
  Origin madeBy(const InstanceWindow& w, Maker maker, const Place& place, uint32_t word);
  Result<std::vector<OriginPiece>> resolve(WindowPointer w, std::span<const MemoryPiece> pieces,
                                           uint64_t address);
  Result<void> resolveBytes(WindowPointer w, uint64_t address, uint64_t size, uint32_t offset,
                            std::vector<OriginPiece>& out);
  void addMade(const InstanceWindow& w, Maker maker, uint64_t address, uint32_t size, uint32_t offset,
               std::vector<OriginPiece>& out);
  Result<uint64_t> frameCall(WindowPointer w, uint32_t frame);
  const FrameEnd* frameEnd(const InstanceWindow& w, uint32_t thread, uint32_t depth) const;

  History& history_;
  Options options_;
  std::list<WindowPointer> kept_; // latest used first
  uint64_t keptBytes_ = 0, made_ = 0;
  std::function<bool()> watch_;
  bool wasStopped_ = false;
  WindowPointer last_;
};

} // namespace faultline::depend
