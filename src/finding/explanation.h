// The one answer that `faultline explain` gives: suspects with their evidence, and how the first of them led
// to the failure. Every report renders this and computes nothing.
#pragma once

#include "finding/causes_report.h"
#include "finding/edit.h"
#include "finding/minimize_report.h"

namespace faultline::finding {

struct Evidence {
  std::string technique = {}; // causes, critical ...
  std::string text = {};
  double weight = 0;
  std::optional<Edit> edit = {}; // the change that it is about
};

struct ChainStep {
  Place place = {};
  std::string text = {}; // "n = 3", "n > 3 is false"
  uint64_t time = 0;
  // How often a breakpoint at this line is hit before the execution meant here; none: was not counted. Not
  // exact: the line is the head of a loop that went round once more without another hit.
  std::optional<uint64_t> hitsBefore = {};
  bool isExact = false;
};

struct Suspect {
  Place place = {};
  double score = 0;
  std::string reason = {};             // a sentence
  std::vector<Evidence> evidence = {}; // the strongest first
  std::vector<ChainStep> chain = {};   // from here to the failure, in order of time
};

// The smallest input that was found with which the run fails in the same way.
struct SmallestInput {
  std::vector<MinimizedInput> inputs = {};
  bool isOneMinimal = false; // no byte of it can be left out
  bool isOfStatus = false;   // only that is the same: what the program complains of may be something else
};
// "3 of 120 bytes of standard input fail in the same way: "((\n"", a sentence for each input.
std::vector<std::string> sentencesOf(const SmallestInput& smallest);

inline constexpr size_t kFirstScreen = 5; // suspects that a person is shown first

struct Explanation {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<Suspect> suspects = {};   // the first is the most suspicious
  std::vector<CauseNodeInfo> tree = {}; // all potential causes, in the order to be read; empty: not asked
  std::optional<SmallestInput> smallest = {};
  std::vector<std::string> tried = {}; // what was done, a sentence each
  std::vector<std::string> caveats = {};
  // The first caveat says that nothing which was tried repairs the run: no suspect is confirmed.
  bool isDoubtful = false;
  Json stats = Json::object();

  // Whether a caveat tells of the bounds of one technique, not of the answer.
  static bool isDetail(const std::string& caveat);
  // Those that are not known yet, with the technique that they are about.
  void addCaveats(const std::vector<std::string>& more, const char* technique);
};

Document toDocument(const Explanation& explanation);

} // namespace faultline::finding
