// `slice`: what influenced a value. Two walks over the run: one that follows values alone, since that is what
// a person should read first, and one that also follows addresses and decisions.
//
//   int *p = s > 50 ? NULL : &s;      *p = 3 crashes with p = NULL
//   thin      p = ... (the NULL)
//   the rest  s > 50 decided that; what made s; what decided how often that was added to ...
#pragma once

#include "depend/forward_walk.h"
#include "depend/inputs.h"
#include "depend/query.h"
#include "finding/slice_report.h"

namespace faultline::technique {

struct SliceQuestion {
  depend::Question from = {};
  std::string text = {}; // what is asked for, in words
  bool control = true, addresses = true;
  depend::Alternatives* alternatives = nullptr;
  uint64_t stepLimit = ~uint64_t(0);
  std::function<bool(uint32_t module, uint32_t function)> stopsAt = nullptr;
  finding::ProgramInfo program = {};
};

Result<finding::SliceReport> sliceBackward(depend::History& history, const SliceQuestion& question,
                                           const depend::Inputs* inputs = nullptr);

struct ForwardQuestion {
  std::vector<depend::Seed> seeds = {};
  std::string text = {};
  bool control = true, addresses = true;
  finding::ProgramInfo program = {};
};
// What the input reached, over the whole run.
Result<finding::SliceReport> sliceForward(depend::History& history, const ForwardQuestion& question);

// Statements, in the order of the source, from the instructions of a slice. `thin`: those that the value
// itself passed through.
void fillStatements(depend::History& history, const depend::Slice& slice, const depend::Slice* thin,
                    finding::SliceReport& report);

// In words, where values come from.
std::vector<finding::SliceSource> describeSources(depend::History& history, const depend::Slice& slice,
                                                  const depend::Inputs* inputs,
                                                  std::string_view workingDirectory);

// Where bytes are asked for, the pointer to them is an address, not the value.
depend::Question valueOnly(depend::Question question);

// Says so if the recording begins later than the run (record --last).
void addLateStart(const depend::History& history, std::vector<std::string>& caveats);

// What the slice leaves unsure.
std::vector<std::string> caveatsOf(const depend::Slice& slice);

} // namespace faultline::technique
