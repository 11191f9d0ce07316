#include "cli/explain_input.h"

#include "base/text.h"
#include "cli/chop_question.h"
#include "cli/reproduction.h"
#include "compiler/job_runner.h"
#include "finding/describe_stop.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<finding::Place> linesOf(std::vector<finding::SliceStatement> statements) {
  std::ranges::sort(statements, {}, [](const finding::SliceStatement& s) {
    return std::tuple(s.distance, s.place.file, s.place.line);
  });
  std::vector<finding::Place> lines;
  std::set<std::pair<std::string, uint32_t>> seen;
  for (finding::SliceStatement& s : statements)
    if (!s.isLibrary && s.place.isKnown() && seen.insert({s.place.file, s.place.line}).second)
      lines.push_back(std::move(s.place));
  return lines;
}

std::string sizesText(const finding::SmallestInput& smallest) {
  uint64_t before = 0, after = 0;
  for (const finding::MinimizedInput& i : smallest.inputs) before += i.before, after += i.after;
  if (before != after) return fmt::format("{} of {} bytes of input are enough", after, before);
  return smallest.isOneMinimal ? fmt::format("none of {} bytes of input can be left out", before)
                               : fmt::format("less than {} bytes of input was not found", before);
}

} // namespace

bool hasInputToReduce(const ValueRun& run, const ValueOptions& options, const std::string& reference) {
  const recording::Recording& recording = run.failing.run.recording;
  const recording::Meta& meta = recording.meta();
  const replay::Verdict& verdict = run.failing.verdict;
  // What is right for this input alone says nothing of a smaller one.
  const bool isOfThisInput = verdict.kind == replay::Verdict::WrongOutput ||
                             (verdict.kind == replay::Verdict::WrongStatus && verdict.expectedStatus != 0);
  if (isOfThisInput && reference.empty() && options.run.oracle.empty() && meta.expectation.oracle.empty())
    return false;
  return mayHaveInput(recording);
}

Result<void> lookAtInput(const Context& context, const ValueOptions& options,
                         const LaboratoryOptions& laboratory, const std::string& reference, double seconds,
                         explain::Found& found, finding::Explanation& explanation) {
  auto start = Clock::now();
  FL_TRY(scratch, compiler::ScratchDir::create());
  ChopArguments asked;
  asked.folder = scratch.path();
  asked.asked.value = options;
  asked.asked.value.budget = seconds / 2;
  asked.asked.reference = reference;
  asked.asked.executor.uncontained = laboratory.uncontained;
  asked.asked.executor.noCache = laboratory.noCache;
  asked.deadline =
      start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  FL_TRY(question, openInputQuestion(context, asked.asked));
  if (question.didNotFail) return errorf("the run did not fail when it was looked at again");
  FL_TRY(failing, findFailingInput(context, asked, question));
  FL_TRY(made, writeReproduction(question, failing.inputs, {.suffix = ".min", .folder = asked.folder}));
  for (finding::MinimizedInput& i : made.inputs) i.written.clear(); // it goes with the folder
  explanation.smallest = finding::SmallestInput{made.inputs, failing.isOneMinimal};
  explanation.smallest->isOfStatus = explanation.failure && (explanation.failure->kind == "exit-status" ||
                                                             explanation.failure->kind == "wrong-status");
  auto since = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  explanation.tried.push_back(
      fmt::format("{}, found in {:.1f} s: faultline minimize", sizesText(*explanation.smallest), since()));
  FL_TRY(chop, chopWith(context, asked, question, std::move(failing)));
  found.chop = linesOf(chop.statements);
  explanation.tried.back() +=
      fmt::format("; {} of {} statements that the failure depends on carry it: "
                  "faultline chop",
                  withThousands(chop.statements.size()), withThousands(chop.backwardStatements));
  explanation.addCaveats(chop.caveats, "chop");
  explanation.stats["chop"] = {{"seconds", since()}, {"statements", chop.statements.size()}};
  return {};
}

} // namespace faultline::cli
