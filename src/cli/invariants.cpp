// faultline invariants: what had to hold, statement by statement, for the failure to follow.
#include "base/file.h"
#include "base/process.h"
#include "cli/answer.h"
#include "cli/interrupt.h"
#include "cli/invariant_question.h"
#include "cli/laboratory.h"
#include "cli/value_question.h"
#include "compiler/toolchain.h"
#include "report/invariants_text.h"
#include "technique/invariants/confirm.h"
#include "technique/invariants/describe.h"
#include "technique/invariants/program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct InvariantsArguments {
  ValueOptions value;
  bool addresses = false, decisions = false;
  bool all = false, confirm = false;
  LaboratoryOptions laboratory;
  size_t most = 2000;
  std::string program; // file for the executable error trace
};

// Writes the error trace as a program, builds it and runs it: it must fail, too.
Result<void> writeProgram(logic::InstanceTerms& terms, const technique::InvariantTrace& trace,
                          const std::string& cwd, const std::string& path,
                          finding::InvariantsReport& report) {
  FL_TRY(text, technique::errorTraceProgram(terms, trace, cwd));
  FL_CHECK(writeFileAtomic(path, text));
  FL_TRY(built, TemporaryFile::create());
  std::vector<std::string> words = {"-w", "-x", "c", path, "-o", built.path().string(), "-lm"};
  FL_TRY(compiled, runCommand({.argv = compiler::clangCommand(compiler::Language::C, words)}));
  finding::ErrorProgramInfo info{path};
  if (compiled.ok()) {
    FL_TRY(outcome, runCommand({.argv = {built.path().string()}, .timeout = std::chrono::seconds(10)}));
    info.fails = outcome.signal == SIGABRT;
  } else {
    report.caveats.push_back("the error trace could not be compiled: " + compiled.err.substr(0, 400));
  }
  if (compiled.ok() && !info.fails)
    report.caveats.push_back("the error trace in " + path + " does not fail when it is run by itself");
  report.errorProgram = info;
  return {};
}

const char* nameOf(technique::InvariantConfirmation::Outcome outcome) {
  switch (outcome) {
  case technique::InvariantConfirmation::SameFailure:
    return "same-failure";
  case technique::InvariantConfirmation::OtherWay:
    return "other-way";
  case technique::InvariantConfirmation::NoVerdict:
    return "no-verdict";
  default:
    return "nothing-else";
  }
}

// Runs the program in other states that have the invariants: it must fail all the same.
Result<void> confirm(const Context& context, ValueRun& run, const InvariantsArguments& options,
                     logic::InstanceTerms& terms, const technique::InvariantTrace& trace,
                     logic::Solver& solver, Clock::time_point deadline, finding::InvariantsReport& report) {
  LaboratoryOptions how = options.laboratory;
  how.noCache = true; // its experiments are not judged by what is kept
  FL_TRY(laboratory, openLaboratory(context, run, options.value.run, how));
  auto watch = [&](size_t) { return !wasInterrupted() && Clock::now() < deadline; };
  FL_TRY(outcomes, technique::confirmInvariants(terms, trace, solver, *laboratory.experimenter,
                                                laboratory.judge, watch));
  std::map<uint64_t, const char*> byTime;
  std::map<std::string, size_t> counts;
  for (size_t k = 0; k < outcomes.size(); ++k) {
    byTime[trace.steps[k].time] = nameOf(outcomes[k].outcome);
    ++counts[nameOf(outcomes[k].outcome)];
  }
  for (finding::InvariantStepInfo& step : report.steps)
    if (auto it = byTime.find(step.time); it != byTime.end()) step.experiment = it->second;
  report.caveats.push_back(fmt::format(
      "of {} invariants, {} were confirmed by a run in another state that has them, {} had no other state "
      "that could be made, with {} the run went another way, of {} nothing is known",
      outcomes.size(), counts["same-failure"], counts["nothing-else"], counts["other-way"],
      counts["no-verdict"]));
  laboratory.addCaveats(report.caveats);
  return {};
}

