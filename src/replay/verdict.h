// Did the run pass, and if not, in what way: by the rule that a crash, an abort or a status other than 0 is a
// failure, or by what the user said is right (recording::Expectation).
//
//   printed "12\n7\n", expected "12\n8\n"      WrongOutput, byte 3 (from 0), line 2, '7' instead of '8'
#pragma once

#include "recording/meta.h"

#include <optional>

namespace faultline::replay {

struct OutputDifference {
  enum Kind { Wrong, Missing, Extra }; // a byte differs; the output ends early; it goes on
  Kind kind = Wrong;
  uint32_t stream = 1;
  uint64_t offset = 0; // of the first byte that is not right
  uint64_t line = 1;
  std::string got, expected;         // that byte; empty: none
  std::string gotLine, expectedLine; // without their ends
};

// Nothing if they are the same.
std::optional<OutputDifference> firstDifference(std::string_view got, std::string_view expected,
                                                uint32_t stream = 1);

struct Verdict {
  enum Kind {
    Passed,
    Crashed,     // ended by a signal
    Hung,        // still ran when its time was over
    WrongOutput, // `difference` tells
    WrongStatus, // not the one that was expected
    Status,      // not 0, and nothing else was expected
    Rejected,    // by the oracle
  };
  Kind kind = Passed;
  std::string text; // one sentence
  std::optional<OutputDifference> difference;
  int status = 0, expectedStatus = 0;

  bool failed() const { return kind != Passed; }
};
// "passed", "crash", "hang", "wrong-output", "wrong-status", "exit-status", "rejected".
std::string_view verdictName(Verdict::Kind kind);

struct Outcome {
  recording::End end;
  std::optional<std::string> output, errors; // if they were captured
  std::string directory;                     // in which the oracle is run
};

// An error: the oracle cannot be asked, or there is nothing to compare.
Result<Verdict> judge(const Outcome& outcome, const recording::Expectation& expectation);

// The bytes as a C string would have them, in quotes.
std::string quotedBytes(std::string_view bytes);

} // namespace faultline::replay
