// faultline causes: all potential causes of a failure, as a tree.
#include "cli/interrupt.h"
#include "cli/value_question.h"
#include "report/causes_text.h"
#include "technique/causes/describe.h"
#include "technique/causes/question.h"
#include "technique/instance_text.h"

#include <chrono>

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct CausesArguments {
  ValueOptions value;
  std::vector<std::string> correct;
  uint32_t levels = 0;
  size_t most = 400;
  bool all = false;
  bool noSolver = false;
};

// FUNCTION, FILE or FILE:LINE.
technique::Scope scopeOf(depend::History& history, const std::vector<std::string>& correct,
                         const std::string& cwd) {
  technique::Scope scope;
  scope.isCorrectFunction = [&history, correct](uint32_t module, uint32_t function) {
    const fir::Image& image = history.code().image(module);
    const fir::Function& f = image.functions[function];
    if (f.flags & fir::kSystemHeader) return true;
    for (const std::string& name : correct)
      if (image.string(f.name) == name || image.string(image.symbols[f.symbol].name) == name) return true;
    return false;
  };
  std::vector<std::pair<std::string, uint32_t>> places;
  for (const std::string& name : correct) {
    size_t colon = name.rfind(':');
    bool hasLine = colon != std::string::npos && colon + 1 < name.size() &&
                   name.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    std::string file = hasLine ? name.substr(0, colon) : name;
    if (file.find('.') == std::string::npos) continue;
    places.push_back({file, hasLine ? uint32_t(std::stoul(name.substr(colon + 1))) : 0});
  }
  if (!places.empty())
    scope.isCorrectPlace = [&history, places, cwd](uint32_t id) {
      finding::Place place = technique::placeOf(history.code(), id, cwd);
      for (auto& [file, line] : places) {
        bool isFile = place.file.ends_with(file) && (place.file.size() == file.size() ||
                                                     place.file[place.file.size() - file.size() - 1] == '/');
        if (isFile && (line == 0 || line == place.line)) return true;
      }
      return false;
    };
  return scope;
}

technique::Wanted wantedOf(const FailingRun& run, const RunOptions& options) {
  using replay::FailureKind;
  if (!run.failure) return {};
  switch (run.failure->kind) {
  case FailureKind::Crash:
    return {technique::Wanted::NotNull};
  case FailureKind::DivisionByZero:
    return {technique::Wanted::NotZero};
  default:
    return {};
  }
}

Result<int> causes(const Context& context, const CausesArguments& options) {
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "causes");
  auto start = Clock::now();
  auto deadline = start + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.value.budget));
  const std::string& cwd = run->failing.run.recording.meta().cwd;
  finding::CausesReport report;
  report.program = programOf(run->failing.run);
  if (options.value.at.empty()) report.failure = failureInfo(run->failing);
  report.caveats = caveatsOf(run->failing.run);
  report.caveats.insert(report.caveats.end(), run->failing.point.caveats.begin(),
                        run->failing.point.caveats.end());
  report.correct = options.correct;

  uint32_t thread = run->failing.run.replay.thread();
  depend::Instances instances(*run->history);
  logic::Terms terms;
  logic::InstanceTerms made(terms, instances);
  std::unique_ptr<logic::Solver> solver = logic::makeZ3(terms), checker = logic::makeCvc5(terms);
  technique::Wanted wanted = options.value.at.empty() && options.value.expression.empty()
                                 ? wantedOf(run->failing, options.value.run)
                                 : technique::Wanted{};
  FL_TRY(question, technique::causeQuestion(made, run->question.from, thread, wanted));
  technique::TreeOptions grow;
  grow.mostNodes = options.most;
  if (options.levels) grow.mostLevels = options.levels;
  grow.cause.usesSolver = !options.noSolver;
  grow.scope = scopeOf(*run->history, options.correct, cwd);
  auto progress = std::make_unique<Progress>(context.log(), "growing the tree", 0);
  grow.watch = [&](size_t nodes, size_t) {
    progress->update(nodes);
    return !wasInterrupted() && Clock::now() < deadline;
  };
  FL_TRY(tree, technique::growCauseTree(made, options.noSolver ? nullptr : solver.get(), checker.get(),
                                        question, grow));
  progress.reset();
  run->stopWatching();
  double grown = std::chrono::duration<double>(Clock::now() - start).count();
  FL_TRY(inputs, inputsOf(*run));
  FL_CHECK(technique::describeCauses(made, tree, grow.scope, &inputs, cwd, report,
                                     context.json  ? 4000
                                     : options.all ? 2000
                                                   : 200));
  if (!tree.isComplete)
    report.caveats.push_back(
        fmt::format("the tree is not complete: {} nodes were grown; --budget, --levels and "
                    "--most bound it",
                    tree.nodes.size()));
  if (tree.unchecked)
    report.caveats.push_back(
        fmt::format("{} of {} causes were followed to their end, without asking a solver for an "
                    "earlier contradiction: its time was over",
                    tree.unchecked, tree.nodes.size()));
  if (made.unseen())
    report.caveats.push_back(
        fmt::format("{} values changed in memory unseen, and are not explained", made.unseen()));
  FL_CHECK(run->failing.run.replay.runToEnd());
  uint64_t length = run->failing.run.replay.now();
  uint64_t calls = 0;
  for (const technique::CauseNode& n : tree.nodes) calls += n.cause.solverCalls;
  report.stats = {{"nodes", tree.nodes.size()},
                  {"conditions", tree.conditions},
                  {"instances", tree.instances},
                  {"run", length},
                  {"solver_calls", calls},
                  {"terms", terms.size()},
                  {"windows", instances.windowsMade()},
                  {"seconds_tree", grown},
                  {"seconds", std::chrono::duration<double>(Clock::now() - start).count()}};
  report::SourceFiles files;
  report::Screen screen{context.answerTerminal(), report::localeHasUnicode(),
                        std::filesystem::current_path().string()};
  report::CausesTextOptions shown{.mostNodes = options.all ? 0u : 12u};
  FL_CHECK(context.answer(context.json ? finding::printed(finding::toJson(finding::toDocument(report)))
                                       : report::renderCauses(report, files, screen, shown)));
  return kAnswered;
}

} // namespace

void addCauses(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("causes", "All potential causes of the failure, as a tree");
  addCommonOptions(*command, context);
  auto options = std::make_shared<CausesArguments>();
  addValueOptions(*command, options->value);
  command
      ->add_option(
          "--correct", options->correct,
          "This is right: a function, FILE or FILE:LINE; what only leads there is left out; may be repeated")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  command->add_option("--levels", options->levels, "Grow the tree no deeper")->type_name("N");
  command->add_option("--most", options->most, "Grow no more nodes")->type_name("N")->capture_default_str();
  command->add_flag("--all", options->all, "Show every node");
  command->add_flag("--no-solver", options->noSolver, "Follow values to their end: no early contradictions");
  command->callback([options, &context] { context.run([&] { return causes(context, *options); }); });
}

} // namespace faultline::cli
