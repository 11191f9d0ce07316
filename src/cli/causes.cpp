// faultline causes: all potential causes of a failure, as a tree.
#include "cli/answer.h"
#include "cli/cause_browser.h"
#include "cli/cause_question.h"
#include "cli/changes_question.h"
#include "cli/critical_question.h"
#include "cli/interrupt.h"
#include "report/causes_text.h"
#include "technique/causes/order.h"

#include <algorithm>
#include <chrono>

namespace faultline::cli {
namespace {

struct CausesArguments {
  ValueOptions value;
  CauseArguments causes;
  LaboratoryOptions laboratory;
  bool all = false, interactive = false, noExperiments = false;
  CausesArguments() { causes.share = 7; } // as published trees hold
};

using Clock = std::chrono::steady_clock;

// Another assertion would hold, and nothing be repaired.
bool isAssertion(const finding::CausesReport& report, const finding::Place& place) {
  const auto& failure = report.failure;
  return failure && failure->kind == "assertion" && failure->place.file == place.file &&
         failure->place.line == place.line;
}

// Which lines of the tree are right the program knows best: those of which a small change repairs it are read
// first.
Result<void> tryLines(const Context& context, ValueRun& run, const CauseRun& causes,
                      const CausesArguments& options, Clock::time_point deadline,
                      finding::CausesReport& report) {
  constexpr Effort kEffort{.most = 60};
  FL_TRY(laboratory, openLaboratory(context, run, options.value.run, options.laboratory));
  run.watchUntil(deadline);
  FL_TRY(slice, relevantSlice(run));
  FirstLines first;
  for (const finding::CauseLine& line : report.order) first.add(line.place);
  FL_TRY(found, findChanges(context, run, laboratory, slice, first, kEffort, deadline));
  std::vector<technique::TriedChange> changes;
  for (const finding::CodeChange& c : found.changes)
    if (c.verified && !isAssertion(report, c.place)) changes.push_back({c.place, c.text, c.effect});
  technique::preferRepairs(changes, report.order);
  technique::arrange(causes.tree, options.causes.share / 100, report);
  report.stats["instances_shown"] = report.shownInstances;
  report.stats["experiments"] = found.tried;
  report.stats["seconds_experiments"] = found.seconds;
  for (const std::string& caveat : found.caveats)
    if (std::ranges::find(report.caveats, caveat) == report.caveats.end()) report.caveats.push_back(caveat);
  laboratory.addCaveats(report.caveats);
  return {};
}

Result<int> causes(const Context& context, CausesArguments options) {
  if (options.all || options.interactive) options.causes.share = 100;
  const bool isAtFailure = options.value.at.empty() && options.value.expression.empty();
  options.noExperiments |= !isAtFailure;
  std::string noExperiments;
  AlterableRun alterable;
  if (!options.noExperiments) {
    FL_TRY(made, alterableIfPossible(context, options.value.run, options.laboratory.noCache, noExperiments));
    alterable = std::move(made);
  }
  if (!alterable.recording.empty()) options.value.run.words = {alterable.recording.string()};
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "causes");
  auto after = [start = Clock::now()](double seconds) {
    return start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const bool canExperiment = !alterable.recording.empty();
  CauseRun causes(*run->history);
  FL_TRY(report, findCauses(context, *run, causes, options.causes, isAtFailure,
                            after(options.value.budget * (canExperiment ? 0.7 : 1)),
                            !context.isText() ? 4000
                            : options.all     ? 2000
                                              : 200));
  if (canExperiment && !wasInterrupted()) {
    auto tried = tryLines(context, *run, causes, options, after(options.value.budget), report);
    if (!tried) noExperiments = tried.error().message;
    report.caveats.insert(report.caveats.end(), alterable.caveats.begin(), alterable.caveats.end());
  }
  if (!noExperiments.empty())
    report.caveats.push_back("the lines are in the order of the tree alone, no changes were tried: " +
                             noExperiments);
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
  command->add_flag("--no-experiments", options->noExperiments,
                    "Try no changes of the lines on the program: the order is that of the tree alone");
  addLaboratoryOptions(*command, options->laboratory);
  command->add_flag("--no-solver", options->causes.noSolver,
                    "Follow values to their end: no early contradictions");
  command->callback([options, &context] { context.run([&] { return causes(context, *options); }); });
}

} // namespace faultline::cli
