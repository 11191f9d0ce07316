// faultline explain: what is wrong, in one answer from everything that fits.
#include "base/file.h"
#include "base/progress.h"
#include "cli/answer.h"
#include "cli/breakpoint_counts.h"
#include "cli/cause_question.h"
#include "cli/changes_question.h"
#include "cli/counted.h"
#include "cli/critical_question.h"
#include "cli/expectation.h"
#include "cli/explain_complaint.h"
#include "cli/explain_input.h"
#include "cli/explain_memory.h"
#include "cli/explain_origin.h"
#include "cli/input_question.h"
#include "cli/interrupt.h"
#include "cli/invariant_question.h"
#include "cli/led_there.h"
#include "cli/passed_on.h"
#include "cli/short_hang.h"
#include "cli/slice_lines.h"
#include "finding/describe_stop.h"
#include "report/source.h"
#include "technique/instance_text.h"
#include "technique/invariants/describe.h"

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct ExplainArguments {
  ValueOptions value;
  CauseArguments causes;
  LaboratoryOptions laboratory;
  std::string reference;            // a program that does it right
  std::vector<std::string> without; // techniques
  size_t suspects = 25;             // in the document
};

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

bool isWanted(const ExplainArguments& options, const char* technique) {
  return std::find(options.without.begin(), options.without.end(), technique) == options.without.end();
}

// What made the decisions that repair the run come out as they did.
Result<std::vector<finding::CauseNodeInfo>> feedsOf(CauseRun& causes, const finding::CriticalReport& critical,
                                                    const std::string& cwd) {
  finding::CausesReport report;
  technique::CauseFinder finder(causes.made, nullptr, nullptr, causes.options.cause);
  technique::ConditionFinder conditions(causes.made, causes.options.scope);
  technique::CauseTree tree;
  for (const finding::CriticalDecision& d : critical.decisions) {
    technique::CauseNode node;
    node.condition.time = d.time;
    FL_TRY(x, causes.instances.at(d.time));
    node.condition.id = x.id;
    node.parent = uint32_t(tree.nodes.size());
    FL_TRY(wish, conditions.wish(node.condition));
    if (wish) {
      FL_TRY(cause, finder.find(*wish));
      node.cause = std::move(cause);
    }
    tree.nodes.push_back(std::move(node));
  }
  FL_CHECK(technique::describeCauses(causes.made, tree, nullptr, cwd, report, {.mostValues = 200}));
  return report.nodes;
}

// A loop's condition repairs whenever something in its body does: what is further in says more.
Result<void> findAround(CauseRun& causes, finding::CriticalReport& critical) {
  constexpr int kFurthest = 8;
  for (const finding::CriticalDecision& inner : critical.decisions) {
    uint64_t at = inner.time;
    for (int k = 0; k < kFurthest && at != depend::kNoInstance; ++k) {
      FL_TRY(outer, causes.instances.control(at));
      for (finding::CriticalDecision& d : critical.decisions) d.isAround |= outer == d.time;
      at = outer;
    }
  }
  return {};
}

// Experiments need the program's alter variant. Where that cannot be, the rest is asked of the run as it is.
Result<AlterableRun> alterableOrNot(const Context& context, const ExplainArguments& options,
                                    std::string& why) {
  if (!isWanted(options, "critical") && !isWanted(options, "changes")) {
    why = "left out";
    return AlterableRun{};
  }
  return alterableIfPossible(context, options.value.run, options.laboratory.noCache, why);
}

// What the program that does it right does with the same input is what is expected.
Result<void> askReference(const Context& context, ExplainArguments& options,
                          const std::filesystem::path& output) {
  RunOptions& run = options.value.run;
  if (!run.expect.empty() || !run.oracle.empty())
    return errorf("--reference says what is right: leave out --expect and --oracle");
  FL_TRY(path, recordingFor(context, run));
  run.words = {path.string()};
  FL_TRY(recording, recording::Recording::open(path));
  auto asked =
      expectByReference(context, options.reference, options.laboratory.uncontained, recording, run, output);
  return asked ? Result<void>() : asked.error();
}