// As `causes` has it.
Result<int> invariants(const Context& context, InvariantsArguments options) {
  std::vector<std::string> repeated;
  if (options.confirm) {
    FL_TRY(alterable, alterableRun(context, options.value.run, true));
    options.value.run.words = {alterable.recording.string()};
    repeated = std::move(alterable.caveats);
  }
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "invariants");
  auto start = Clock::now();
  auto deadline = start + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.value.budget));
  finding::InvariantsReport report;
  report.program = programOf(run->failing.run);
  report.addresses = options.addresses;
  if (options.value.at.empty()) report.failure = run->failing.info;
  report.caveats = caveatsOf(run->failing.run);
  report.caveats.insert(report.caveats.begin(), repeated.begin(), repeated.end());
  report.caveats.insert(report.caveats.end(), run->failing.point.caveats.begin(),
                        run->failing.point.caveats.end());

  CauseRun causes(*run->history);
  technique::InvariantOptions how;
  how.addresses = options.addresses;
  how.decisions = options.decisions;
  how.mostSteps = options.most;
  bool isAtFailure = options.value.at.empty() && options.value.expression.empty();
  FL_TRY(found, findInvariants(context, *run, causes, isAtFailure, how, deadline));
  run->stopWatching();
  FL_TRY(inputs, inputsOf(*run));
  const std::string& cwd = run->failing.run.recording.meta().cwd;
  logic::InstanceTerms& made = causes.made;
  FL_CHECK(technique::describeInvariants(made, found, &inputs, cwd, report));
  if (options.confirm)
    FL_CHECK(confirm(context, *run, options, made, found, *causes.solver, deadline, report));
  if (!options.program.empty()) FL_CHECK(writeProgram(made, found, cwd, options.program, report));
  if (!found.isComplete)
    report.caveats.push_back(
        fmt::format("not complete: what made the first invariant hold was not looked at after {} "
                    "statements; --budget and --most bound it",
                    found.steps.size()));
  if (auto open =
          std::count_if(report.steps.begin(), report.steps.end(), [](const auto& s) { return !s.isAsked; }))
    report.caveats.push_back(
        fmt::format("of {} of {} invariants the solvers did not decide in time whether they are "
                    "enough; they are by the way they were made",
                    open, report.steps.size()));
  report.stats = {{"statements", found.steps.size()},
                  {"instances", found.instances},
                  {"dropped", found.dropped},
                  {"reductions", found.reductions},
                  {"solver_calls", found.solverCalls},
                  {"terms", causes.terms.size()},
                  {"seconds", std::chrono::duration<double>(Clock::now() - start).count()}};
  report::InvariantsTextOptions shown{.mostSteps = options.all ? 0u : 40u};
  FL_CHECK(answerReport(context, report, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderInvariants(report, files, screen, shown);
  }));
  return kAnswered;
}

} // namespace

void addInvariants(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("invariants", "What had to hold, statement by statement, for the failure to follow");
  addCommonOptions(*command, context, {"text", "json", "sarif"});
  auto options = std::make_shared<InvariantsArguments>();
  addValueOptions(*command, options->value);
  command->add_flag("--addresses", options->addresses,
                    "Also why each place in memory was the one that was read or written");
  command->add_flag("--decisions", options->decisions,
                    "Also the decisions by which the statements were executed");
  command->add_option("--most", options->most, "Go back no more statements")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--error-trace", options->program,
                   "Write what mattered as a C program of its own, build it and run it: it must fail, too")
      ->type_name("FILE");
  command->add_flag("--all", options->all, "Show every statement");
  command->add_flag("--confirm", options->confirm,
                    "Run the program in other states that have the invariants: it must fail as before");
  addLaboratoryOptions(*command, options->laboratory);
  command->callback([options, &context] { context.run([&] { return invariants(context, *options); }); });
}

} // namespace faultline::cli
