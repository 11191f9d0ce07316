#include "cli/input_question.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/expectation.h"
#include "cli/interrupt.h"
#include "cli/known_verdicts.h"
#include "finding/paths.h"
#include "technique/minimize/dependence.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <thread>

namespace fs = std::filesystem;

namespace faultline::cli {

using experiment::Ending;
using experiment::FreshProgram;
using experiment::FreshRunner;
using experiment::RunSpec;
using technique::InputSet;
using technique::InputSource;
using technique::TrialOutcome;

void addInputQuestionOptions(CLI::App& command, InputQuestionOptions& options, bool withEnvironment) {
  addRunOptions(command, options.value.run);
  options.value.budget = 600;
  command.add_option("--file", options.files, "This file is input, too; may be repeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  command.add_flag("--argv", options.argv, "Make the arguments smaller, too");
  if (withEnvironment) command.add_flag("--env", options.env, "Make the environment smaller, too");
  command
      .add_option("--unit", options.unit,
                  "The smallest piece that is left out: bytes, tokens, lines, paragraphs, whole (inputs)")
      ->check(CLI::IsMember({"bytes", "tokens", "lines", "paragraphs", "whole"}))
      ->type_name("UNIT")
      ->capture_default_str();
  command.add_option("--separator", options.separator, "Pieces end with this text, instead")
      ->type_name("TEXT");
  command
      .add_option("--reference", options.reference,
                  "A program that does it right: a run passes if output and status are the same as its")
      ->type_name("PROGRAM");
  command.add_flag("--any-failure", options.anyFailure, "Any failure will do, not just the same one");
  auto* never =
      command.add_flag("--no-slice", options.noSlice, "Do not look for what the failure depends on");
  command
      .add_flag("--slice", options.slice,
                "Look for it first (default: when more is left to do than that takes)")
      ->excludes(never);
  auto* fresh =
      command.add_flag("--fresh", options.freshOnly,
                       "Start a process for each run, even where one could be used again and again");
  command
      .add_flag("--rollback", options.rollback,
                "Use one again and again, if only standard input is made smaller, even for a large program, "
                "for which another variant is built first")
      ->excludes(fresh);
  addExecutorOptions(command, options.executor);
  command.add_option("--budget", options.value.budget, "Stop after so many seconds, with the best so far")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      .add_option("--models", options.value.models,
                  "What functions without source do, beside what is known (docs/models.md)")
      ->type_name("FILE");
}

namespace {

constexpr size_t kLargestFile = size_t(64) << 20;
constexpr double kSliceSeconds = 15;
// The variant of a larger program takes longer to build than it saves, and cannot be stopped meanwhile.
constexpr uintmax_t kQuicklyBuilt = 4'000'000;
// Runs after which it is built.
constexpr uint64_t kRunsBefore = 150;
// A slice takes so many times as long as to replay the run, and some more to begin with.
constexpr double kSliceOfReplay = 20, kSliceStart = 0.05;

Result<RunSpec> specOf(const recording::Recording& recording) {
  const recording::Meta& meta = recording.meta();
  RunSpec spec{.argv = meta.argv, .env = meta.env, .cwd = meta.cwd, .input = {}};
  // The runner puts the variant's libraries there by itself.
  std::erase_if(spec.env, [](const std::string& e) { return e.starts_with("LD_LIBRARY_PATH="); });
  if (meta.input == "captured") {
    FL_TRY(input, recording.input());
    spec.input = std::move(input);
  }
  return spec;
}

experiment::InputKind inputKindOf(const recording::Meta& meta) {
  return meta.input == "captured" ? experiment::InputKind::File : experiment::InputKind::None;
}

// The word, or the part of one behind "=", that names the file.
bool isNamedBy(const std::string& word, const std::string& path, const std::string& cwd) {
  size_t equals = word.find('=');
  return finding::absolutePath(word, cwd) == path ||
         (equals != std::string::npos && finding::absolutePath(word.substr(equals + 1), cwd) == path);
}

Result<void> addFile(const std::string& name, const RunSpec& spec, InputQuestion& question) {
  std::string path = finding::absolutePath(name, spec.cwd);
  for (const InputSource& s : question.inputs)
    if (s.kind == InputSource::File && s.path == path) return {};
  FL_TRY(bytes, readFile(path));
  if (bytes.size() > kLargestFile)
    return errorf("{} has {}: more than can be made smaller", name, humanSize(bytes.size()));
  question.inputs.push_back(
      {.kind = InputSource::File, .name = name, .path = path, .bytes = std::move(bytes)});
  return {};
}

Result<void> collectInputs(const InputQuestionOptions& options, InputQuestion& question) {
  const RunSpec& spec = question.spec;
  if (!spec.input.empty())
    question.inputs.push_back({.kind = InputSource::StandardInput, .bytes = spec.input});
  for (const std::string& file : options.files) FL_CHECK(addFile(file, spec, question));
  for (const depend::InputStream& stream : question.streams->streams()) {
    std::string path = finding::absolutePath(stream.name, spec.cwd);
    std::error_code ignored;
    if (stream.kind != depend::InputStream::File || !fs::is_regular_file(path, ignored)) continue;
    bool isNamed = std::any_of(spec.argv.begin() + 1, spec.argv.end(),
                               [&](const std::string& word) { return isNamedBy(word, path, spec.cwd); });
    if (isNamed) FL_CHECK(addFile(stream.name, spec, question));
  }
  for (size_t k = 1; options.argv && k < spec.argv.size(); ++k) {
    InputSource word{.kind = InputSource::Argument, .argument = k, .bytes = spec.argv[k]};
    word.isFixed = std::ranges::any_of(question.inputs, [&](const InputSource& s) {
      return s.kind == InputSource::File && isNamedBy(spec.argv[k], s.path, spec.cwd);
    });
    question.inputs.push_back(std::move(word));
  }
  for (const std::string& entry : spec.env) {
    size_t equals = entry.find('=');
    if (!options.env || equals == std::string::npos || equals == 0) continue;
    question.inputs.push_back(
        {.kind = InputSource::Variable, .name = entry.substr(0, equals), .bytes = entry.substr(equals + 1)});
  }
  if (!question.inputs.empty()) return {};
  return errorf("there is no input to make smaller: the program got no standard input and read no file that "
                "is named in its arguments; it read: {}. Try --argv, --env or --file PATH",
                streamNames(*question.streams));
}

Result<std::shared_ptr<const FreshRunner>> runnerFor(FreshProgram program, const experiment::Limits& limits,
                                                     const InputQuestionOptions& options,
                                                     const recording::Meta& meta) {
  experiment::Containment containment;
  containment.on = !options.executor.uncontained;
  FL_TRY(runner, FreshRunner::create(std::move(program), limits, containment, inputKindOf(meta)));
  return std::shared_ptr<const FreshRunner>(std::make_shared<FreshRunner>(std::move(runner)));
}

// If it carries IR, its record variant, so that memory lies as it does in ours: programs print addresses.
Result<FreshProgram> referenceProgram(const fs::path& program, const Context& context) {
  auto variant = makeVariant(context, program, false);
  if (variant) return FreshProgram::of(*variant, program);
  if (context.wasStopped) return variant.error();
  return FreshProgram{.variant = program, .program = program};
}

Result<recording::Expectation> expectedBy(const FreshRunner& reference, const RunSpec& run) {
  FL_TRY(ending, reference.run(run));
  recording::Expectation out;
  if (ending.cut != Ending::None || ending.signalled()) return out; // it cannot say
  out.output = std::move(ending.output);
  out.status = ending.status();
  return out;
}

// What differs from the reference may differ because of the time, or of what else is other with each run:
// what the reference itself does not print again is not known to be wrong.
Result<TrialOutcome> settled(const FreshRunner* reference, const RunSpec& run,
                             const recording::Expectation& expected, TrialOutcome outcome) {
  if (!reference || outcome != TrialOutcome::Fail) return outcome;
  FL_TRY(again, expectedBy(*reference, run));
  bool isSame = again.output == expected.output && again.status == expected.status;
  return isSame ? TrialOutcome::Fail : TrialOutcome::Unresolved;
}

// --reference: what it prints is what is expected of the recorded run.
Result<void> expectByReference(const Context& context, InputQuestionOptions& options,
                               const recording::Recording& recording, InputQuestion& question,
                               TemporaryFile& file) {
  std::error_code failed;
  fs::path program = fs::canonical(options.reference, failed);
  if (failed) return errorf("{}: {}", options.reference, failed.message());
  FL_TRY(reference, referenceProgram(program, context));
  FL_TRY(runner, runnerFor(std::move(reference), {}, options, recording.meta()));
  question.reference = runner;
  FL_TRY(expected, expectedBy(*runner, question.spec));
  if (!expected.output)
    return errorf("{} does not end by itself with this input: it cannot be the reference", options.reference);
  FL_CHECK(writeFileAtomic(file.path(), *expected.output));
  options.value.run.expect = file.path().string();
  options.value.run.expectStatus = *expected.status;
  return {};
}

// The whole output that is right for one input says nothing of another.
Result<void> refuseExpectedOutput(const InputQuestion& question, const recording::Expectation& expectation) {
  if (question.reference || !expectation.output) return {};
  if (question.run->failing.verdict.kind != replay::Verdict::WrongOutput) return {};
  return errorf("the output that is right for this input is wrong for a smaller one. Say what is right for "
                "any input: --reference PROGRAM (one that does it right), or --oracle COMMAND (status 0 if "
                "what the run printed is right)");
}

Result<recording::Expectation> expectationFor(const InputQuestionOptions& options,
                                              const InputQuestion& question) {
  FL_TRY(said, expectationOf(options.value.run));
  recording::Expectation expectation =
      said.isGiven() ? said : question.run->failing.run.recording.meta().expectation;
  FL_CHECK(refuseExpectedOutput(question, expectation));
  if (!question.reference) expectation.output.reset();
  return expectation;
}

TrialOutcome outcomeFor(experiment::Verdict verdict, bool anyFailure) {
  switch (verdict) {
  case experiment::Verdict::SameFailure:
    return TrialOutcome::Fail;
  case experiment::Verdict::Passed:
    return TrialOutcome::Pass;
  case experiment::Verdict::OtherFailure:
    return anyFailure ? TrialOutcome::Fail : TrialOutcome::Unresolved;
  case experiment::Verdict::None:
    break;
  }
  return TrialOutcome::Unresolved;
}

// Going back within one process, where only standard input is to be made smaller and the program allows it.
void offerServer(const Context& context, const InputQuestionOptions& options,
                 const recording::Expectation& expectation, InputQuestion& question) {
  bool isOnlyInput = question.inputs.size() == 1 && question.inputs[0].kind == InputSource::StandardInput;
  bool isHere = options.executor.kind == "local" && !options.executor.uncontained;
  if (!isOnlyInput || options.freshOnly || !isHere || !question.caveats.empty()) return;
  const recording::Meta& meta = question.run->failing.run.recording.meta();
  std::error_code failed;
  uintmax_t size = fs::file_size(meta.program, failed);
  compiler::VariantOptions onlyLook;
  onlyLook.alters = true;
  onlyLook.stop = [] { return true; };
  bool isThere = bool(compiler::recordVariant(meta.program, onlyLook));
  if (!options.rollback && !isThere && (failed || size > kQuicklyBuilt)) return;
  Context silent = context;
  silent.json = silent.quiet = true;
  bool keepsOutput = question.reference || !expectation.oracle.empty();
  question.server = std::make_unique<LateInputServer>(
      [silent, keepsOutput, expectation, path = question.run->failing.run.path] {
        return InputServer::create(silent, path, expectation, keepsOutput);
      },
      isThere ? 1 : kRunsBefore);
}

// Enough for a run like the first one to end in its own way.
experiment::Limits limitsAfter(const Ending& original, const recording::Meta& meta) {
  experiment::Limits limits;
  // A power of two: what was tried under other limits is tried again, and no run takes the same time twice.
  limits.seconds = std::exp2(std::ceil(std::log2(std::max(1.0, 10 * original.seconds))));
  if (meta.timeout > 0) limits.seconds = std::min(limits.seconds, meta.timeout);
  return limits;
}

Result<void> repeatOriginal(const InputQuestionOptions& options, const FreshProgram& program,
                            const recording::Expectation& expectation, InputQuestion& question) {
  const recording::Meta& meta = question.run->failing.run.recording.meta();
  experiment::Limits first;
  first.seconds = meta.timeout > 0 ? meta.timeout : 60;
  FL_TRY(patient, runnerFor(program, first, options, meta));
  RunSpec same = applied(question.spec, question.inputs);
  FL_TRY(original, patient->run(same));
  if (original.cut == Ending::Broken) return errorf("the run cannot be repeated: {}", original.broken);
  FL_TRY(judge, experiment::Judge::create(expectation, original, meta.cwd));
  question.judge.emplace(std::move(judge));
  question.secondsOfOne = original.seconds;
  FL_TRY(runner, runnerFor(program, limitsAfter(original, meta), options, meta));
  question.runner = runner;
  auto second = std::async(std::launch::async, [&] { return question.outcomeOf(same); });
  auto third = question.outcomeOf(same);
  for (const Result<TrialOutcome>& again : {second.get(), third}) {
    if (!again) return again.error();
    question.isFlaky = question.isFlaky || *again != TrialOutcome::Fail;
  }
  if (question.isFlaky)
    question.caveats.push_back("the program does not always fail in the same way with the same input: what "
                               "is left fails, but more of it might go");
  return {};
}

// What every run got beside its inputs: files that it reads. What else comes from outside has no content
// that could be compared, and verdicts hold for this recording alone.
std::string surroundings(const InputQuestion& question) {
  const recording::Recording& recording = question.run->failing.run.recording;
  std::vector<std::string> inputs;
  for (const InputSource& s : question.inputs)
    if (s.kind == InputSource::File) inputs.push_back(s.path);
  using Stream = depend::InputStream;
  bool isOther = std::ranges::any_of(question.streams->streams(), [](const Stream& s) {
    return s.kind == Stream::Socket || s.kind == Stream::Pipe || s.kind == Stream::Other;
  });
  return isOther ? fmt::format("{} {}", recording.meta().created, recording.identity())
                 : filesDigest(*question.streams, recording.meta().cwd, inputs);
}

Result<void> makeExecutorFor(const Context& context, const InputQuestionOptions& options,
                             const compiler::Variant& variant, FreshProgram program,
                             const recording::Expectation& expectation, InputQuestion& question) {
  if (question.reference) {
    if (options.executor.kind == "local") return {};
    return errorf("--reference is asked on this machine, for each run: leave out --executor {}",
                  options.executor.kind);
  }
  const recording::Recording& recording = question.run->failing.run.recording;
  const recording::Meta& meta = recording.meta();
  experiment::Setting setting{.program = std::move(program),
                              .programKey = variant.key,
                              .origin = surroundings(question),
                              .limits = question.runner->limits(),
                              .containment = {.on = !options.executor.uncontained},
                              .input = inputKindOf(meta),
                              .expectation = expectation,
                              .original = question.judge->original(),
                              .directory = meta.cwd};
  FL_TRY(executor, makeExecutor(context, options.executor, setting, question.runner, question.isFlaky));
  question.executor = std::move(executor);
  return {};
}

} // namespace

Result<TrialOutcome> InputQuestion::outcomeOf(const InputSet& inputs) const {
  InputServer* fast = server ? server->get() : nullptr;
  if (!fast && executor) {
    FL_TRY(outcome, executor->run(applied(spec, inputs)));
    return outcomeFor(outcome.verdict, anyFailure);
  }
  if (!fast) return outcomeOf(applied(spec, inputs));
  recording::Expectation expected;
  if (reference) {
    FL_TRY(said, expectedBy(*reference, applied(spec, inputs)));
    if (!said.output) return TrialOutcome::Unresolved;
    expected = std::move(said);
  }
  FL_TRY(verdict, fast->verdictOn(inputs[0].bytes, reference ? &expected : nullptr));
  if (!verdict) return outcomeOf(applied(spec, inputs));
  return settled(reference.get(), applied(spec, inputs), expected, outcomeFor(*verdict, anyFailure));
}

Result<TrialOutcome> InputQuestion::outcomeOf(const RunSpec& run) const {
  recording::Expectation expected;
  if (reference) {
    FL_TRY(said, expectedBy(*reference, run));
    if (!said.output) return TrialOutcome::Unresolved;
    expected = std::move(said);
  }
  FL_TRY(ending, runner->run(run));
  FL_TRY(verdict, reference ? judge->judge(ending, expected) : judge->judge(ending));
  return settled(reference.get(), run, expected, outcomeFor(verdict, anyFailure));
}

technique::Unit unitOf(const InputQuestionOptions& options) {
  using technique::Unit;
  if (!options.separator.empty()) return Unit{.kind = Unit::Separated, .separator = options.separator};
  if (options.unit == "tokens") return Unit{.kind = Unit::Tokens};
  if (options.unit == "lines") return Unit{.kind = Unit::Lines};
  if (options.unit == "paragraphs") return Unit{.kind = Unit::Paragraphs};
  if (options.unit == "whole") return Unit{.kind = Unit::Whole};
  return Unit{.kind = Unit::Bytes};
}

Result<InputQuestion> openInputQuestion(const Context& context, InputQuestionOptions& options) {
  InputQuestion question;
  question.anyFailure = options.anyFailure;
  FL_TRY(path, recordingFor(context, options.value.run));
  FL_TRY(recording, recording::Recording::open(path));
  FL_TRY(spec, specOf(recording));
  question.spec = std::move(spec);
  if (recording.meta().input == "inherited")
    question.caveats.push_back("standard input was a terminal or a device: it is empty in every repetition");
  options.value.run.words = {path.string()};
  FL_TRY(expectedOutput, TemporaryFile::create(".expected"));
  if (!options.reference.empty())
    FL_CHECK(expectByReference(context, options, recording, question, expectedOutput));
  ValueOptions asked = options.value;
  asked.budget = std::min(options.value.budget / 4, kSliceSeconds);
  FL_TRY(run, openValueRun(context, asked));
  question.run = std::move(run);
  question.didNotFail = question.run->didNotFail;
  if (question.didNotFail) return question;
  question.failure = failureInfo(question.run->failing);
  FL_TRY(expectation, expectationFor(options, question));
  auto before = std::chrono::steady_clock::now();
  FL_TRY(streams, inputsOf(*question.run));
  question.secondsOfReplay = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  question.streams.emplace(std::move(streams));
  FL_CHECK(collectInputs(options, question));
  FL_TRY(variant, makeVariant(context, recording.meta().program, recording.meta().seed != 0));
  FreshProgram program = FreshProgram::of(variant, recording.meta().program);
  program.seed = recording.meta().seed;
  FL_CHECK(repeatOriginal(options, program, expectation, question));
  FL_CHECK(makeExecutorFor(context, options, variant, program, expectation, question));
  offerServer(context, options, expectation, question);
  return question;
}

namespace {

// What the failure depends on. Nothing: it is not worth it yet, or not known in time.
Result<std::optional<technique::Dependence>> dependence(InputQuestion& question,
                                                        const technique::MinimizeState& state, bool isAsked) {
  std::optional<technique::Dependence> none;
  bool isWorthIt = state.expected > kSliceStart + kSliceOfReplay * question.secondsOfReplay;
  if (!isAsked && !isWorthIt) return none;
  auto enough = std::chrono::duration<double>(std::min(state.expected, kSliceSeconds));
  if (!isAsked)
    question.run->watchUntil(std::chrono::steady_clock::now() +
                             std::chrono::duration_cast<std::chrono::steady_clock::duration>(enough));
  FL_TRY(slice, depend::sliceBackward(*question.run->history, question.run->question.from));
  // Known, if only that it cannot be told: it is not asked again.
  if (slice.isBounded || question.run->history->wasStopped()) {
    technique::Dependence all;
    for (const InputSource& s : question.inputs) all.push_back({{0, s.bytes.size()}});
    return std::optional(std::move(all));
  }
  return std::optional(technique::dependenceOf(slice, *question.streams, question.inputs));
}

class Watched {
public:
  Watched(const Context& context, const InputQuestionOptions& options)
      : progress_(context.log(), "minimizing", 0),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.value.budget))) {
    catchInterrupt();
  }

