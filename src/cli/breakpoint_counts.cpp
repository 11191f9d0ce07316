#include "cli/breakpoint_counts.h"

#include "depend/breakpoints.h"

namespace faultline::cli {

Result<void> countBreakpoints(ValueRun& run, CauseRun& causes, finding::Explanation& explanation) {
  if (explanation.suspects.empty()) return {};
  if (run.failing.run.replay.start() > 0) {
    explanation.caveats.push_back(
        "only the end of the run was recorded: how often a line was executed before "
        "is not known");
    return {};
  }
  std::vector<finding::ChainStep>& chain = explanation.suspects[0].chain;
  std::vector<depend::HitQuestion> questions;
  for (const finding::ChainStep& step : chain) {
    FL_TRY(instance, causes.instances.at(step.time));
    questions.push_back({step.place.file, step.place.line, step.time, instance.id});
  }
  FL_TRY(hits, depend::countHits(*run.history, questions));
  for (size_t k = 0; k < chain.size(); ++k) {
    if (hits[k].count == 0) continue;
    chain[k].hitsBefore = hits[k].count - 1;
    chain[k].isExact = hits[k].isExact;
  }
  if (run.failing.run.replay.threads().size() > 1)
    explanation.caveats.push_back(
        "the program has several threads: in gdb they may run in another order, and "
        "come to a line more or less often before");
  return {};
}

} // namespace faultline::cli
