// Critical conditions: what else would have to be different for a cause to go away, each the start of a cause
// of its own.
//
//   if (a > 0) d = c + 3;     direct: a > 0 decided that d was given its value
//   if (b < 0) c = 2;         indirect: had it been true, c would have been another
//   d = t[i];                 place: another i would have read another element
//   t[j] = 7; ... d = t[i];   elsewhere: with j == i, d would have been 7
#pragma once

#include "program/mod_ref.h"
#include "technique/causes/cause.h"

namespace faultline::technique {

struct CriticalCondition {
  enum Kind : uint8_t { Failure, Direct, Indirect, Decided, Place, Elsewhere } kind = Direct;
  uint64_t time = 0;     // of the branch; of the access
  uint32_t id = 0;       // its instruction
  uint64_t concerns = 0; // the instance of the cause that it would have changed
  uint32_t distance = 0; // steps from the wish to what it concerns, and from there to the condition
  uint64_t count = 1;    // instances that are the same but for the iteration
  uint64_t address = 0;  // Elsewhere: where it should have written
  std::vector<uint64_t> others = {}; // some of them, latest first
};

// What a user holds to be right.
struct Scope {
  std::function<bool(uint32_t module, uint32_t function)> isCorrectFunction = nullptr;
  std::function<bool(uint32_t id)> isCorrectPlace = nullptr;
  // In a header of the system: right, while what it was given, or called back, may be wrong.
  std::function<bool(uint32_t id)> isSystemPlace = nullptr;
};

class ConditionFinder {
public:
  ConditionFinder(logic::InstanceTerms& terms, const Scope& scope) : terms_(terms), scope_(scope) {}

  // One for each branch or access, the nearest first.
  Result<std::vector<CriticalCondition>> find(const Cause& cause);
  // The branch that decided on an instance, if need be on calls around it; kNoInstance: none.
  struct Decider {
    uint64_t time = depend::kNoInstance;
    uint32_t calls = 0; // that lie between
  };
  Result<Decider> decider(uint64_t time);
  // Branches between two times that might have printed something, had they gone elsewhere.
  Result<std::vector<CriticalCondition>> mightHavePrinted(uint64_t from, uint64_t to);
  // Branches since then that might have written what the call's arguments point to, had they gone elsewhere.
  Result<std::vector<CriticalCondition>> mightHaveRewritten(uint64_t call, uint64_t since);
  // What should have been different, as a condition; nothing: it could not have been.
  Result<std::optional<Wish>> wish(const CriticalCondition& condition);
  // "It should have been something else."
  Result<std::optional<Wish>> wishOther(logic::Term value, uint64_t time, logic::Definition passed);

private:
  struct Same : CriticalCondition { // and the executions that it stands for
    std::set<uint64_t> times = {};
  };
  using Found = std::map<std::pair<CriticalCondition::Kind, uint32_t>, Same>;
  void add(Found& found, CriticalCondition::Kind kind, const depend::Executed& at, uint64_t concerns,
           uint32_t distance);
  Result<void> direct(uint64_t time, uint32_t distance, Found& found);
  Result<void> indirect(uint64_t time, uint32_t distance, Found& found);
  struct Use { // of a variable of the frame (`word`), or of memory
    uint32_t word = fir::kNone;
    bool isMemory = false;
    fir::DynamicBitset aliases = {};
    uint64_t from = 0;            // since when it was what was read
    uint32_t access = fir::kNone; // of a load: what it reads, as the analysis tells it apart
    uint64_t address = 0;         // and where
  };
  Result<Use> useOf(const depend::Executed& x);
  void addAccess(Use& use, uint32_t access);
  void addArguments(Use& use, const depend::Executed& call);
  Result<void> mightHaveChanged(const depend::Executed& x, const Use& use, uint32_t distance, Found& found);
  Result<void> elsewhere(const depend::Executed& x, const Use& use, uint32_t distance, Found& found);
  static std::vector<CriticalCondition> sorted(Found& found);
  Result<void> place(uint64_t time, uint32_t distance, Found& found);
  const fir::ModRef& modRef();
  bool isCorrect(const depend::Executed& x) const;
  bool isSystem(const depend::Executed& x) const {
    return scope_.isSystemPlace && scope_.isSystemPlace(x.id);
  }

  logic::InstanceTerms& terms_;
  const Scope& scope_;
  std::unique_ptr<fir::ModRef> modRef_;
  std::unordered_map<uint64_t, const fir::ModRef::Effects*> regions_;
};

} // namespace faultline::technique
