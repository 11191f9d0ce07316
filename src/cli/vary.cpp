// faultline vary: does the failure depend on the order of threads, or on where things lie in memory.
#include "base/text.h"
#include "cli/answer.h"
#include "cli/interrupt.h"
#include "cli/laboratory.h"
#include "finding/vary_report.h"
#include "report/vary_text.h"

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;
using experiment::Experiment;
using experiment::Verdict;

constexpr size_t kRepetitions = 3;

struct VaryArguments {
  ValueOptions value;
  LaboratoryOptions laboratory;
  size_t schedules = 20, layouts = 20;
};

// `numbered`: each with the number that names it to the user.
Result<finding::Variation> tryAll(const Context& context, const Laboratory& laboratory, std::string what,
                                  const std::vector<std::pair<uint64_t, Experiment>>& numbered,
                                  Clock::time_point deadline) {
  finding::Variation out{.what = std::move(what)};
  std::vector<experiment::Trials::Trial> trials;
  for (size_t k = 0; k < numbered.size(); ++k) trials.push_back({k, numbered[k].second});
  Progress progress(context.log(), "varying the " + out.what, numbered.size());
  auto first = [](std::optional<uint64_t>& kept, uint64_t number) {
    kept = std::min(kept.value_or(number), number);
  };
  auto done = [&](size_t k, const experiment::Outcome* outcome) {
    if (outcome) {
      ++out.tried;
      out.passed += outcome->verdict == Verdict::Passed;
      out.same += outcome->verdict == Verdict::SameFailure;
      out.other += outcome->verdict == Verdict::OtherFailure;
      out.none += outcome->verdict == Verdict::None;
      if (outcome->verdict == Verdict::Passed) first(out.passing, numbered[k].first);
      if (outcome->verdict == Verdict::OtherFailure) first(out.failingOtherwise, numbered[k].first);
    }
    progress.update(out.tried);
    return !wasInterrupted() && Clock::now() < deadline;
  };
  experiment::Trials search = laboratory.trials();
  FL_CHECK(search.run(std::move(trials), done));
  search.leaveAside(done);
  return out;
}

Result<finding::VaryReport> varied(const Context& context, ValueRun& run, const Laboratory& laboratory,
                                   const VaryArguments& options, Clock::time_point deadline) {
  const recording::Recording& recording = run.failing.run.recording;
  finding::VaryReport report;
  report.program = programOf(run.failing.run);
  report.failure = run.failing.info;
  for (const std::string& word : recording.meta().argv)
    report.command += (report.command.empty() ? "" : " ") + shellWord(word);
  const uint64_t seed = recording.meta().seed;
  std::vector<std::pair<uint64_t, Experiment>> again, schedules, layouts;
  // An experiment that names its seed is a process of its own, even if it is the seed of the run.
  for (size_t k = 0; k < kRepetitions; ++k) again.push_back({k + 1, {.alterations = {}, .seed = seed}});
  for (uint64_t k = 1; schedules.size() < options.schedules; ++k)
    if (k != seed) schedules.push_back({k, {.alterations = {}, .seed = k}});
  for (uint64_t k = 1; k <= options.layouts; ++k)
    layouts.push_back({k, {.alterations = {}, .seed = seed, .layout = k}});
  FL_TRY(repetition, tryAll(context, laboratory, "repetition", again, deadline));
  report.variations.push_back(std::move(repetition));
  finding::Variation one{.what = "schedule", .skipped = "the program has only one thread"};
  if (recording.end()->threaded) {
    FL_TRY(made, tryAll(context, laboratory, "schedule", schedules, deadline));
    one = std::move(made);
  }
  report.variations.push_back(std::move(one));
  FL_TRY(layout, tryAll(context, laboratory, "layout", layouts, deadline));
  report.variations.push_back(std::move(layout));
  size_t wanted = kRepetitions + (recording.end()->threaded ? schedules.size() : 0) + layouts.size(),
         tried = 0;
  for (const finding::Variation& v : report.variations) tried += v.tried;
  if (tried < wanted)
    report.caveats.push_back(fmt::format("not all was tried: {} of {} runs", tried, wanted));
  return report;
}

Result<int> vary(const Context& context, VaryArguments options) {
  FL_TRY(alterable, alterableRun(context, options.value.run, true));
  auto begin = context.askedBudget > 0 ? context.started : Clock::now();
  options.value.run.words = {alterable.recording.string()};
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "vary");
  options.laboratory.noCache = true; // repetitions would tell nothing
  FL_TRY(laboratory, openLaboratory(context, *run, options.value.run, options.laboratory));
  catchInterrupt();
  auto deadline = begin + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.value.budget));
  FL_TRY(report, varied(context, *run, laboratory, options, deadline));
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  report.stats["fresh_runs"] = laboratory.experimenter->freshRuns();
  report.caveats.insert(report.caveats.begin(), alterable.caveats.begin(), alterable.caveats.end());
  laboratory.addCaveats(report.caveats);
  std::string answer = context.json ? finding::printed(finding::toJson(finding::toDocument(report)))
                                    : report::renderVary(report, answerScreen(context));
  FL_CHECK(context.answer(answer));
  return kAnswered;
}

} // namespace

void addVary(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "vary", "Whether the failure depends on the order of threads, or on where things lie in memory");
  addCommonOptions(*command, context);
  auto options = std::make_shared<VaryArguments>();
  addValueOptions(*command, options->value);
  auto number = [&](const char* name, size_t& value, const char* text) {
    command->add_option(name, value, text)
        ->check(CLI::Range(0, 1'000'000))
        ->type_name("N")
        ->capture_default_str();
  };
  number("--schedules", options->schedules, "Other schedules that are tried, if the program has threads");
  number("--layouts", options->layouts, "Other layouts of memory that are tried");
  command->add_flag("--uncontained", options->laboratory.uncontained,
                    "Let the runs do what you can do: write files, use the network, send signals");
  command->callback([options, &context] { context.run([&] { return vary(context, *options); }); });
}

} // namespace faultline::cli
