// faultline changes: which small change of the code makes the run pass.
#include "cli/answer.h"
#include "cli/changes_question.h"
#include "cli/critical_question.h"
#include "report/changes_text.h"

namespace faultline::cli {
namespace {

struct ChangesArguments {
  ValueOptions value;
  LaboratoryOptions laboratory;
  size_t most = 100, shown = 10;
};

Result<int> changes(const Context& context, ChangesArguments options) {
  using Clock = std::chrono::steady_clock;
  FL_TRY(alterable, alterableRun(context, options.value.run, options.laboratory.noCache));
  // The variant may have had to be built first: that is not part of a budget that nobody asked for.
  auto begin = context.askedBudget > 0 ? context.started : Clock::now();
  options.value.run.words = {alterable.recording.string()};
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "changes");
  auto after = [&](double seconds) {
    return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  FL_TRY(laboratory, openLaboratory(context, *run, options.value.run, options.laboratory));
  // Of a run that hangs it may have no end; some time must be left for experiments.
  run->watchUntil(after(options.value.budget * 0.4));
  FL_TRY(slice, relevantSlice(*run));
  FL_TRY(report, findChanges(context, *run, laboratory, slice, {}, {.most = options.most},
                             after(options.value.budget)));
  report.caveats.insert(report.caveats.begin(), alterable.caveats.begin(), alterable.caveats.end());
  laboratory.addCaveats(report.caveats);
  FL_CHECK(answerReport(context, report, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderChanges(report, options.shown, files, screen);
  }));
  return report.passed || report.orderly || report.guarded ? kAnswered : kNoAnswer;
}

} // namespace

void addChanges(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "changes", "Which small change of the code (an operator, a number, a condition) makes the run pass");
  addCommonOptions(*command, context, {"text", "json", "sarif"});
  auto options = std::make_shared<ChangesArguments>();
  addValueOptions(*command, options->value);
  command->add_option("--most", options->most, "Stop when so many are found")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--lines", options->shown, "How many lines of the source are shown")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  addLaboratoryOptions(*command, options->laboratory);
  command->callback([options, &context] { context.run([&] { return changes(context, *options); }); });
}

} // namespace faultline::cli
