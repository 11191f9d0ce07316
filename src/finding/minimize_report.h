// The smallest input that fails in the same way, or the smallest difference, as `faultline minimize` presents
// it.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct MinimizedInput {
  std::string what = {};          // "standard input", "file data.txt", "argument 2", "variable HOME"
  uint64_t before = 0, after = 0; // bytes
  bool isGone = false;            // a word or a variable that is not needed at all
  std::string written = {};       // a file; empty: it stands in the command
  std::string text = {};          // its bytes as a C string would have them, in quotes; the start of it
  bool isCut = false;
};

// Of the two that differ as little as possible, the one that passes (--isolate).
struct IsolatedDifference {
  std::vector<MinimizedInput> passing = {};
  uint64_t steps = 0;                  // pieces that go or come
  std::vector<std::string> lines = {}; // what they are, in words
};

struct MinimizeReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<MinimizedInput> inputs = {};
  std::optional<IsolatedDifference> difference = {};
  bool isOneMinimal = false;
  std::string unit = "bytes"; // of which no single one can be left out
  std::string stopped = {};   // why it is not; empty: it is
  uint64_t runs = 0;
  double seconds = 0;
  std::string command = {}; // runs it again
  bool isConfirmed = false; // by a fresh run with what was written
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const MinimizeReport& report);
Json toJson(const MinimizedInput& input);
Json inputJson(const std::vector<MinimizedInput>& inputs);

} // namespace faultline::finding
