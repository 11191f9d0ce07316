// Follows dependences backwards through a run, trace by trace, the last first. At every moment it knows the
// locations whose definition it looks for: frame words of the functions that are active at that moment, and
// bits of memory; and the blocks of which it still has to see the branch that led there. A location is in the
// set from its use back to its definition, so one pass over the trace finds everything, and what the trace
// does between costs a test or two per segment.
//
//   s = 0; for (i = 0; i < n; i++) s += a[i];  print(s)
//   print(s)         wants s
//   s += a[i]        defines s: a node; wants s, a[i] and its address; waits for the branch of the loop
//   i < n            decides: a node; wants i, n; waits for itself, one iteration earlier
//   i++ ...
#pragma once

#include "depend/walk_ends.h"
#include "depend/walk_memo.h"
#include "depend/window_summary.h"
#include "replay/tracer.h"

#include <functional>
#include <map>
#include <optional>

namespace faultline::depend {

struct WalkOptions {
  bool addresses = true; // what an address was computed from
  bool control = true;   // why an instance was executed
  bool values = true;    // what values were made of; without: the nesting of decisions and calls alone
  uint64_t nodeLimit = 4'000'000;
  uint64_t stepLimit = ~uint64_t(0); // instances to take in before the walk stops
  bool repeats = true;               // behind nodeLimit: what was done before (walk_memo.h)
  // Functions into which the walk does not look: what they return stands for itself.
  std::function<bool(uint32_t module, uint32_t function)> stopsAt = nullptr;
};

// What might have been written on the side of a branch that was not taken.
class Alternatives {
public:
  virtual ~Alternatives() = default;
  // Memory became wanted by this node, which reads it, or is no longer.
  virtual void onWanted(uint32_t node, uint32_t id, bool wanted) = 0;
  // Who wants something that might have been written; kNobody: nothing. `taken`: the block that was executed
  // next.
  virtual Wanter mayHaveChanged(const SegmentCode& branch, uint32_t taken, const FrameWants& frame) = 0;
  // Whether something might have been printed there.
  virtual bool mayHavePrinted(const SegmentCode& branch, uint32_t taken, const FrameWants& frame) = 0;
};

// The place of a byte in the output: behind what the call at `before` printed. How much that was belongs to
// the addresses; what might have been printed since then, and was not, to the alternatives.
struct OutputPosition {
  std::optional<uint64_t> before = {}; // nothing: it is the first byte of all
};

// `count` bits of memory, from bit `first` of the byte at `address` on.
struct BitRange {
  uint64_t address = 0;
  uint32_t first = 0, count = 0;
};

// One frame of a thread's stack, outermost first.
struct StackFunction {
  uint32_t module, function;
  bool isAtStart = false; // called, and nothing of it executed yet
};

class BackwardWalk {
public:
  using Effects = std::function<const OutsideEffect*(uint64_t number)>;

  BackwardWalk(Code& code, WalkOptions options) : code_(code), options_(std::move(options)) {}
  void setAlternatives(Alternatives* alternatives);
  // Where earlier walks' ends are found, and this one's are left.
  void useEnds(WalkEnds* ends) { ends_ = ends; }

  // Where the walk begins: all threads' stacks, and the one that runs.
  void begin(uint64_t time, const std::map<uint32_t, std::vector<StackFunction>>& stacks, uint32_t thread);
  // What the question is about, in the frame at `depth` (0: innermost) of the running thread. The instruction
  // `id` of `block` is the first node.
  uint32_t addCriterion(uint32_t id, uint32_t depth, uint32_t block);
  void wantWord(uint32_t depth, uint32_t word, uint64_t mask, uint32_t node, Why why = Why::Value);
  void wantMemory(uint64_t address, uint64_t size, uint32_t node);
  void wantBits(const BitRange& range, uint32_t node);
  void wantPosition(const OutputPosition& position, uint32_t node);

  // The trace that ends where the walk stands. Effects of the outside calls in it.
  void walk(const replay::Trace& trace, const Effects& effects);
  // The same for a window of which there is a summary, if it makes and decides nothing that is looked for;
  // else false, and the walk needs its trace.
  bool passOver(const WindowSummary& window);
  bool isDone() const;
  // It goes no further, although there is more.
  void stop() { slice_.isBounded = true; }
  // Nothing is left, or the run's start is reached.
  Slice finish();

private:
  struct ThreadWants {
    std::vector<WalkFrame> stack;
    CallWants callee; // on the call of the function that the walk has just left
    std::shared_ptr<FrameWants::Variadic> variadic;
    bool hasCallee = false;
    const KnownCall* knownCall = nullptr; // instead, while it repeats
    void dropCallee() {
      callee.clear();
      variadic.reset();
      hasCallee = false;
    }
    Wanter thrown = kNobody; // someone needs that it came to this by a throw or a jump
    Wanter root = kNobody;   // needs that the thread was started
    bool isRootPending = false;
    bool isAtStart = false; // the walk begins where the innermost function does
  };

