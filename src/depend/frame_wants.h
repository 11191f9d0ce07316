// What a backward walk wants of one call of a function: frame words, the decisions that led to blocks of it,
// and what it will have to say when it comes to the call itself.
#pragma once

#include "depend/code.h"
#include "depend/slice.h"

#include <functional>

namespace faultline::depend {

// Wants on the arguments of a call, found in the function that it called.
struct CallWants {
  bool isPending = false;
  Wanter control = kNobody; // someone needs that the call was made
  struct Argument {
    uint32_t number; // from 0
    uint32_t word;   // of the argument
    uint64_t mask;
    Wanter who;
    bool operator==(const Argument&) const = default;
  };
  std::vector<Argument> arguments;
  bool operator==(const CallWants&) const = default;
  void clear() {
    isPending = false;
    control = kNobody;
    arguments.clear();
  }
};

class FrameWants {
public:
  explicit FrameWants(const FunctionCode& code);

  const FunctionCode& code() const { return *code_; }
  void want(uint32_t word, uint64_t mask, Wanter who) {
    uint64_t& bits = live_[word / 64];
    uint64_t bit = uint64_t(1) << word % 64;
    if (!(bits & bit)) {
      if (mask_.empty()) mask_.resize(code_->words + 1), who_.resize(code_->words + 1);
      bits |= bit;
      mask_[word] = 0;
      who_[word] = who;
      ++count_;
    }
    mask_[word] |= mask;
  }
  bool isWanted(uint32_t word) const { return live_[word / 64] >> word % 64 & 1; }
  // 0: not wanted. who is set only if it was kNobody.
  uint64_t take(uint32_t word, Wanter& who) {
    if (!isWanted(word)) return 0;
    live_[word / 64] &= ~(uint64_t(1) << word % 64);
    --count_;
    if (who == kNobody) who = who_[word];
    return mask_[word];
  }
  Wanter wanterOf(uint32_t word) const { return who_[word]; }
  bool wantsAny(uint32_t index, uint64_t bits) const { return live_[index] & bits; }
  std::span<const uint64_t> live() const { return live_; }
  uint32_t count() const { return count_; }

  // Someone in `block` needs to know why it was executed.
  void wait(uint32_t block, Wanter who);
  // The branch at the end of `block` was executed: who waited for it, kNobody: no one.
  Wanter decide(uint32_t block);
  bool isWaiting() const { return waiting_ != 0; }
  // Whether decide(block) would find someone.
  bool isAwaited(uint32_t block) const;

  Wanter entry = kNobody;         // waits for the call of the function
  CallWants call;                 // on the call that the walk comes to next
  Wanter callback = kNobody;      // an outside call that the frame makes needs what it called back
  uint32_t outside = kNoConsumer; // the node of that call
  bool isOutsideNew = false;      // made for this very call: its time is known when the walk comes to it
  Wanter landing = kNobody;
  uint32_t landed = kNoConsumer; // the node of the call that threw, until the walk comes to the call
  bool isLandedNew = false;      // as isOutsideNew
  struct PendingPhi {
    const SegmentCode* segment;
    uint32_t step;
    uint64_t mask[2];
    uint32_t node;
    bool operator==(const PendingPhi&) const = default;
  };
  std::vector<PendingPhi> phis;
  Wanter edge = kNobody; // a phi took its value by the edge that the branch at hand chose
  // The result that the caller wants, by word.
  std::vector<uint64_t> result;
  Wanter resultWanter = kNobody;
  uint32_t nextBlock = fir::kNone; // the block that was executed after the one at hand
  bool isStopped = false;          // nothing in it is of interest

  // Memory that holds variable arguments, as registers were saved and on the stack.
  struct Variadic {
    uint64_t slots[6 + 8 + 64] = {};
    Wanter who[6 + 8 + 64] = {};
    uint32_t firstGeneral = 0, firstFloating = 0;
    bool any = false;
  };
  std::shared_ptr<Variadic> variadic;
  // Arguments of its own call that were wanted by number: it has handed a list of them on.
  std::vector<CallWants::Argument> handedOn;

  // Nothing is under way in it, nor asked of it, but what isSame() compares.
  bool isPlain() const;
  // The same function, and the same is wanted of it by the same. Which block was executed next is not
  // compared.
  bool isSame(const FrameWants& other) const;
  uint64_t hash() const;
  size_t bytes() const;
  // All that isSame() compares, but for who wants it, as pairs of numbers; with or without `entry`.
  void describe(const std::function<void(uint64_t, uint64_t)>& add, bool withEntry) const;

private:
  const FunctionCode* code_;
  std::vector<uint64_t> live_, mask_; // of most calls nothing is ever wanted: masks are made when needed
  std::vector<Wanter> who_;
  uint32_t count_ = 0;
  std::vector<Wanter> waits_; // by block; empty: none yet
  uint32_t waiting_ = 0;
};

} // namespace faultline::depend
