// The cause tree of a failing run, as `causes` and `explain` ask for it.
#pragma once

#include "cli/value_question.h"
#include "finding/causes_report.h"
#include "logic/solver.h"
#include "technique/causes/describe.h"
#include "technique/causes/question.h"

namespace faultline::cli {

struct CauseArguments {
  std::vector<std::string> correct;
  uint32_t levels = 0; // 0: all
  size_t most = 400;
  double share = 100; // percent of the run that is shown at first
  bool noSolver = false;
};

// Lives as long as questions about causes are asked.
struct CauseRun {
  explicit CauseRun(depend::History& history) : instances(history), made(terms, instances) {}
  logic::Terms terms;
  depend::Instances instances;
  logic::InstanceTerms made;
  std::unique_ptr<logic::Solver> solver, checker;
  technique::TreeOptions options;
  technique::CauseTree tree; // that findCauses() made
};

// What the value that the run failed with should have been.
technique::Wanted wantedOf(const FailingRun& run);

// `deadline` bounds the growing; `mostValues` how many values are looked up for the report.
Result<finding::CausesReport> findCauses(const Context& context, ValueRun& run, CauseRun& causes,
                                         const CauseArguments& arguments, bool isAtFailure,
                                         std::chrono::steady_clock::time_point deadline, size_t mostValues);

} // namespace faultline::cli
