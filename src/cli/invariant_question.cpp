#include "cli/invariant_question.h"

#include "cli/interrupt.h"

#include <chrono>

namespace faultline::cli {

Result<technique::InvariantTrace> findInvariants(const Context& context, ValueRun& run, CauseRun& causes,
                                                 bool isAtFailure, technique::InvariantOptions how,
                                                 std::chrono::steady_clock::time_point deadline) {
  causes.made.followReadBytes(false); // bytes in a row make no condition that a person reads
  if (!causes.solver) {
    FL_TRY(solver, logic::makeZ3(causes.terms));
    causes.solver = std::move(solver);
  }
  if (!causes.checker) {
    FL_TRY(checker, logic::makeCvc5(causes.terms));
    causes.checker = std::move(checker);
  }
  technique::Wanted wanted = isAtFailure ? wantedOf(run.failing) : technique::Wanted{};
  uint32_t thread = run.failing.run.replay.thread();
  FL_TRY(question, technique::causeQuestion(causes.made, run.question.from, thread, wanted));
  how.asValues = wanted.kind == technique::Wanted::NotNull;
  Progress progress(context.log(), "going back from the failure", 0);
  how.watch = [&](size_t steps) {
    progress.update(steps);
    return !wasInterrupted() && std::chrono::steady_clock::now() < deadline;
  };
  std::optional<logic::Term> condition;
  if (question.wish) condition = causes.terms.negate(question.wish->condition);
  return technique::traceInvariants(causes.made, *causes.solver, causes.checker.get(), condition,
                                    question.time, how);
}

} // namespace faultline::cli
