// faultline chop: what carries the input that makes the run fail to its failure.
#include "cli/answer.h"
#include "cli/chop_question.h"
#include "report/chop_text.h"
#include "report/terminal.h"

#include <chrono>

namespace faultline::cli {
namespace {

struct ChopCommand {
  ChopArguments chop;
  bool all = false, library = false;
};

Result<int> answer(const Context& context, const ChopCommand& command, const finding::ChopReport& report) {
  report::SliceTextOptions shown{.mostStatements = command.all ? 0u : 40u, .library = command.library};
  FL_CHECK(answerReport(context, report, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderChop(report, files, screen, shown);
  }));
  return kAnswered;
}

Result<int> chop(const Context& context, ChopCommand& command) {
  auto start = std::chrono::steady_clock::now();
  FL_TRY(question, openInputQuestion(context, command.chop.asked));
  if (question.didNotFail) return answerDidNotFail(context, *question.run, "chop");
  FL_TRY(failing, findFailingInput(context, command.chop, question));
  FL_TRY(report, chopWith(context, command.chop, question, std::move(failing)));
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer(context, command, report);
}

} // namespace

void addChop(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("chop", "What carries the failing input to the failure");
  addCommonOptions(*command, context, {"text", "json", "sarif"});
  auto options = std::make_shared<ChopCommand>();
  addInputQuestionOptions(*command, options->chop.asked, false);
  command
      ->add_option("--isolate", options->chop.asked.isolate,
                   "Start from the smallest difference to this input, with which it passes")
      ->type_name("FILE");
  command->add_flag("--whole-input", options->chop.wholeInput,
                    "Start from the whole smallest input, also if memory was damaged");
  command->add_flag("--all", options->all, "Show every statement");
  command->add_flag("--library", options->library, "Show statements of system headers, too");
  command->callback([options, &context] { context.run([&] { return chop(context, *options); }); });
}

} // namespace faultline::cli
