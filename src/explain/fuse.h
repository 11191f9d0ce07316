// Makes one ranking of what several techniques found. A line's score is the sum of its evidence:
//
//   confirmed by experiment     a decision there, taken the other way, makes the run pass
//   an access that no run may make   the first one, what it went beyond, and what made its address
//   feeds such a decision       it made what the decision was decided by
//   made the failing value      in the cause of the failure itself
//   in the cause tree           the less has to be read before it, the more
//   what had to hold            it made what the failure followed from, whatever else had been
//   in the chop                 it carries what made the run fail from its input to the failure
//   in the relevant slice       the failure depends on it, or might have; the closer, the more
//
// The weights are few and named; docs/explain.md says how they were set.
#pragma once

#include "explain/weights.h"
#include "finding/causes_report.h"
#include "finding/changes_report.h"
#include "finding/critical_report.h"
#include "finding/explanation.h"
#include "finding/invariants_report.h"
#include "finding/memory_report.h"

#include <functional>
#include <set>

namespace faultline::explain {

// Where the program said on standard error that something is wrong; what decided that, and what called it,
// from inside out.
struct Complaint {
  finding::Place place = {};
  std::vector<finding::Place> decided = {}, calls = {};
  // The innermost call around it that gave a number other than 0, which nobody looks at; its text: "1".
  std::optional<finding::Place> ignored = {};
  std::string ignoredValue = {};
};

// Where the failing value was set to a constant, and what decided that, from inside out.
struct Chosen {
  finding::Place place = {};
  std::vector<finding::Place> decided = {};
};

// The calls that led to a decision, from inside out; and whether its function serves many.
struct LedTo {
  std::vector<finding::Place> calls = {};
  bool isOfMany = false;
};

// A text of the program that something was read from, and the line that names it.
struct NamedText {
  finding::Place place = {};
  std::string text = {};               // as it stands in the source, quoted
  bool isSaid = false;                 // it is an argument there, as of what says something
  std::optional<size_t> decision = {}; // of the repairing ones, that was made by it; none: the failing value
};

struct Found {
  std::optional<finding::Place> failure = {}; // where the run failed: that it did not pass there is no news
  bool isCrash = false;
  bool isHang = false;
  bool isStatus = false;         // what is wrong is the status
  bool isAssertion = false;      // the program asked whether all is as it has to be
  bool isHeapCorruption = false; // noticed by the allocator, maybe long after
  bool knowsOutput = false;      // what is right: to pass is to print it
  // Whether there is anything on the line that might be wrong: a brace is no suspect. Empty: on every line.
  std::function<bool(const finding::Place&)> hasCode = {};
  const finding::CausesReport* causes = nullptr; // null: was not asked
  const finding::CriticalReport* critical = nullptr;
  const finding::ChangesReport* changes = nullptr;
  const finding::MemoryReport* memory = nullptr;
  // What made the address, or the size, of the first of those accesses, the closest first; which decisions
  // led to it, and which calls, the innermost first.
  std::vector<finding::Place> address = {}, decided = {}, calls = {};
  bool isSizeConstant = false; // of the block that it goes beyond: it stands in the source
  // If it goes beyond a block: what made the size that was asked for, the closest first; which decisions led
  // to asking for it.
  std::vector<finding::Place> blockSize = {}, allocated = {};
  // If realloc() gave its block back: what made the size of 0, the closest first.
  std::vector<finding::Place> freedSize = {};
  // The calls that led to where the run failed by itself, the innermost first, and the decisions, too.
  std::vector<finding::Place> stack = {}, guards = {};
  // Of the latter, those that a loop asks in each round.
  std::set<std::pair<std::string, uint32_t>> loopTests = {};
  std::vector<Chosen> chosen = {};
  // Lines through which the wrong output or status, or the pointer of a crash, only passed, as it was.
  std::set<std::pair<std::string, uint32_t>> passedOn = {};
  std::vector<NamedText> texts = {}; // the closest first
  // Of a wrong status, of an output that ended too early, or of a crash: in the order in which they were
  // made.
  std::vector<Complaint> complaints = {};
  // Of a stack that ran over: the calls that come again and again, the innermost first.
  std::vector<finding::Place> recursion = {};
  // The lines of the relevant slice, those closest to the failure first; empty: was not asked.
  std::vector<finding::Place> slice = {};
  const finding::InvariantsReport* invariants = nullptr;
  // The lines of the chop, in that order.
  std::vector<finding::Place> chop = {};
  // What made each of the critical decisions come out so, in their order.
  std::vector<finding::CauseNodeInfo> feeds = {};
  // What was executed because each of the first of them came out so, in the order of the run.
  std::vector<std::vector<finding::Place>> under = {};
  std::vector<LedTo> led = {}; // of the first of them
};

// The lines of code that the user wrote, the most suspicious first; at most `most`, with their chains.
std::vector<finding::Suspect> fuse(const Found& found, size_t most, const Weights& weights = {});

} // namespace faultline::explain
