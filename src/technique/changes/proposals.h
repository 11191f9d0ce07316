// Small changes that a person might make to one instruction of the source: another operator, a number one
// larger, a call left out. Each can be tried without compiling anything: an alter variant asks, whenever it
// comes to the instruction, what it shall compute instead (abi/experiment.h).
//
//   if (n < limit)      `<=` instead of `<`, `>` ..., as if it were always true
//   k = k + 1;          `-` instead of `+`, 1 more, `k` alone, left out
//   width(s, 8)         7 instead of 8, 9 instead of 8, numbers that the function has elsewhere
#pragma once

#include "experiment/alteration.h"
#include "program/other_operands.h"

#include <vector>

namespace faultline::technique {

// What kind of change it is, the likeliest mistakes first.
enum class ChangeForm : uint8_t {
  Comparison, // another operator between the same operands
  Operator,
  Sign,     // compared or widened as if it had no sign, or as if it had one
  NextTo,   // a constant, one larger or smaller
  Constant, // another constant of the same function
  OffByOne, // what was computed, one larger or smaller
  Variable, // another variable of the same type, another member
  Index,    // an index one larger or smaller
  Operand,  // one operand alone, or both exchanged
  Guard,    // the function is left there if what was read is bad (guards.h)
  Limit,    // the same, if it is beyond what it was when the run failed
  LeftOut,  // an assignment or a call that is not made
  Replaced, // another statement in the place of an assignment (copies.h)
  Moved,    // a statement that is executed at another place
  Always,   // a decision that always comes out the same
  Read,     // a value that was read, one larger or smaller
  Returned, // another result of a call
  Inserted, // a statement that is not there (assignments.h, copies.h)
  Once,     // a value that should have been another in one execution
};
inline constexpr size_t kChangeForms = size_t(ChangeForm::Once) + 1;
std::string_view nameOf(ChangeForm form); // "comparison"
inline bool isGuard(ChangeForm form) { return form == ChangeForm::Guard || form == ChangeForm::Limit; }

// LLVM's numbers of integer predicates.
enum Predicate : uint32_t { kEq = 32, kNe, kUgt, kUge, kUlt, kUle, kSgt, kSge, kSlt, kSle };

inline uint64_t maskOf(uint32_t bits) { return bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0); }

struct Proposal {
  experiment::Alteration alteration; // in each execution, from the start of the run on
  ChangeForm form;
  std::string text; // "`<=` instead of `<`"
  // What stands in the source, and what would stand there, where the change is so simple.
  std::string from = {}, to = {};
  // Inserted: the last instruction of the statement that it is a copy of, or 0; whether it stands behind the
  // instruction, not before it.
  uint32_t copied = 0;
  bool isBehind = false;
};

// `local` is an instruction of `image`, in the function `function`; `base` makes its id global. `others` is
// of the same image.
std::vector<Proposal> proposalsFor(const fir::Image& image, const fir::OtherOperands& others,
                                   uint32_t function, uint32_t local, uint32_t base);

} // namespace faultline::technique
