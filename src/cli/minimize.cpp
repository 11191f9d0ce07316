// faultline minimize: the smallest input with which the run fails in the same way.
#include "cli/reproduction.h"
#include "report/minimize_text.h"
#include "report/terminal.h"
#include "technique/minimize/difference.h"

#include <chrono>

namespace faultline::cli {
namespace {

using technique::TrialOutcome;

struct MinimizeCommand {
  InputQuestionOptions asked;
  std::string output; // of the input
};

finding::Json levelsJson(const std::vector<technique::LevelStats>& levels) {
  finding::Json out = finding::Json::array();
  for (const technique::LevelStats& l : levels)
    out.push_back({{"unit", l.unit}, {"verdicts", l.verdicts}, {"before", l.before}, {"after", l.after}});
  return out;
}

// [seconds since the start, runs, bytes], each time less was left.
finding::Json timelineJson(const std::vector<technique::MinimizeStep>& steps) {
  finding::Json out = finding::Json::array();
  for (const technique::MinimizeStep& s : steps) out.push_back({s.seconds, s.runs, s.bytes});
  return out;
}

void fillStats(const technique::SearchStats& stats, const std::vector<technique::LevelStats>& levels,
               finding::MinimizeReport& report) {
  report.runs = stats.runs;
  report.stats["runs"] = stats.runs;
  report.stats["verdicts"] = stats.verdicts;
  report.stats["known_before"] = stats.known;
  report.stats["no_verdict"] = stats.unresolved;
  report.stats["levels"] = levelsJson(levels);
}

// The written files, read again by a program in a place of its own.
Result<void> confirm(const InputQuestion& question, const Reproduction& made,
                     finding::MinimizeReport& report) {
  FL_TRY(outcome, question.outcomeOf(made.run));
  report.isConfirmed = outcome == TrialOutcome::Fail;
  if (!report.isConfirmed)
    report.caveats.push_back("with the input in a file of another name the run ends otherwise: the search "
                             "gave it to the program under its old name");
  return {};
}

Result<int> answer(const Context& context, const finding::MinimizeReport& report) {
  report::Screen screen{context.answerTerminal(), report::localeHasUnicode(),
                        std::filesystem::current_path().string()};
  FL_CHECK(context.answer(context.json ? finding::printed(finding::toJson(finding::toDocument(report)))
                                       : report::renderMinimize(report, screen)));
  return report.isOneMinimal ? kAnswered : kNoAnswer;
}

void fillWays(const InputQuestion& question, finding::MinimizeReport& report) {
  const InputServer* server = question.server ? question.server->made() : nullptr;
  report.stats["rolled_back"] = server ? server->made() : 0;
  experiment::Executor::Stats ran;
  if (auto executor = question.usedExecutor()) ran = executor->stats();
  report.stats["from_cache"] = ran.cached;
  report.stats["retried"] = ran.retried;
}

Result<void> simplify(const Context& context, const MinimizeCommand& command, InputQuestion& question,
                      finding::MinimizeReport& report) {
  FL_TRY(found, minimizeWith(context, command.asked, question));
  fillWays(question, report);
  report.isOneMinimal = found.isOneMinimal;
  report.unit = found.unit;
  if (found.wasStopped) report.stopped = whyStopped(command.asked);
  fillStats(found.stats, found.levels, report);
  report.stats["timeline"] = timelineJson(found.timeline);
  if (found.dependenceTaken)
    report.stats["slice"] = {{"taken", *found.dependenceTaken}, {"removed", found.dependenceRemoved}};
  FL_TRY(made, writeReproduction(question, found.inputs, {".min", command.output}));
  report.inputs = made.inputs;
  report.command = made.command;
  report.caveats.insert(report.caveats.end(), made.caveats.begin(), made.caveats.end());
  return confirm(question, made, report);
}

Result<void> isolate(const Context& context, const MinimizeCommand& command, InputQuestion& question,
                     finding::MinimizeReport& report) {
  FL_TRY(passing, passingInputs(command.asked, question));
  question.run->stopWatching();
  FL_TRY(found, isolateWith(context, command.asked, question, std::move(passing), question.inputs));
  report.isOneMinimal = found.isMinimal;
  report.unit = found.unit;
  if (found.wasStopped) report.stopped = whyStopped(command.asked);
  fillStats(found.stats, found.levels, report);
  FL_TRY(good, writeReproduction(question, found.passing, {".pass"}));
  FL_TRY(bad, writeReproduction(question, found.failing, {".min", command.output}));
  report.inputs = bad.inputs;
  report.command = bad.command;
  report.difference = finding::IsolatedDifference{good.inputs, found.steps, {}};
  technique::Difference difference(found.passing, found.failing, unitOf(command.asked));
  for (const technique::DifferenceStep& s : difference.steps())
    report.difference->lines.push_back(fmt::format("{} {}, at byte {} of {}", replay::quotedBytes(s.text),
                                                   s.comes ? "comes" : "goes", s.offset,
                                                   found.failing[s.source].text()));
  return confirm(question, bad, report);
}

Result<int> minimize(const Context& context, MinimizeCommand& command) {
  auto start = std::chrono::steady_clock::now();
  command.asked.studiesFirst = !command.asked.isolate.empty();
  FL_TRY(question, openInputQuestion(context, command.asked));
  if (question.didNotFail) return answerDidNotFail(context, *question.run, "minimize");
  finding::MinimizeReport report;
  FL_CHECK(command.asked.isolate.empty() ? simplify(context, command, question, report)
                                         : isolate(context, command, question, report));
  FL_CHECK(question.settle());
  report.program = programOf(question.run->failing.run);
  report.failure = question.failure;
  for (const auto& more : {question.caveats, caveatsOf(question.run->failing.run)})
    report.caveats.insert(report.caveats.begin(), more.begin(), more.end());
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer(context, report);
}

} // namespace

void addMinimize(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("minimize", "The smallest input that fails in the same way");
  addCommonOptions(*command, context);
  auto options = std::make_shared<MinimizeCommand>();
  addInputQuestionOptions(*command, options->asked, true);
  command
      ->add_option("--isolate", options->asked.isolate,
                   "Instead: the smallest difference to this input, with which it passes")
      ->type_name("FILE");
  command->add_option("--output-input", options->output, "Where the smaller input goes (default: NAME.min)")
      ->type_name("FILE");
  command->callback([options, &context] { context.run([&] { return minimize(context, *options); }); });
}

} // namespace faultline::cli
