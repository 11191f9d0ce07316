// faultline causes: all potential causes of a failure, as a tree.
#include "cli/answer.h"
#include "cli/cause_browser.h"
#include "cli/cause_question.h"
#include "report/causes_text.h"

#include <chrono>

namespace faultline::cli {
namespace {

struct CausesArguments {
  ValueOptions value;
  CauseArguments causes;
  bool all = false, interactive = false;
  CausesArguments() { causes.share = 7; } // as published trees hold
};

Result<int> causes(const Context& context, CausesArguments options) {
  if (options.all || options.interactive) options.causes.share = 100;
  using Clock = std::chrono::steady_clock;
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "causes");
  auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(options.value.budget));
  CauseRun causes(*run->history);
  bool isAtFailure = options.value.at.empty() && options.value.expression.empty();
  FL_TRY(report, findCauses(context, *run, causes, options.causes, isAtFailure, deadline,
                            !context.isText() ? 4000
                            : options.all     ? 2000
                                              : 200));
  report::SourceFiles sources;
  if (options.interactive) return browseCauses(context, std::move(report), sources, answerScreen(context));
  report::CausesTextOptions shown{.mostNodes = options.all ? 0u : 12u, .mostLines = options.all ? 0u : 12u};
  FL_CHECK(answerReport(context, report, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderCauses(report, files, screen, shown);
  }));
  return kAnswered;
}

} // namespace

void addCauses(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("causes", "All potential causes of the failure, as a tree");
  addCommonOptions(*command, context, {"text", "json", "sarif"});
  auto options = std::make_shared<CausesArguments>();
  addValueOptions(*command, options->value);
  command
      ->add_option(
          "--correct", options->causes.correct,
          "This is right: a function, FILE or FILE:LINE; what only leads there is left out; may be repeated")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  command->add_option("--levels", options->causes.levels, "Grow the tree no deeper")->type_name("N");
  command->add_option("--most", options->causes.most, "Grow no more nodes")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option(
          "--share", options->causes.share,
          "Show causes, the most telling first, that hold this much of the run; leave the others open")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag(
      "-i,--interactive", options->interactive,
      "Walk through the tree: what is right can be said, and goes with all that only leads there");
  command->add_flag("--all", options->all, "Show every node");
  command->add_flag("--no-solver", options->causes.noSolver,
                    "Follow values to their end: no early contradictions");
  command->callback([options, &context] { context.run([&] { return causes(context, *options); }); });
}

} // namespace faultline::cli
