#include "cli/input_question.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/alterable_run.h"
#include "cli/expectation.h"
#include "cli/interrupt.h"
#include "cli/known_verdicts.h"
#include "finding/paths.h"
#include "technique/minimize/dependence.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace fs = std::filesystem;

namespace faultline::cli {

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
                "Use one again and again, if only standard input, or one file, is made smaller, even for a "
                "large program, "
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

VariantKind variantForRuns(const Context& context, const recording::Meta& meta) {
  if (!meta.alters) return meta.seed != 0 ? VariantKind::Alter : VariantKind::Record;
  if (meta.seed == 0 && isVariantThere(context, meta.program, VariantKind::Record))
    return VariantKind::Record;
  return meta.quick ? VariantKind::QuickAlter : VariantKind::Alter;
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
// What a replay takes at least: to read the program, of so many bytes in a second, and to make its steps.
constexpr double kReadInSecond = 100e6, kReplayOfRun = 5;
constexpr const char* kFlaky =
    "the program does not always fail in the same way with the same input: what is "
    "left fails, but more of it might go";

Result<RunSpec> specOf(const recording::Recording& recording) {
  const recording::Meta& meta = recording.meta();
  RunSpec spec{.argv = meta.argv, .env = meta.env, .cwd = meta.cwd, .input = {}};
  // The runner puts the variant's libraries there by itself.
  std::erase_if(spec.env, [](const std::string& e) { return e.starts_with("LD_LIBRARY_PATH="); });
  if (meta.input == "captured") {
    FL_TRY(input, recording.input());
    spec.input = std::move(input);
  }
  FL_TRY(before, recording.files());
  spec.before = std::move(before);
  return spec;
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
  const recording::KeptFile* before = recording::findKept(*spec.before, path);
  FL_TRY(bytes, before ? before->bytes : readFile(path));
  if (bytes.size() > kLargestFile)
    return errorf("{} has {}: more than can be made smaller", name, humanSize(bytes.size()));
  question.inputs.push_back(
      {.kind = InputSource::File, .name = name, .path = path, .bytes = std::move(bytes)});
  return {};
}

// When the run began.
bool wasFile(const std::string& path, const RunSpec& spec) {
  std::error_code ignored;
  const recording::KeptFile* before = recording::findKept(*spec.before, path);
  return before ? before->kind == recording::KeptFile::File : fs::is_regular_file(path, ignored);
}

// Only files that the run read are input; whether it did is not known before it was replayed.
Result<void> addNamedFiles(const RunSpec& spec, InputQuestion& question) {
  auto isNamed = [&](const std::string& path) {
    return std::any_of(spec.argv.begin() + 1, spec.argv.end(),
                       [&](const std::string& word) { return isNamedBy(word, path, spec.cwd); });
  };
  FL_TRY(known, question.study.findings());
  FL_TRY(streams, known->streams());
  for (const depend::InputStream& stream : streams->streams()) {
    std::string path = finding::absolutePath(stream.name, spec.cwd);
    if (stream.kind != depend::InputStream::File || !wasFile(path, spec)) continue;
    if (isNamed(path)) FL_CHECK(addFile(stream.name, spec, question));
  }
  return {};
}

// Words, or parts of them behind "=", that might be one: there is such a file.
std::vector<std::string> filesNamed(const RunSpec& spec) {
  auto isFile = [&](const std::string& name) { return wasFile(finding::absolutePath(name, spec.cwd), spec); };
  std::vector<std::string> out;
  for (size_t k = 1; k < spec.argv.size(); ++k) {
    const std::string& word = spec.argv[k];
    size_t equals = word.find('=');
    if (isFile(word))
      out.push_back(word);
    else if (equals != std::string::npos && isFile(word.substr(equals + 1)))
      out.push_back(word.substr(equals + 1));
  }
  return out;
}

Result<void> collectInputs(const InputQuestionOptions& options, InputQuestion& question) {
  const RunSpec& spec = question.spec;
  if (!spec.input.empty())
    question.inputs.push_back({.kind = InputSource::StandardInput, .bytes = spec.input});
  for (const std::string& file : options.files) FL_CHECK(addFile(file, spec, question));
  const std::vector<std::string> named = filesNamed(spec);
  if (!named.empty()) FL_CHECK(addNamedFiles(spec, question));
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
  FL_TRY(known, question.study.findings());
  FL_TRY(streams, known->streams());
  return errorf(
      "there is no input to make smaller: the program got no standard input and was not seen to read "
      "a file that is named in its arguments{}; it read: {}. Try --argv, --env or --file PATH",
      named.empty() ? "" : fmt::format(" (a library may have read {})", named[0]), streamNames(*streams));
}

// If it carries IR, its record variant, so that memory lies as it does in ours: programs print addresses.
Result<FreshProgram> referenceProgram(const fs::path& program, const Context& context) {
  auto variant = makeVariant(context, program, VariantKind::Record);
  if (variant) return FreshProgram::of(*variant, program);
  if (context.wasStopped) return variant.error();
  return FreshProgram{.variant = program, .program = program};
}

// The whole output that is right for one input says nothing of another.
Result<void> refuseExpectedOutput(const InputQuestion& question, const replay::Verdict& verdict,
                                  const recording::Expectation& expectation) {
  if (question.reference || !expectation.output) return {};
  if (verdict.kind != replay::Verdict::WrongOutput) return {};
  return errorf("the output that is right for this input is wrong for a smaller one. Say what is right for "
                "any input: --reference PROGRAM (one that does it right), or --oracle COMMAND (status 0 if "
                "what the run printed is right)");
}

Result<recording::Expectation> expectationFor(const InputQuestionOptions& options,
                                              const replay::Verdict& verdict, const InputQuestion& question) {
  FL_TRY(said, expectationOf(options.value.run));
  recording::Expectation expectation = said.isGiven() ? said : question.meta.expectation;
  FL_CHECK(refuseExpectedOutput(question, verdict, expectation));
  if (!question.reference) expectation.output.reset();
  return expectation;
}

bool mayServe(const InputQuestionOptions& options) {
  return !options.freshOnly && options.executor.kind == "local" && !options.executor.uncontained;
}

// Going back within one process, where only standard input or one file is to be made smaller and the program
// allows it.
void offerServer(const Context& context, const InputQuestionOptions& options,
                 const recording::Expectation& expectation, InputQuestion& question) {
  if (question.inputs.size() != 1 || !question.spec.before->empty()) return;
  const InputSource& only = question.inputs[0];
  std::optional<experiment::ServedFile> file;
  if (only.kind == InputSource::File) file = experiment::ServedFile{only.name, only.path, only.bytes};
  if ((only.kind != InputSource::StandardInput && !file) || !mayServe(options) || !question.caveats.empty())
    return;
  std::error_code failed;
  uintmax_t size = fs::file_size(question.meta.program, failed);
  bool isThere = isAlterableThere(context, question.path);
  if (!options.rollback && !isThere && (failed || size > kQuicklyBuilt)) return;
  Context silent = context;
  silent.json = silent.quiet = true;
  bool keepsOutput = question.reference || !expectation.oracle.empty();
  question.isServed = isThere;
  question.server = std::make_unique<LateInputServer>(
      [silent, keepsOutput, expectation, file, path = question.path] {
        return InputServer::create(silent, path, expectation, keepsOutput, file);
      },
      isThere ? 1 : kRunsBefore);
}

// Where one file alone can be the input, the process that goes back knows whether the run opens it: it need
// not be replayed first. False: it has to be.
Result<bool> offerNamedFile(const Context& context, const InputQuestionOptions& options,
                            const recording::Expectation& expectation, InputQuestion& question) {
  const std::vector<std::string> named = filesNamed(question.spec);
  bool isAlone = named.size() == 1 && question.spec.input.empty() && options.files.empty() && !options.argv &&
                 !options.env && !options.studiesFirst;
  if (!isAlone) return false;
  FL_CHECK(addFile(named[0], question.spec, question));
  offerServer(context, options, expectation, question);
  if (question.isServed && question.server->get()) return true;
  question.inputs.clear();
  question.server.reset();
  question.isServed = false;
  return false;
}

// What every run got beside its inputs: files that it reads. What else comes from outside has no content
// that could be compared, and verdicts hold for this recording alone.
Result<std::string> surroundings(RunFindings& known, const InputSet& inputs) {
  const recording::Recording& recording = known.run->failing.run.recording;
  FL_TRY(streams, known.streams());
  std::vector<std::string> files;
  for (const InputSource& s : inputs)
    if (s.kind == InputSource::File) files.push_back(s.path);
  using Stream = depend::InputStream;
  bool isOther = std::ranges::any_of(streams->streams(), [](const Stream& s) {
    return s.kind == Stream::Socket || s.kind == Stream::Pipe || s.kind == Stream::Other;
  });
  return isOther ? fmt::format("{} {}", recording.meta().created, recording.identity())
                 : filesDigest(*streams, recording.meta().cwd, files);
}

struct ExecutorRequest {
  Context context;
  ExecutorOptions options;
  std::string variantKey;
  FreshProgram program;
  recording::Expectation expectation;
};

// Where there are no verdicts to keep, it does not matter what else the run got.
Result<std::shared_ptr<experiment::Executor>> makeExecutorFor(const ExecutorRequest& request,
                                                              const RunStudy& study, const InputSet& inputs,
                                                              const Result<RepeatedRun>& repeated,
                                                              const recording::Meta& meta) {
  if (!repeated) return repeated.error();
  std::string origin;
  if (!request.options.noCache) {
    FL_TRY(known, study.findings());
    auto lock = study.lock();
    FL_TRY(found, surroundings(*known, inputs));
    origin = std::move(found);
  }
  experiment::Setting setting{.program = request.program,
                              .programKey = request.variantKey,
                              .origin = std::move(origin),
                              .limits = repeated->runner->limits(),
                              .containment = {.on = !request.options.uncontained},
                              .input = inputKindOf(meta),
                              .expectation = request.expectation,
                              .original = repeated->judge->original(),
                              .directory = meta.cwd};
  FL_TRY(executor,
         makeExecutor(request.context, request.options, setting, repeated->runner, repeated->isFlaky));
  return std::shared_ptr<experiment::Executor>(std::move(executor));
}

// Later, if experiments can begin without: it is begun while they are made, and awaited where it is needed.
Result<void> prepareProcesses(const Context& context, const InputQuestionOptions& options,
                              const recording::Expectation& expectation, InputQuestion& question) {
  const VariantKind kind = variantForRuns(context, question.meta);
  auto repeat = [context, options, expectation, kind, meta = question.meta, reference = question.reference,
                 anyFailure = question.anyFailure, isServed = question.isServed,
                 run = applied(question.spec, question.inputs)]() -> Result<RepeatedRun> {
    FL_TRY(variant, makeVariant(context, meta.program, kind));
    FreshProgram program = FreshProgram::of(variant, meta.program);
    program.seed = meta.seed;
    // Who goes back within one process has repeated it there, too. Verdicts that are kept must be sure at
    // once.
    return repeatRun({program, run, meta, expectation, reference, !options.executor.uncontained, anyFailure,
                      isServed ? 1u : 2u, options.executor.noCache});
  };
  question.repeated = Later<RepeatedRun>(std::move(repeat));
  // It may take any time to build.
  if (!isVariantThere(context, question.meta.program, kind)) question.repeated.begin();
  if (!question.reference) {
    auto make = [context, options, expectation, kind, meta = question.meta, study = question.study,
                 inputs = question.inputs,
                 repeated = question.repeated]() -> Result<std::shared_ptr<experiment::Executor>> {
      FL_TRY(variant, makeVariant(context, meta.program, kind));
      FreshProgram program = FreshProgram::of(variant, meta.program);
      program.seed = meta.seed;
      return makeExecutorFor({context, options.executor, variant.key, program, expectation}, study, inputs,
                             repeated.get(), meta);
    };
    question.executor = std::async(std::launch::deferred, std::move(make)).share();
  } else if (options.executor.kind != "local") {
    return errorf("--reference is asked on this machine, for each run: leave out --executor {}",
                  options.executor.kind);
  }
  if (question.isServed) return {};
  if (!question.repeated.get()) return question.repeated.get().error();
  if (question.executor.valid() && !question.executor.get()) return question.executor.get().error();
  return {};
}

} // namespace

Result<TrialOutcome> InputQuestion::outcomeOf(const InputSet& inputs) const {
  InputServer* fast = server ? server->get() : nullptr;
  if (!fast && executor.valid()) {
    const auto& made = executor.get();
    if (!made) return made.error();
    FL_TRY(outcome, (*made)->run(applied(spec, inputs)));
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
  const Result<RepeatedRun>& known = repeated.get();
  if (!known) return known.error();
  return known->outcomeOf(run);
}

Result<bool> InputQuestion::isServedRight(const InputSet& found) {
  if (!server || !server->made()) return true;
  if (!server->made()->isFaithful()) return false;
  if (!reference) {
    FL_TRY(verdicts, server->made()->lastVerdictsOn(found[0].bytes));
    for (const auto& verdict : verdicts)
      if (verdict && outcomeFor(*verdict, anyFailure) != TrialOutcome::Fail) return false;
  }
  FL_TRY(outcome, outcomeOf(applied(spec, found)));
  bool isFlaky = repeated.get()->isFlaky;
  if (isFlaky) caveats.push_back(kFlaky);
  return outcome == TrialOutcome::Fail && !isFlaky;
}

experiment::Executor* InputQuestion::usedExecutor() const {
  bool isUsed = executor.valid() && executor.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  return isUsed && executor.get() ? executor.get()->get() : nullptr;
}

void InputQuestion::beginRest() const {
  if (server && server->made()) server->made()->beginToRepeat();
  study.begin();
  repeated.begin();
  if (!isServed && repeated.get()) repeated.get()->rest.begin();
}

Result<void> InputQuestion::settle() {
  FL_TRY(known, study.findings());
  run = known->run.get();
  failure = known->failure;
  didNotFail = run->didNotFail;
  return {};
}

Result<std::shared_ptr<const FreshRunner>> expectByReference(const Context& context,
                                                             const std::string& reference, bool uncontained,
                                                             const recording::Recording& recording,
                                                             RunOptions& run, const fs::path& output) {
  std::error_code failed;
  fs::path program = fs::canonical(reference, failed);
  if (failed) return errorf("{}: {}", reference, failed.message());
  FL_TRY(made, referenceProgram(program, context));
  FL_TRY(runner, runnerFor(std::move(made), {}, !uncontained, recording.meta()));
  FL_TRY(spec, specOf(recording));
  FL_TRY(expected, expectedBy(*runner, spec));
  if (!expected.output)
    return errorf("{} does not end by itself with this input: it cannot be the reference", reference);
  FL_CHECK(writeFileAtomic(output, *expected.output));
  run.expect = output.string();
  run.expectStatus = *expected.status;
  return std::shared_ptr<const FreshRunner>(std::move(runner));
}

bool mayHaveInput(const recording::Recording& recording) {
  auto spec = specOf(recording);
  return spec && (!spec->input.empty() || !filesNamed(*spec).empty());
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

namespace {

bool isProgram(const RunOptions& run) {
  return !run.words.empty() && !namedRecording(run.words[0]) && !run.words[0].ends_with(".flr");
}

// Nothing: it has to be recorded as usual. Where the variant that goes back is there, its recording serves
// for all; unless its world has something to do with how the run ends.
Result<std::optional<fs::path>> recordedAlterable(const Context& context,
                                                  const InputQuestionOptions& options) {
  const RunOptions& run = options.value.run;
  bool isPlain = run.limit.empty() && run.last.empty() && run.seed == 0 && run.children == 0 &&
                 run.oracle.empty() && options.reference.empty() && !options.studiesFirst;
  if (!isPlain || !mayServe(options) || !isProgram(run)) return std::optional<fs::path>();
  FL_TRY(program, findProgram(run.program.empty() ? run.words[0] : run.program));
  if (!alterableKindThere(context, program)) return std::optional<fs::path>();
  FL_TRY(made, alterableRun(context, run, true, false));
  FL_TRY(recording, recording::Recording::open(made.recording));
  std::optional<fs::path> none;
  if (!recording.end() || recording.end()->threaded) return none;
  FL_TRY(verdict, verdictOf(recording, run));
  return verdict.failed() ? std::optional(made.recording) : none;
}

Result<fs::path> recordingToReduce(const Context& context, const InputQuestionOptions& options) {
  FL_TRY(made, recordedAlterable(context, options));
  if (made) return *made;
  return recordingFor(context, options.value.run);
}

} // namespace

Result<InputQuestion> openInputQuestion(const Context& context, InputQuestionOptions& options) {
  InputQuestion question;
  question.anyFailure = options.anyFailure;
  FL_TRY(path, recordingToReduce(context, options));
  question.path = path;
  FL_TRY(recording, recording::Recording::open(path));
  question.meta = recording.meta();
  FL_TRY(spec, specOf(recording));
  question.spec = std::move(spec);
  if (recording.meta().input == "inherited")
    question.caveats.push_back("standard input was a terminal or a device: it is empty in every repetition");
  options.value.run.words = {path.string()};
  FL_TRY(expectedOutput, TemporaryFile::create(".expected"));
  if (!options.reference.empty()) {
    FL_TRY(runner, expectByReference(context, options.reference, options.executor.uncontained, recording,
                                     options.value.run, expectedOutput.path()));
    question.reference = std::move(runner);
  }
  ValueOptions asked = options.value;
  asked.budget = std::min(options.value.budget / 4, kSliceSeconds);
  FL_TRY(expectation, expectationOf(options.value.run));
  // An oracle is asked once.
  bool isJudgedByReplay = !expectation.oracle.empty() || !question.meta.expectation.oracle.empty() ||
                          !recording.end() || !options.reference.empty();
  replay::Verdict verdict;
  verdict.kind = replay::Verdict::Crashed;
  if (!isJudgedByReplay) {
    FL_TRY(judged, verdictOf(recording, options.value.run));
    verdict = judged;
  }
  catchInterrupt(); // before there are threads that might
  Context silent = context;
  if (!options.studiesFirst) silent.quiet = true; // the search has a line of its own
  question.study = RunStudy(silent, asked);
  if (options.studiesFirst || isJudgedByReplay || !verdict.failed()) {
    FL_CHECK(question.settle());
    if (question.didNotFail) return question;
    verdict = question.run->failing.verdict;
  }
  FL_TRY(right, expectationFor(options, verdict, question));
  FL_TRY(isOffered, offerNamedFile(context, options, right, question));
  if (!isOffered) {
    FL_CHECK(collectInputs(options, question));
    offerServer(context, options, right, question);
  }
  FL_CHECK(prepareProcesses(context, options, right, question));
  if (!question.isServed && question.repeated.get()->isFlaky) {
    question.caveats.push_back(kFlaky);
    question.server.reset();
  }
  return question;
}

namespace {

// It keeps the runs of the search waiting, so that it is not begun in vain.
double leastSecondsOfReplay(const InputQuestion& question) {
  std::error_code failed;
  const uintmax_t size = fs::file_size(question.meta.program, failed);
  const double run = question.isServed ? 0 : question.repeated.get()->seconds;
  return (failed ? 0 : double(size) / kReadInSecond) + kReplayOfRun * run;
}

// What the failure depends on. Nothing: it is not worth it yet, or not known in time.
Result<std::optional<technique::Dependence>> dependence(InputQuestion& question,
                                                        const technique::MinimizeState& state, bool isAsked) {
  std::optional<technique::Dependence> none;
  // A replay that takes longer than this is not worth it either.
  double most = (state.expected - kSliceStart) / kSliceOfReplay;
  if (!isAsked && (most <= leastSecondsOfReplay(question) || !question.study.isDoneIn(most))) return none;
  FL_TRY(known, question.study.findings());
  if (!isAsked && known->secondsOfReplay > most) return none;
  auto lock = question.study.lock();
  FL_TRY(streams, known->streams());
  auto enough = std::chrono::duration<double>(std::min(state.expected, kSliceSeconds));
  if (!isAsked)
    known->run->watchUntil(std::chrono::steady_clock::now() +
                           std::chrono::duration_cast<std::chrono::steady_clock::duration>(enough));
  FL_TRY(slice, depend::sliceBackward(*known->run->history, known->run->question.from));
  // Known, if only that it cannot be told: it is not asked again.
  if (slice.isBounded || known->run->history->wasStopped()) {
    technique::Dependence all;
    for (const InputSource& s : question.inputs) all.push_back({{0, s.bytes.size()}});
    return std::optional(std::move(all));
  }
  return std::optional(technique::dependenceOf(slice, *streams, question.inputs));
}

constexpr const char* kServedWrong = "what was found by going back within one process does not hold in one "
                                     "of its own: the search was made again with a process for each run";

// So many times as long as it took until the search began may it go on before what is needed at its end is
// worked on, too: until then most is left out, and to wait for it afterwards takes no longer than it has been
// put off.
constexpr double kUndisturbed = 5;

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
    if (!question.isServed && question.executor.valid())
      options.search.workers = unsigned((*question.executor.get())->width());
    options.search.stop = [this] { return wasInterrupted() || Clock::now() >= end_; };
    auto before =
        std::chrono::duration_cast<Clock::duration>(kUndisturbed * (Clock::now() - context.started));
    restAt_ = Clock::now() + before;
    options.onProgress = [this, &question](const technique::MinimizeProgress& p) {
      ++done_;
      if (Clock::now() >= restAt_) question.beginRest();
      progress_.describe(fmt::format("best {}, now {}: runs", humanSize(p.best), p.unit),
                         p.left ? done_ + p.left : 0);
      progress_.update(done_);
    };
  }

private:
  using Clock = std::chrono::steady_clock;
  Progress progress_;
  Clock::time_point end_, restAt_;
  uint64_t done_ = 0;
};

technique::InputExperiment experimentOf(const InputQuestion& question) {
  return [&question](const InputSet& inputs) { return question.outcomeOf(inputs); };
}

} // namespace

namespace {

Result<technique::MinimizeResult> minimizeOnce(const Context& context, const InputQuestionOptions& options,
                                               InputQuestion& question) {
  Watched watched(context, options);
  technique::MinimizeOptions how;
  how.finest = unitOf(options);
  how.start = context.started;
  if (!question.isServed) {
    how.secondsOfOne = question.repeated.get()->seconds;
    if (question.inputs[0].kind == InputSource::StandardInput) how.read = question.repeated.get()->inputRead;
  }
  if (!options.noSlice)
    how.dependence = [&](const technique::MinimizeState& state) {
      return dependence(question, state, options.slice);
    };
  if (InputServer* server = question.isServed && question.server ? question.server->get() : nullptr)
    how.read = server->inputRead();
  watched.watch(context, question, how);
  return technique::minimizeInputs(question.inputs, experimentOf(question), how);
}

} // namespace

namespace {

// What was left for later of repeating the run.
Result<void> settleRepetition(InputQuestion& question) {
  const Result<RepeatedRun>& repeated = question.repeated.get();
  if (!repeated) return repeated.error();
  const Result<bool>& isFlaky = repeated->rest.get();
  if (!isFlaky) return isFlaky.error();
  if (*isFlaky && !repeated->isFlaky) question.caveats.push_back(kFlaky);
  return {};
}

} // namespace

Result<technique::MinimizeResult> minimizeWith(const Context& context, const InputQuestionOptions& options,
                                               InputQuestion& question) {
  FL_TRY(found, minimizeOnce(context, options, question));
  question.beginRest();
  FL_CHECK(settleRepetition(question));
  FL_TRY(isRight, question.isServedRight(found.inputs));
  if (isRight) return found;
  question.caveats.push_back(kServedWrong);
  question.server.reset();
  return minimizeOnce(context, options, question);
}

Result<technique::IsolateResult> isolateWith(const Context& context, const InputQuestionOptions& options,
                                             InputQuestion& question, InputSet passing, InputSet failing) {
  auto once = [&] {
    Watched watched(context, options);
    technique::MinimizeOptions how;
    how.finest = unitOf(options);
    watched.watch(context, question, how);
    return technique::isolateInputs(passing, failing, experimentOf(question), how);
  };
  FL_TRY(found, once());
  FL_CHECK(settleRepetition(question));
  FL_TRY(isRight, question.isServedRight(found.failing));
  if (isRight && question.server && question.server->made()) {
    FL_TRY(outcome, question.outcomeOf(applied(question.spec, found.passing)));
    isRight = outcome == TrialOutcome::Pass;
  }
  if (isRight) return found;
  question.caveats.push_back(kServedWrong);
  question.server.reset();
  return once();
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
