// faultline critical: which single decision, taken the other way, makes the run pass.
#include "cli/answer.h"
#include "cli/critical_question.h"
#include "report/critical_text.h"

namespace faultline::cli {
namespace {

struct Arguments {
  ValueOptions value;
  CriticalArguments critical;
};

Result<int> critical(const Context& context, Arguments options) {
  using Clock = std::chrono::steady_clock;
  FL_TRY(alterable, alterableRun(context, options.value.run));
  // The variant may have had to be built first: that is not part of a budget that nobody asked for.
  auto begin = context.askedBudget > 0 ? context.started : Clock::now();
  options.value.run.words = {alterable.recording.string()};
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "critical");
  auto deadline = begin + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.value.budget));
  FL_TRY(report, findCritical(context, *run, alterable, options.value.run, options.critical, deadline));
  FL_CHECK(answerReport(context, report, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderCritical(report, files, screen);
  }));
  return report.decisions.empty() ? kNoAnswer : kAnswered;
}

} // namespace

void addCritical(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("critical", "Which single decision, taken the other way, makes the run pass");
  addCommonOptions(*command, context, {"text", "json", "sarif"});
  auto options = std::make_shared<Arguments>();
  addValueOptions(*command, options->value);
  command->add_option("--most", options->critical.most, "Stop when so many are found")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--method", options->critical.method,
                   "rollback: experiments in one process; fresh: a process for each; auto: what the program\n"
                   "allows")
      ->check(CLI::IsMember({"auto", "rollback", "fresh"}))
      ->type_name("METHOD")
      ->capture_default_str();
  command->add_flag("--uncontained", options->critical.uncontained,
                    "Let altered runs do what you can do: write files, use the network, send signals");
  command->callback([options, &context] { context.run([&] { return critical(context, *options); }); });
}

} // namespace faultline::cli
