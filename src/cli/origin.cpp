// faultline origin: where a value came from, through every copy, to what computed it or the byte that was
// read.
#include "technique/slice/origin.h"
#include "cli/value_question.h"
#include "report/slice_text.h"

#include <chrono>

namespace faultline::cli {
namespace {

struct OriginOptions {
  ValueOptions value;
  size_t steps = 40;
};

Result<int> origin(const Context& context, const OriginOptions& options) {
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "origin");
  auto start = std::chrono::steady_clock::now();
  std::optional<finding::FailureInfo> failure = run->failing.info;
  technique::OriginQuestion question;
  question.from = run->question.from;
  question.text = run->question.text;
  question.value = run->question.value;
  question.mostSteps = options.steps;
  question.program = programOf(run->failing.run);
  FL_TRY(inputs, inputsOf(*run));
  FL_TRY(report, technique::findOrigin(*run->history, question, &inputs));
  run->stopWatching();
  if (options.value.at.empty()) report.failure = failure;
  std::vector<std::string> caveats = caveatsOf(run->failing.run);
  report.caveats.insert(report.caveats.begin(), caveats.begin(), caveats.end());
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report::SourceFiles files;
  report::Screen screen{context.answerTerminal(), report::localeHasUnicode(),
                        std::filesystem::current_path().string()};
  std::string text = context.json ? finding::printed(finding::toJson(finding::toDocument(report)))
                                  : report::renderOrigin(report, files, screen);
  FL_CHECK(context.answer(text));
  return kAnswered;
}

} // namespace

void addOrigin(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("origin", "Where a value came from, step by step");
  addCommonOptions(*command, context);
  auto options = std::make_shared<OriginOptions>();
  addValueOptions(*command, options->value);
  command->add_option("--steps", options->steps, "Show at most so many steps")->type_name("N");
  command->callback([options, &context] { context.run([&] { return origin(context, *options); }); });
}

} // namespace faultline::cli