  void watch(const Context& context, const InputQuestion& question, technique::MinimizeOptions& options) {
    options.search.workers = context.jobs ? context.jobs : std::max(1u, std::thread::hardware_concurrency());
    if (question.executor) options.search.workers = unsigned(question.executor->width());
    options.search.stop = [this] { return wasInterrupted() || Clock::now() >= end_; };
    options.onProgress = [this](const technique::MinimizeProgress& p) {
      ++done_;
      progress_.describe(fmt::format("best {}, now {}: runs", humanSize(p.best), p.unit),
                         p.left ? done_ + p.left : 0);
      progress_.update(done_);
    };
  }

private:
  using Clock = std::chrono::steady_clock;
  Progress progress_;
  Clock::time_point end_;
  uint64_t done_ = 0;
};

technique::InputExperiment experimentOf(const InputQuestion& question) {
  return [&question](const InputSet& inputs) { return question.outcomeOf(inputs); };
}

} // namespace

Result<technique::MinimizeResult> minimizeWith(const Context& context, const InputQuestionOptions& options,
                                               InputQuestion& question) {
  Watched watched(context, options);
  technique::MinimizeOptions how;
  how.finest = unitOf(options);
  how.secondsOfOne = question.secondsOfOne;
  if (!options.noSlice)
    how.dependence = [&](const technique::MinimizeState& state) {
      return dependence(question, state, options.slice);
    };
  watched.watch(context, question, how);
  return technique::minimizeInputs(question.inputs, experimentOf(question), how);
}