// Lines in the order that a person reads them: decisions that repair the run, what made them, the cause tree.
FirstLines firstLines(const explain::Found& found) {
  FirstLines first;
  auto addAll = [&](const finding::CauseNodeInfo& node) {
    for (const finding::CauseStatement& s : node.statements)
      if (!s.isLibrary) first.add(s.place);
  };
  if (found.critical)
    for (const finding::CriticalDecision& d : found.critical->decisions) {
      first.add(d.place);
      first.near.push_back(d.place);
    }
  for (const finding::CauseNodeInfo& node : found.feeds) addAll(node);
  if (found.causes)
    for (const finding::CauseNodeInfo& node : found.causes->nodes) addAll(node);
  return first;
}

// A line that has nothing but braces, `else` or `do`. What cannot be read may have anything.
bool isBare(std::string_view line) {
  std::string words;
  for (char c : line)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '"' || c == '\'' || c == '*')
      words += c;
  return words.empty() || words == "else" || words == "do";
}

// What had to hold for the failure to follow.
Result<void> lookAtInvariants(const Context& context, ValueRun& run, Clock::time_point end,
                              finding::InvariantsReport& report, explain::Found& found,
                              finding::Explanation& explanation) {
  constexpr size_t kMostSteps = 60; // those closest to the failure tell most
  auto start = Clock::now();
  replay::Replay& replay = run.failing.run.replay;
  replay::Time failure = replay.now();
  CauseRun causes(*run.history);
  technique::InvariantOptions how;
  how.mostSteps = kMostSteps;
  causes.instances.setWatch([end] { return !wasInterrupted() && Clock::now() < end; });
  auto trace = findInvariants(context, run, causes, true, how, end);
  causes.instances.setWatch(nullptr);
  if (!trace) return trace.error();
  run.watchUntil(end);
  FL_CHECK(technique::describeInvariants(causes.made, *trace, nullptr, explanation.program.cwd, report));
  run.stopWatching();
  found.invariants = &report;
  explanation.tried.push_back(fmt::format("{} made what had to hold, found in {:.1f} s: faultline invariants",
                                          counted(report.steps.size(), "statement"),
                                          std::chrono::duration<double>(Clock::now() - start).count()));
  return replay.seek(failure);
}

// The calls of the user's code that stand on the stack again and again, the innermost first.
std::vector<finding::Place> recursionOf(ValueRun& run) {
  constexpr size_t kLooked = 400, kAgain = 3;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  std::vector<finding::Place> calls;
  std::map<std::pair<std::string, uint32_t>, size_t> times;
  std::vector<replay::FrameView> frames = run.failing.run.replay.frames();
  for (size_t k = 1; k < std::min(frames.size(), kLooked); ++k) {
    finding::Place place = finding::placeOf(frames[k], cwd);
    if (place.isKnown() && !finding::isLibraryFrame(place) && ++times[{place.file, place.line}] == kAgain)
      calls.push_back(std::move(place));
  }
  return calls;
}

// The calls that led to where the run failed, if it failed by itself. What it printed says more than who
// called the printing.
Result<void> lookAtStack(ValueRun& run, CauseRun& causes, explain::Found& found) {
  constexpr size_t kMostCalls = 4, kMostGuards = 5;
  if (!run.failing.failure || found.knowsOutput || run.failing.run.recording.end()->timedOut) return {};
  if (run.failing.failure->kind == replay::FailureKind::StackOverflow) {
    found.recursion = recursionOf(run);
    return {};
  }
  const depend::Question& failure = run.question.from;
  FL_TRY(at, causes.instances.underWay(failure.time, run.failing.run.replay.thread(), failure.frame));
  FL_TRY(calls, callsTo(run, causes.instances, at, kMostCalls));
  found.stack = std::move(calls);
  FL_TRY(guards, decisionTimesTo(run, causes, at, kMostGuards));
  for (uint64_t time : guards) {
    FL_TRY(x, causes.instances.at(time));
    depend::RunCode& code = run.history->code();
    const finding::Place place = technique::placeOf(code, x.id, run.failing.run.recording.meta().cwd);
    if (isLoopTest(code, x.id)) found.loopTests.insert({place.file, place.line});
    found.guards.push_back(place);
  }
  return run.failing.run.replay.seek(failure.time);
}

struct Experiments {
  finding::CriticalReport critical;
  finding::ChangesReport changes;
};

