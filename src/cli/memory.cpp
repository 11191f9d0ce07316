// faultline memory: accesses to memory that no run may make, the first of them first.
#include "technique/memory/memory.h"
#include "cli/answer.h"
#include "cli/value_question.h"
#include "report/memory_text.h"

namespace faultline::cli {
namespace {

struct MemoryArguments {
  ValueOptions value;
  size_t most = 5;
  uint64_t steps = ~uint64_t(0);
  bool noUninitialised = false;
};

Result<int> memory(const Context& context, const MemoryArguments& options) {
  FL_TRY(run, openQuietRun(context, options.value));
  technique::MemoryQuestion question;
  question.most = options.most;
  question.undefined = !options.noUninitialised;
  question.steps = options.steps;
  question.program = programOf(run->failing.run);
  std::optional<finding::FailureInfo> failure;
  if (run->failing.failure) failure = run->failing.info;
  FL_TRY(report, technique::findMemoryErrors(*run->history, question));
  run->stopWatching();
  report.failure = failure;
  std::vector<std::string> caveats = caveatsOf(run->failing.run);
  report.caveats.insert(report.caveats.begin(), caveats.begin(), caveats.end());
  report::SourceFiles files;
  std::string text = context.json ? finding::printed(finding::toJson(finding::toDocument(report)))
                                  : report::renderMemory(report, files, answerScreen(context));
  FL_CHECK(context.answer(text));
  return report.errors.empty() && !report.isComplete ? kNoAnswer : kAnswered;
}

} // namespace

void addMemory(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("memory", "The first access to memory that no run may make");
  addCommonOptions(*command, context);
  auto options = std::make_shared<MemoryArguments>();
  addRunOptions(*command, options->value.run);
  command
      ->add_option("--budget", options->value.budget,
                   "Stop following after so many seconds, and answer with what there is")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      ->add_option("--models", options->value.models,
                   "What functions without source do, beside what is known (docs/models.md)")
      ->type_name("FILE");
  command->add_option("--most", options->most, "Stop when so many are found")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--steps", options->steps, "Follow at most so many instructions of the run")
      ->type_name("N");
  command->add_flag("--no-uninitialised", options->noUninitialised, "Do not look for what was never written");
  command->callback([options, &context] { context.run([&] { return memory(context, *options); }); });
}

} // namespace faultline::cli
