// faultline show: an instance of the run, by default the failing one, with its source, stack and variables.
#include "base/text.h"
#include "cli/expectation.h"
#include "cli/failing_run.h"
#include "report/terminal.h"
#include "technique/slice/nesting.h"

#include <chrono>

namespace faultline::cli {
namespace {

struct ShowOptions {
  RunOptions run;
  std::string at;
  std::string frames = "inner";
  bool globals = false;
  bool index = false;
  std::vector<std::string> print;
};

Result<int> didNotFail(const Context& context, const OpenRun& run) {
  if (context.json) {
    finding::Document document{.technique = "show", .program = programOf(run), .caveats = run.caveats};
    FL_CHECK(context.answer(finding::printed(finding::toJson(document))));
  } else {
    FL_CHECK(context.answer(fmt::format("The run did not fail: it {}.\nTo see any instance of it: faultline "
                                        "show --at @-1 {}\n",
                                        endText(*run.recording.end()), shellWord(run.path.string()))));
  }
  return kDidNotFail;
}

Result<int> show(const Context& context, const ShowOptions& options) {
  FL_TRY(run, openRun(context, options.run));
  auto start = std::chrono::steady_clock::now();
  replay::Verdict verdict;
  replay::FailurePoint point;
  if (options.at.empty()) {
    FL_TRY(judged, verdictOn(run, options.run));
    verdict = std::move(judged);
    if (!verdict.failed()) return didNotFail(context, run);
    FL_TRY(found, goToFailure(run.replay, verdict, outcomeOf(run.recording)));
    point = std::move(found);
  } else {
    FL_CHECK(goToInstance(run.replay, options.at));
  }
  finding::StopQuestion question;
  question.program = programOf(run);
  question.failure = point.failure;
  question.frames = run.replay.frames();
  question.memory = &run.replay.memoryView();
  question.symbols = &run.replay.symbolView();
  question.instance = instanceText(run.replay.current());
  question.allFrames = options.frames == "all";
  question.globals = options.globals;
  question.print = options.print;
  std::string standardError;
  if (auto captured = run.recording.output(2)) standardError = std::move(*captured);
  if (run.replay.atEnd()) question.end = endOf(run, standardError);
  finding::StopReport report = finding::describeStop(question);
  if (report.failure && verdict.difference)
    report.failure->output = finding::describeOutput(*verdict.difference, point.origin);
  report.caveats.insert(report.caveats.end(), point.caveats.begin(), point.caveats.end());
  std::vector<std::string> caveats = caveatsOf(run);
  report.caveats.insert(report.caveats.begin(), caveats.begin(), caveats.end());
  report.stats["instructions"] = run.replay.now();
  report.stats["executed"] = run.replay.executed();
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.index) {
    depend::History history(run.replay, depend::CallModels::standard());
    FL_TRY(nesting, technique::nestingOf(history, report.program.cwd));
    report.nesting = std::move(nesting);
  }
  if (context.json) {
    FL_CHECK(context.answer(finding::printed(finding::toJson(finding::toDocument(report)))));
  } else {
    report::SourceFiles files;
    report::Screen screen{context.answerTerminal(), report::localeHasUnicode(),
                          std::filesystem::current_path().string()};
    FL_CHECK(context.answer(report::renderStop(report, files, screen, {.allFrames = question.allFrames})));
  }
  return kAnswered;
}

} // namespace

void addShow(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("show", "Where the run failed: source, call stack and variables");
  addCommonOptions(*command, context);
  auto options = std::make_shared<ShowOptions>();
  addRunOptions(*command, options->run);
  command
      ->add_option("--at", options->at,
                   "Another instance: EPOCH:INSTRUCTION, @TIME, or @-N (N before the end)")
      ->type_name("WHERE");
  command->add_option("--frames", options->frames, "Variables of the innermost frame, or of all")
      ->check(CLI::IsMember({"inner", "all"}))
      ->type_name("inner|all");
  command->add_flag("--index", options->index,
                    "Show the instance's place in the nesting of calls, loops and branches");
  command->add_flag("--globals", options->globals, "Show the globals that each function names, too");
  command
      ->add_option("--print,-p", options->print,
                   "Show this expression, e.g. list->head.next or a[3]; may be given again")
      ->allow_extra_args(false) // what follows is the recording
      ->type_name("EXPR");
  command->callback([options, &context] { context.run([&] { return show(context, *options); }); });
}

} // namespace faultline::cli