// What alters the run: decisions taken the other way, small changes of the code.
Result<void> experiment(const Context& context, ValueRun& run, CauseRun& causeRun, const depend::Slice& slice,
                        const ExplainArguments& options, Clock::time_point begin, Experiments& out,
                        explain::Found& found, finding::Explanation& explanation) {
  // How rare a repair is says much, and shows only when many others were tried.
  constexpr Effort kDecisions{.most = 12, .leastTried = 1'500}, kChanges{.most = 60, .leastTried = 6'000};
  const double budget = options.value.budget;
  FL_TRY(laboratory, openLaboratory(context, run, options.value.run, options.laboratory));
  if (isWanted(options, "critical")) {
    // Where all before took long, decisions and changes share what is left.
    const auto now = Clock::now(), last = begin + seconds(budget * 0.95);
    const auto end = std::max(begin + seconds(budget * 0.6), now + (last - now) * 2 / 5);
    FL_TRY(report, findCritical(context, run, laboratory, slice, kDecisions, end));
    out.critical = std::move(report);
    found.critical = &out.critical;
    explanation.tried.push_back(fmt::format("{} taken the other way in {:.1f} s, {}: faultline critical",
                                            counted(out.critical.tried, "decision"), out.critical.seconds,
                                            repairing(out.critical.passed)));
    explanation.addCaveats(out.critical.caveats, "critical");
    causeRun.instances.setWatch(
        [end = begin + seconds(budget * 0.7)] { return !wasInterrupted() && Clock::now() < end; });
    if (auto around = findAround(causeRun, out.critical); !around && !causeRun.instances.wasStopped())
      return around.error();
    if (found.causes) {
      auto feeds = feedsOf(causeRun, out.critical, run.failing.run.recording.meta().cwd);
      if (feeds)
        found.feeds = std::move(*feeds);
      else
        explanation.caveats.push_back("what made the repairing decisions is not known: " +
                                      feeds.error().message);
    }
  }
  if (isWanted(options, "changes") && !wasInterrupted()) {
    FL_TRY(report, findChanges(context, run, laboratory, slice, firstLines(found), kChanges,
                               begin + seconds(budget * 0.95)));
    out.changes = std::move(report);
    found.changes = &out.changes;
    explanation.tried.push_back(fmt::format("{} of the code in {:.1f} s, {}: faultline changes",
                                            counted(out.changes.tried, "small change"), out.changes.seconds,
                                            repairing(out.changes.passed)));
    explanation.addCaveats(out.changes.caveats, "changes");
  }
  std::vector<std::string> caveats;
  laboratory.addCaveats(caveats);
  explanation.addCaveats(caveats, "experiments");
  return {};
}

// What was found, and stands not among the suspects that are shown first.
void noteWhatIsNotShown(const explain::Found& found, finding::Explanation& explanation) {
  const std::span shown =
      std::span(explanation.suspects).first(std::min(finding::kFirstScreen, explanation.suspects.size()));
  auto has = [&](std::string_view technique) {
    return std::ranges::any_of(shown, [&](const finding::Suspect& s) {
      return std::ranges::find(s.evidence, technique, &finding::Evidence::technique) != s.evidence.end();
    });
  };
  const uint64_t repairs =
      (found.critical ? found.critical->passed : 0) + (found.changes ? found.changes->passed : 0);
  if (repairs > 0 && !has("critical") && !has("changes"))
    explanation.caveats.push_back(fmt::format(
        "{} the run pass, but so many do, or so far from its way, that none stands among the first "
        "suspects: faultline critical and faultline changes list them",
        repairs == 1 ? "one change or decision makes"
                     : withThousands(repairs) + " changes and decisions make"));
  if (!found.memory || found.memory->errors.empty() || found.memory->errors.front().isIdle) return;
  const finding::MemoryErrorInfo& first = found.memory->errors.front();
  const bool isShown = std::ranges::any_of(shown, [&](const finding::Suspect& s) {
    return s.place.file == first.place.file && s.place.line == first.place.line;
  });
  if (!isShown)
    explanation.caveats.push_back(fmt::format(
        "memory: not among the first suspects, but wrong by itself: {}:{}, {}",
        std::filesystem::path(first.place.file).filename().string(), first.place.line, first.text));
}

