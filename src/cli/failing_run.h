// The run that a question is about, brought to where it failed.
#pragma once

#include "cli/open_replay.h"
#include "finding/describe_stop.h"

namespace faultline::cli {

struct FailingRun {
  OpenRun run;
  replay::Verdict verdict;
  replay::FailurePoint point;
  std::optional<replay::Failure> failure; // nothing: the run did not fail
  // The same for people. It is told where the run failed, from where questions lead away.
  std::optional<finding::FailureInfo> info = {};
};

finding::ProgramInfo programOf(const OpenRun& run);
replay::RunEnd endOf(const OpenRun& run, const std::string& standardError);
// A recording that was cut off has no verdict; then its end is what failed.
Result<replay::Verdict> verdictOn(const OpenRun& run, const RunOptions& options);
// Of the run as it stands: what the damage of the file and the replay's divergence leave unsure.
std::vector<std::string> caveatsOf(OpenRun& run);
std::string instanceText(const replay::Instance& instance);

// Opens the run and goes to its failure.
Result<FailingRun> openFailingRun(const Context& context, const RunOptions& options);
// "EPOCH:INSTRUCTION", an instance as every layer names it; "@TIME", the instruction with that number, or
// "@-N", N instructions before the end.
Result<void> goToInstance(replay::Replay& replay, const std::string& where);

} // namespace faultline::cli
