// `chop`: what carries the input that makes a run fail to its failure: instances that are in the forward
// slice of that input and in the backward slice of the failure (Gupta, He, Zhang, Gupta 2005).
//
//   1  int limit = 8;                 backward slice; no input reaches it: beside the chop, as a constant
//   2  n = atoi(argv[1]);             both: in the chop
//   3  if (n > limit) log(n);         forward only
//   4  buffer[n] = 0;                 both: in the chop; crashes
//
// The paper meets statements of the two slices; here the same instance must be in both, so that a statement
// that the input reached at one time and that led to the failure at another is left out.
#pragma once

#include "depend/slice.h"
#include "finding/slice_report.h"

#include <functional>

namespace faultline::technique {

struct ChopQuestion {
  const depend::Slice& backward;   // of the failure
  const depend::Slice& forward;    // of the failing input, or of the difference
  const depend::Slice& ofAnyInput; // of all input that the run had
  std::function<finding::Place(uint32_t id)> placeOf;
};

struct Chop {
  std::vector<finding::SliceStatement> statements;
  std::vector<finding::SliceStatement> constants; // of the backward slice, reached by no input
  uint64_t instances = 0;                         // in the chop
  uint64_t forwardStatements = 0;
  bool isByInstance = true; // false: one slice was too large to be kept by instance; instructions are met
};

// `statements`: those of the backward slice.
Chop chopOf(const std::vector<finding::SliceStatement>& statements, const ChopQuestion& question);

// Of those of the relevant slice, what is not in the backward slice: decisions that something was not done,
// and what led to them; without what other input than the failing one led to. `question.backward` is the
// relevant slice.
std::vector<finding::SliceStatement> potentialOf(const std::vector<finding::SliceStatement>& relevant,
                                                 const std::vector<finding::SliceStatement>& backward,
                                                 const ChopQuestion& question);

} // namespace faultline::technique