  void leaveUnstarted();
  bool mayConcern(const ThreadSummary& summary, const ThreadWants& thread);
  bool mayConcern(const ThreadSummary& summary, const FrameWants& frame);
  FrameWants* top() { return thread_->stack.empty() ? nullptr : &thread_->stack.back().change(); }
  void push(uint32_t module, uint32_t function);
  void other(const replay::TraceOther& other, const replay::Trace& trace, size_t event,
             const Effects& effects);
  void returned(uint32_t number, const SegmentCode& callee);
  void segment(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words);
  void steps(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words, FrameWants& frame);
  bool isOfInterest(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words,
                    const FrameWants& frame);
  void step(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame);
  void compute(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame);
  void store(const SegmentCode& code, uint32_t k, FrameWants& frame, Wanter who);
  void access(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame);
  void copy(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame);
  void update(const SegmentCode& code, uint32_t k, const StepWords& words, FrameWants& frame);
  void branch(const SegmentCode& code, uint32_t k, FrameWants& frame);
  void call(const SegmentCode& code, uint32_t k, FrameWants& frame);
  void passVariadic(const SegmentCode& code, const Step& step, FrameWants& frame, uint32_t node);
  void stopped(const SegmentCode& code, uint32_t from, uint32_t to, const StepWords& words,
               FrameWants& frame);
  void addSource(const FlowSource& source, const OutsideFlow& flow, std::span<const uint64_t> masks,
                 const SegmentCode& site, FrameWants& frame, uint32_t node);
  void wantArguments(const SegmentCode& site, FrameWants& frame, uint32_t node, Why why);
  bool takesBlame(const OutsideEffect& effect, Wanter& who);
  void resolvePhis(const SegmentCode& code, FrameWants& frame);
  void leaveFunction(FrameWants& frame);
  void outsideCall(const replay::TraceOther& other, const OutsideEffect* effect);
  void enteredFromOutside(const replay::TraceOther& other);
  void outsideWrote(const replay::TraceOther& other);
  void collectLists(const replay::Trace& trace, size_t event);
  void variableArguments(const replay::TraceOther& other);
  Wanter startedThread(const OutsideEffect& effect);

  struct Mark { // what was found before a moment at which the walk may be joined
    uint64_t time;
    WantsDigest wants;
    size_t nodes, leaves;
    std::vector<uint64_t> instances; // by global id
    std::unordered_map<std::string, uint64_t> blackBoxes;
  };
  std::optional<WantsDigest> digest() const;
  void atWindowStart();
  std::optional<uint32_t> nodeFor(const WalkEnd::Consumer& consumer,
                                  const std::unordered_map<uint64_t, uint32_t>& at) const;
  bool join(const WalkEnd& end);
  void rememberEnds() const;
  void addLastLeaves();

  bool mayRepeat() const;
  void beginQuick();
  void endQuick();
  void countRepeated();
  void settle();
  bool knowCall();
  KnownFrame* know(WalkFrame& frame);
  template <class Do> bool remember(const PieceKey& key, Do&& act);
  void recordLoad(const Step& load, uint32_t node);
  void repeat(Piece& piece, const StepWords& words);
  bool quickSteps(uint32_t number, const SegmentCode& code, uint32_t lowest, uint32_t end,
                  const StepWords& words);
  bool quickWrite(uint32_t number, const SegmentCode& code, uint32_t k, const StepWords& words);
  bool quickSegment(uint32_t number, const SegmentCode& code, const StepWords& words);
  void quickLeave();
  bool quickReturn(uint32_t number, const SegmentCode& callee);

  uint32_t include(const SegmentCode& code, uint32_t k, FrameWants& frame, Wanter who, Why why);
  uint32_t addNode(uint32_t id, uint64_t time, Wanter who, Why why);
  void wantUse(const Use& use, const uint64_t* masks, uint32_t maskWords, FrameWants& frame, uint32_t node,
               uint64_t chosen, uint32_t bits);
  void wantAddresses(const SegmentCode& code, const Step& step, FrameWants& frame, uint32_t node);
  uint64_t valueOf(const Place& place, const StepWords& words) const {
    return place.isConstant ? place.constant : words[place.traced];
  }
  static Why whyFor(Role role) {
    return role == Role::Address ? Why::Address : role == Role::Condition ? Why::Control : Why::Value;
  }

  Code& code_;
  WalkOptions options_;
  Alternatives* alternatives_ = nullptr;
  std::optional<OutputPosition> position_ = {}; // until the walk has come to it
  uint32_t positionNode_ = kNoConsumer;
  WantedMemory memory_;
  std::map<uint32_t, ThreadWants> threads_;
  ThreadWants* thread_ = nullptr;
  uint32_t threadNumber_ = 0;
  uint64_t time_ = 0;     // of the instruction that the walk comes to next, plus one
  uint64_t stepTime_ = 0; // of the step at hand
  // Memory that outside code wrote at some time before, and nobody knows yet which call.
  WantedMemory blamed_;
  std::vector<uint64_t> masks_, operandMasks_;
  std::vector<const replay::TraceOther*> lists_; // of the segment at hand
  Slice slice_;
  std::vector<InstructionCount> counts_; // by global id
  uint64_t included_ = 0;

  WalkEnds* ends_ = nullptr;
  std::vector<Mark> marks_;
  uint64_t windowsCounted_ = 0; // since instances are only counted
  bool hasJoined_ = false;

  std::unique_ptr<WalkMemo> memo_;
  bool isQuick_ = false;       // in the trace at hand
  uint32_t pause_ = 0;         // traces
  Piece* recording_ = nullptr; // what is done goes there
  bool isRecordable_ = true;
};

} // namespace faultline::depend