Result<technique::IsolateResult> isolateWith(const Context& context, const InputQuestionOptions& options,
                                             const InputQuestion& question, InputSet passing,
                                             InputSet failing) {
  Watched watched(context, options);
  technique::MinimizeOptions how;
  how.finest = unitOf(options);
  watched.watch(context, question, how);
  return technique::isolateInputs(std::move(passing), std::move(failing), experimentOf(question), how);
}

Result<InputSet> passingInputs(const InputQuestionOptions& options, const InputQuestion& question) {
  if (question.inputs.size() != 1)
    return errorf("--isolate takes one input, and there are {}: leave out --argv and --env",
                  question.inputs.size());
  FL_TRY(bytes, readFile(options.isolate));
  InputSet passing = question.inputs;
  passing[0].bytes = std::move(bytes);
  FL_TRY(outcome, question.outcomeOf(applied(question.spec, passing)));
  if (outcome != TrialOutcome::Pass)
    return errorf("with {} the program does not pass, so that it cannot be told apart: give an input with "
                  "which it does",
                  options.isolate);
  return passing;
}

std::string whyStopped(const InputQuestionOptions& options) {
  return wasInterrupted() ? "interrupted" : fmt::format("{} s were over (--budget)", options.value.budget);
}

} // namespace faultline::cli