Result<int> explain(const Context& context, ExplainArguments options) {
  std::string noExperiments;
  FL_TRY(alterable, alterableOrNot(context, options, noExperiments));
  // Building a variant is not part of a budget that nobody asked for.
  auto begin = context.askedBudget > 0 ? context.started : Clock::now();
  double budget = options.value.budget;
  RunOptions asked = options.value.run;
  if (!alterable.recording.empty()) options.value.run.words = {alterable.recording.string()};
  FL_TRY(expectedOutput, TemporaryFile::create(".expected"));
  if (!options.reference.empty()) FL_CHECK(askReference(context, options, expectedOutput.path()));
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "explain");
  if (!run->failing.run.recording.end())
    return errorf(
        "the recording is cut off before the run failed, so that there is nothing to explain: record the "
        "program again (faultline info says how far it goes)");

  finding::Explanation explanation;
  explanation.program = programOf(run->failing.run);
  explanation.failure = run->failing.info;
  if (std::string text = shortenedText(run->failing.run.recording); !text.empty())
    explanation.caveats.push_back(std::move(text));
  CauseRun causeRun(*run->history);
  explain::Found found;
  report::SourceFiles sources;
  found.hasCode = [&](const finding::Place& place) {
    auto line = sources.line(place.file, place.line);
    return !line || !isBare(*line);
  };
  if (explanation.failure) {
    found.failure = explanation.failure->place;
    found.isCrash = explanation.failure->signal != 0 && explanation.failure->kind != "assertion";
    const auto& end = run->failing.run.recording.end();
    found.isHang = end && end->timedOut;
    found.isStatus = explanation.failure->kind.ends_with("status");
    found.isAssertion = explanation.failure->kind == "assertion";
    found.isHeapCorruption = explanation.failure->kind == "heap-corruption";
    FL_TRY(expectation, expectationOf(options.value.run));
    found.knowsOutput = expectation.output || run->failing.run.recording.meta().expectation.output;
  }
  StatusLine status(context.log());
  auto begins = [&](std::string_view stage) {
    std::string what = "the run";
    if (explanation.failure)
      what = fmt::format("{}, line {}", explanation.failure->message, explanation.failure->place.line);
    status.show(fmt::format("{}: {}", stage, what));
  };
  begins("looking at what led there");
  if (isWanted(options, "causes")) {
    (void)lookAtStack(*run, causeRun, found); // they can be done without
    run->watchUntil(begin + seconds(budget * 0.15));
    (void)lookAtComplaints(*run, causeRun, found);
    (void)lookAtSource(*run, causeRun, found);
    run->stopWatching();
  }
  const bool canExperiment = !alterable.recording.empty();
  depend::Slice slice;
  bool isSliceComplete = false;
  if (canExperiment || isWanted(options, "slice")) {
    run->watchUntil(begin + seconds(budget * 0.25));
    auto relevant = relevantSlice(*run);
    if (relevant)
      slice = std::move(*relevant);
    else if (found.failure && found.failure->isKnown())
      explanation.caveats.push_back("slice: " + relevant.error().message);
    else
      explanation.caveats.push_back("the run ended in code that faultline-cc has not compiled, so that "
                                    "little can be told: of a test by "
                                    "GoogleTest, --gtest_break_on_failure makes the expectation itself the "
                                    "failure (--break of Catch2)");
    if (run->history->wasStopped())
      explanation.caveats.push_back(
          "slice: what the failure depends on was not followed to its end: the time "
          "was over");
    isSliceComplete = relevant && !run->history->wasStopped() && !slice.isBounded;
    if (isWanted(options, "slice")) found.slice = linesOf(*run, slice);
  }
  begins("checking memory");
  finding::MemoryReport memory;
  if (isWanted(options, "memory"))
    FL_CHECK(lookAtMemory(*run, causeRun, Clock::now() + seconds(budget * 0.15),
                          isSliceComplete ? &slice : nullptr, memory, found, explanation));
  begins("looking for what had to hold");
  finding::InvariantsReport invariants;
  if (isWanted(options, "invariants")) {
    auto asked = lookAtInvariants(context, *run, Clock::now() + seconds(budget * 0.05), invariants, found,
                                  explanation);
    if (!asked) explanation.caveats.push_back("invariants: " + asked.error().message);
  }
  begins("growing the tree of causes");
  finding::CausesReport causes;
  if (isWanted(options, "causes")) {
    auto tree =
        findCauses(context, *run, causeRun, options.causes, true, begin + seconds(budget * 0.5), 1200);
    if (tree) {
      causes = std::move(*tree);
      found.causes = &causes;
      explanation.tried.push_back(fmt::format("{} in {:.1f} s: faultline causes",
                                              counted(causes.nodes.size(), "potential cause"),
                                              causes.stats.value("seconds", 0.0)));
      explanation.addCaveats(causes.caveats, "causes");
    } else {
      explanation.caveats.push_back("causes: " + tree.error().message);
    }
  }
  begins("making the input smaller");
  Experiments experiments;
  if (canExperiment && !wasInterrupted() && isWanted(options, "chop") &&
      hasInputToReduce(*run, options.value, options.reference)) {
    auto asked = lookAtInput(context, options.value, options.laboratory, options.reference, budget * 0.1,
                             found, explanation);
    if (!asked) explanation.caveats.push_back("chop: " + asked.error().message);
  }
  begins("experimenting");
  if (canExperiment && !wasInterrupted()) {
    auto tried = experiment(context, *run, causeRun, slice, options, begin, experiments, found, explanation);
    if (!tried) noExperiments = tried.error().message;
    explanation.addCaveats(alterable.caveats, "experiments");
  }
  if (!noExperiments.empty() && noExperiments != "left out")
    explanation.caveats.push_back("no experiments were made: " + noExperiments);
  if (isWanted(options, "critical") && !wasInterrupted())
    (void)lookAtResults(*run, causeRun, std::max(begin, Clock::now()) + seconds(budget * 0.05),
                        experiments.critical, found);
  if (isWanted(options, "critical") && !wasInterrupted())
    (void)lookUnder(*run, causeRun, std::max(begin, Clock::now()) + seconds(budget * 0.05), found);
  if (isWanted(options, "slice") && !wasInterrupted())
    (void)lookAtTexts(*run, causeRun, std::max(begin, Clock::now()) + seconds(budget * 0.05),
                      found); // can be done without
  begins("putting it together");
  explanation.suspects = explain::fuse(found, options.suspects);
  bool isRepaired = experiments.critical.passed > 0 || experiments.changes.passed > 0;
  explanation.isDoubtful = found.critical && found.changes && !isRepaired;
  if (wasInterrupted())
    explanation.caveats.insert(explanation.caveats.begin(),
                               "interrupted: this is what was found until then, not all was asked");
  if (explanation.isDoubtful)
    explanation.caveats.insert(
        explanation.caveats.begin(),
        "no small change and no single decision makes the run pass: perhaps a statement "
        "is missing, or several are wrong");
  noteWhatIsNotShown(found, explanation);
  explanation.tree = causes.nodes;
  explanation.stats["seconds"] = std::chrono::duration<double>(Clock::now() - begin).count();
  if (const recording::Shortened& shortened = run->failing.run.recording.meta().shortened; shortened.steps)
    explanation.stats["hang"] = {{"steps", shortened.steps},
                                 {"seconds", shortened.seconds},
                                 {"entered", shortened.entered},
                                 {"kept", run->failing.run.recording.end()->epoch}};
  explanation.stats["memory"] = memory.stats;
  explanation.stats["causes"] = causes.stats;
  explanation.stats["critical"] = experiments.critical.stats;
  explanation.stats["changes"] = experiments.changes.stats;
  for (std::string& note : changedSources(explanation)) explanation.caveats.push_back(std::move(note));
  status.clear();
  RunInput input{.file = asked.input};
  if (context.format == "gdb") {
    FL_CHECK(countBreakpoints(*run, causeRun, explanation));
    if (auto kept = run->failing.run.recording.input()) input.kept = std::move(*kept);
  }
  FL_CHECK(answerExplanation(context, explanation, input));
  return explanation.suspects.empty() ? kNoAnswer : kAnswered;
}

} // namespace

void addExplain(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("explain", "What is wrong, in one answer from everything that fits");
  addCommonOptions(*command, context, {"text", "json", "sarif", "html", "gdb"});
  auto options = std::make_shared<ExplainArguments>();
  addValueOptions(*command, options->value);
  command
      ->add_option("--reference", options->reference,
                   "A program that does it right, as the last release: what it prints is expected")
      ->type_name("PROGRAM");
  command
      ->add_option("--correct", options->causes.correct,
                   "This is right: a function, FILE or FILE:LINE; may be repeated")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--without", options->without,
          "Leave a technique out: memory, invariants, causes, slice, chop, critical, changes; may be "
          "repeated")
      ->check(CLI::IsMember({"memory", "invariants", "causes", "slice", "chop", "critical", "changes"}))
      ->type_name("TECHNIQUE")
      ->allow_extra_args(false);
  command->add_option("--suspects", options->suspects, "How many the document (--json) has")
      ->type_name("N")
      ->capture_default_str();
  addLaboratoryOptions(*command, options->laboratory);
  command->callback([options, &context] { context.run([&] { return explain(context, *options); }); });
}

} // namespace faultline::cli
