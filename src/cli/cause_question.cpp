#include "cli/cause_question.h"

#include "cli/interrupt.h"
#include "finding/describe_stop.h"
#include "replay/output_map.h"
#include "technique/causes/question.h"
#include "technique/instance_text.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

// FUNCTION, FILE or FILE:LINE.
technique::Scope scopeOf(depend::History& history, const std::vector<std::string>& correct,
                         const std::string& cwd) {
  technique::Scope scope;
  scope.isCorrectFunction = [&history, correct](uint32_t module, uint32_t function) {
    const fir::Image& image = history.code().image(module);
    const fir::Function& f = image.functions[function];
    for (const std::string& name : correct)
      if (image.string(f.name) == name || image.string(image.symbols[f.symbol].name) == name) return true;
    return false;
  };
  scope.isSystemPlace = [&history,
                         known = std::map<std::pair<uint32_t, uint32_t>, bool>()](uint32_t id) mutable {
    depend::RunCode::Where at = history.code().where(id);
    if (!at) return false;
    const fir::Image& image = *at.module->image;
    uint32_t file = image.locations[image.instructions[at.local].location].file;
    auto [it, isNew] = known.try_emplace({at.module->number, file}, false);
    if (isNew) it->second = finding::isLibraryFrame(technique::placeOf(history.code(), id, ""));
    return it->second;
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

} // namespace

namespace {

// A name that is nowhere in the program was misspelt, and would prune nothing in silence.
Result<void> checkCorrect(const replay::Program& program, const std::vector<std::string>& correct) {
  for (const std::string& name : correct) {
    size_t colon = name.rfind(':');
    bool isLine =
        colon != std::string::npos && name.find_first_not_of("0123456789", colon + 1) == std::string::npos;
    std::string file = isLine ? name.substr(0, colon) : name;
    bool isKnown = false;
    for (const auto& module : program.modules()) {
      const fir::Image& image = *module->image;
      for (const fir::Function& f : image.functions)
        isKnown |= image.string(f.name) == name || image.string(image.symbols[f.symbol].name) == name;
      for (const fir::File& f : image.files) isKnown |= image.string(f.path).ends_with(file);
    }
    if (!isKnown) return errorf("--correct {}: the program has no such function or file", name);
  }
  return {};
}

} // namespace

namespace {

// What should have been printed there, as a value of the argument that was printed.
technique::Wanted wantedOutput(const replay::OutputDifference& difference, const replay::OutputOrigin& origin,
                               const replay::Criterion& criterion) {
  if (difference.kind != replay::OutputDifference::Wrong || difference.expected.size() != 1) return {};
  auto byte = uint8_t(difference.expected[0]);
  if (criterion.memory) return {technique::Wanted::Equal, byte};
  if (criterion.operand == fir::kNone || origin.spec.empty()) return {};
  char conversion = origin.spec.back();
  if (conversion == 'c') return {technique::Wanted::EqualByte, byte};
  // The number that stands there in the expected line.
  const std::string &got = difference.gotLine, &expected = difference.expectedLine;
  size_t column =
      size_t(std::mismatch(got.begin(), got.end(), expected.begin(), expected.end()).first - got.begin());
  if (column < origin.within || std::string_view("diux").find(conversion) == std::string_view::npos)
    return {};
  std::string_view there = std::string_view(expected).substr(column - origin.within);
  there.remove_prefix(std::min(there.find_first_not_of(' '), there.size()));
  int64_t value = 0;
  auto read = std::from_chars(there.data(), there.data() + there.size(), value, conversion == 'x' ? 16 : 10);
  if (read.ec != std::errc()) return {};
  return {technique::Wanted::Equal, uint64_t(value)};
}

} // namespace

technique::Wanted wantedOf(const FailingRun& run) {
  using replay::FailureKind;
  if (!run.failure) return {};
  if (run.verdict.kind == replay::Verdict::WrongStatus)
    return {technique::Wanted::EqualByte, uint64_t(run.verdict.expectedStatus)};
  if (run.verdict.kind == replay::Verdict::Status) return {technique::Wanted::EqualByte, 0};
  if (run.verdict.kind == replay::Verdict::WrongOutput && run.verdict.difference && run.point.origin &&
      run.failure->criterion)
    return wantedOutput(*run.verdict.difference, *run.point.origin, *run.failure->criterion);
  switch (run.failure->kind) {
  case FailureKind::Crash:
    return {technique::Wanted::NotNull};
  case FailureKind::DivisionByZero:
    return {technique::Wanted::NotZero};
  default:
    return {};
  }
}

Result<finding::CausesReport> findCauses(const Context& context, ValueRun& run, CauseRun& causes,
                                         const CauseArguments& arguments, bool isAtFailure,
                                         Clock::time_point deadline, size_t mostValues) {
  auto start = Clock::now();
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  finding::CausesReport report;
  report.program = programOf(run.failing.run);
  if (isAtFailure) report.failure = run.failing.info;
  report.caveats = caveatsOf(run.failing.run);
  report.caveats.insert(report.caveats.end(), run.failing.point.caveats.begin(),
                        run.failing.point.caveats.end());
  report.correct = arguments.correct;

  FL_CHECK(checkCorrect(run.failing.run.replay.program(), arguments.correct));
  uint32_t thread = run.failing.run.replay.thread();
  if (!arguments.noSolver) {
    FL_TRY(solver, logic::makeZ3(causes.terms));
    FL_TRY(checker, logic::makeCvc5(causes.terms));
    causes.solver = std::move(solver);
    causes.checker = std::move(checker);
  }
  FL_TRY(question, technique::causeQuestion(causes.made, run.question.from, thread,
                                            isAtFailure ? wantedOf(run.failing) : technique::Wanted{}));
  technique::TreeOptions& grow = causes.options;
  grow.mostNodes = arguments.most;
  if (arguments.levels) grow.mostLevels = arguments.levels;
  grow.cause.usesSolver = !arguments.noSolver;
  grow.scope = scopeOf(*run.history, arguments.correct, cwd);
  auto progress = std::make_unique<Progress>(context.log(), "growing the tree", 0);
  grow.watch = [&](size_t nodes, size_t) {
    progress->update(nodes);
    return !wasInterrupted() && Clock::now() < deadline;
  };
  causes.instances.setWatch([deadline] { return !wasInterrupted() && Clock::now() < deadline; });
  FL_TRY(grown,
         technique::growCauseTree(causes.made, causes.solver.get(), causes.checker.get(), question, grow));
  causes.tree = std::move(grown);
  const technique::CauseTree& tree = causes.tree;
  progress.reset();
  grow.watch = nullptr;
  causes.instances.setWatch(nullptr);
  run.stopWatching();
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  FL_TRY(inputs, inputsOf(run));
  FL_CHECK(technique::describeCauses(causes.made, tree, &inputs, cwd, report,
                                     {.mostValues = mostValues, .mostShare = arguments.share / 100}));
  if (!tree.isComplete)
    report.caveats.push_back(
        fmt::format("the tree is not complete: {} nodes were grown; faultline causes grows more of it with "
                    "--most, --levels and --budget",
                    tree.nodes.size()));
  if (tree.unchecked)
    report.caveats.push_back(
        fmt::format("{} of {} causes were followed to their end, without asking a solver for an "
                    "earlier contradiction: its time was over",
                    tree.unchecked, tree.nodes.size()));
  if (causes.made.unseen())
    report.caveats.push_back(
        fmt::format("{} values changed in memory unseen, and are not explained", causes.made.unseen()));
  FL_CHECK(run.failing.run.replay.runToEnd());
  uint64_t calls = 0;
  for (const technique::CauseNode& n : tree.nodes) calls += n.cause.solverCalls;
  report.stats = {{"nodes", tree.nodes.size()},
                  {"conditions", tree.conditions},
                  {"instances", tree.instances},
                  {"instances_shown", report.shownInstances},
                  {"run", run.failing.run.replay.now()},
                  {"solver_calls", calls},
                  {"terms", causes.terms.size()},
                  {"windows", causes.instances.windowsMade()},
                  {"seconds_tree", seconds},
                  {"seconds", std::chrono::duration<double>(Clock::now() - start).count()}};
  return report;
}

} // namespace faultline::cli
