#include "cli/chop_question.h"

#include "base/file.h"
#include "cli/reproduction.h"
#include "depend/outside_flow.h"
#include "depend/potential.h"
#include "technique/chop/chop.h"
#include "technique/instance_text.h"
#include "technique/minimize/difference.h"
#include "technique/slice/slice.h"

#include <algorithm>
#include <ranges>

namespace fs = std::filesystem;

namespace faultline::cli {

using technique::InputSet;
using technique::InputSource;
using technique::TrialOutcome;

namespace {

// A crash tells little of its cause: what the input did to memory does.
bool isMemoryError(const finding::FailureInfo& failure) {
  constexpr std::string_view kKinds[] = {"crash", "heap-corruption", "stack-smashing", "stack-overflow"};
  return std::ranges::find(kKinds, failure.kind) != std::end(kKinds);
}

bool isRead(const InputSource& s) {
  return s.kind == InputSource::StandardInput || s.kind == InputSource::File;
}

// The paper's way with memory errors: shrink the input until the crash at that point goes away; what was
// taken last is the difference. Nothing: no single piece makes a run of it that passes.
Result<std::optional<technique::Part>> decidingPiece(const InputQuestion& question, const InputSet& inputs,
                                                     const technique::Unit& unit) {
  constexpr size_t kMostTried = 64;
  std::vector<technique::Part> parts = partsOf(inputs, unit);
  technique::Subset all = technique::allOf(parts.size());
  // What the program reads, first: a word of its command line says what to do with it.
  std::vector<uint32_t> order;
  for (bool read : {true, false})
    for (uint32_t k : std::views::reverse(all))
      if (isRead(inputs[parts[k].source]) == read) order.push_back(k);
  if (order.size() > kMostTried) order.resize(kMostTried);
  for (uint32_t k : order) {
    InputSet less = keptOf(inputs, parts, technique::without(all, {k}));
    FL_TRY(outcome, question.outcomeOf(less));
    if (outcome == TrialOutcome::Pass) return std::optional(parts[k]);
  }
  return std::optional<technique::Part>();
}

Result<FailingInput> findDifference(const Context& context, const ChopArguments& arguments,
                                    InputQuestion& question) {
  FL_TRY(passing, passingInputs(arguments.asked, question));
  question.run->stopWatching();
  FL_TRY(found, isolateWith(context, arguments.asked, question, std::move(passing), question.inputs));
  FailingInput out{found.failing, {}, found.isMinimal};
  technique::Difference difference(found.passing, found.failing, unitOf(arguments.asked));
  for (const technique::DifferenceStep& s : difference.steps()) {
    // Of what is only missing, the byte that stands in its place is what the program met instead.
    size_t size = s.comes ? s.text.size() : 1;
    size_t most = found.failing[s.source].bytes.size();
    if (s.offset < most)
      out.criterion.push_back({uint32_t(s.source), {s.offset, std::min(most, s.offset + size)}, false});
  }
  return out;
}

} // namespace

Result<FailingInput> findFailingInput(const Context& context, const ChopArguments& arguments,
                                      InputQuestion& question) {
  if (!arguments.asked.isolate.empty()) return findDifference(context, arguments, question);
  FL_TRY(found, minimizeWith(context, arguments.asked, question));
  FailingInput out{std::move(found.inputs), {}, found.isOneMinimal};
  if (arguments.wholeInput || !question.failure || !isMemoryError(*question.failure)) return out;
  FL_TRY(piece, decidingPiece(question, out.inputs, unitOf(arguments.asked)));
  if (piece) out.criterion.push_back(*piece);
  return out;
}

namespace {

// As the run names it.
std::string streamOf(const InputSet& inputs, size_t source, const Reproduction& made) {
  const InputSource& s = inputs[source];
  switch (s.kind) {
  case InputSource::StandardInput:
    return "stdin";
  case InputSource::Variable:
    return "env:" + s.name;
  case InputSource::File:
    return fs::path(made.inputs[source].written).filename().string();
  case InputSource::Argument:
    break;
  }
  size_t number = s.argument;
  for (const InputSource& other : inputs)
    if (other.kind == InputSource::Argument && !other.isPresent && other.argument < s.argument) --number;
  return fmt::format("argv[{}]", number);
}

std::string criterionText(const FailingInput& failing) {
  if (failing.criterion.empty()) return "this input";
  std::string out;
  for (const technique::Part& p : failing.criterion) {
    const InputSource& s = failing.inputs[p.source];
    std::string bytes = replay::quotedBytes(std::string_view(s.bytes).substr(p.piece.begin, p.piece.size()));
    out += fmt::format("{}{} (byte {} of {})", out.empty() ? "" : ", ", bytes, p.piece.begin, s.text());
  }
  return out + ", without which it does not fail so,";
}

void addSeeds(const depend::FoundInput& found, std::vector<depend::Seed>& seeds) {
  for (const depend::InputPlace& place : found.places)
    seeds.push_back({place.call, place.first, place.address, place.size});
  // Which bytes they took nobody knows: perhaps these.
  for (depend::Time call : found.uncertain) seeds.push_back({.call = call, .size = depend::kAllInput});
}

Result<std::vector<depend::Seed>> seedsOf(const FailingInput& failing, const Reproduction& made,
                                          const depend::Inputs& streams) {
  std::vector<depend::Seed> seeds;
  auto add = [&](size_t source, const std::string& range) {
    // What the program did not read again carries nothing. A file in another folder was named with it.
    auto found = streams.find(streamOf(failing.inputs, source, made) + range);
    if (!found && failing.inputs[source].kind == InputSource::File)
      found = streams.find(made.inputs[source].written + range);
    if (found) addSeeds(*found, seeds);
  };
  for (const technique::Part& p : failing.criterion)
    add(p.source, p.piece.size() == 0 ? "" : fmt::format(":{}-{}", p.piece.begin, p.piece.end - 1));
  for (size_t k = 0; failing.criterion.empty() && k < failing.inputs.size(); ++k)
    if (failing.inputs[k].isPresent) add(k, "");
  if (seeds.empty())
    return errorf("the program was not seen to read {}: there is nothing to follow. It read: {}",
                  failing.criterion.empty() ? "its input" : "what makes the difference",
                  streamNames(streams));
  return seeds;
}

std::vector<depend::Seed> allSeeds(const depend::Inputs& streams) {
  std::vector<depend::Seed> seeds;
  for (const depend::InputStream& s : streams.streams())
    if (auto found = streams.find(s.text())) addSeeds(*found, seeds);
  return seeds;
}

std::string recordingName(const ChopArguments& arguments) {
  return arguments.folder.empty() ? "" : (arguments.folder / "smaller.flr").string();
}

// Records the run with the smaller input, and opens it at its failure.
Result<std::unique_ptr<ValueRun>> recordAgain(const Context& context, const ChopArguments& arguments,
                                              const InputQuestion& question, const Reproduction& made) {
  if (!made.run.files.empty())
    return errorf("{}, so that the run with it cannot be recorded: leave out --file", made.caveats.front());
  const recording::Meta& meta = question.run->failing.run.recording.meta();
  FL_TRY(expectedOutput, TemporaryFile::create(".expected"));
  RunOptions run = arguments.asked.value.run;
  run.words = made.run.argv;
  run.program = meta.program;
  run.input = made.standardInput.empty() ? "/dev/null" : made.standardInput;
  run.timeout = meta.timeout;
  run.seed = meta.seed;
  const VariantKind kind = variantForRuns(context, meta);
  run.alters = kind != VariantKind::Record;
  run.quick = kind == VariantKind::QuickAlter;
  if (meta.shortened.steps) {
    run.steps = question.run->failing.run.recording.end()->epoch;
    run.shortened = {meta.shortened.steps, meta.shortened.seconds, 0}; // it comes there at another step
  }
  run.captureOutput = true;
  run.expect.clear();
  if (!run.expectStatus) run.expectStatus = meta.expectation.status;
  if (run.oracle.empty()) run.oracle = meta.expectation.oracle;
  if (question.reference) {
    FL_TRY(right, question.reference->run(made.run));
    FL_CHECK(writeFileAtomic(expectedOutput.path(), right.output));
    run.expect = expectedOutput.path().string();
    run.expectStatus = right.status();
  }
  Context silent = context;
  silent.json = silent.quiet = true; // what the program prints is not our answer
  fs::path here = fs::current_path();
  std::error_code failed;
  fs::current_path(meta.cwd, failed);
  auto recorded = failed ? Result<RecordedRun>(errorf("{}: {}", meta.cwd, failed.message()))
                         : recordProgram(silent, run, recordingName(arguments));
  fs::current_path(here, failed);
  if (!recorded) return recorded.error();
  ValueOptions asked = arguments.asked.value;
  asked.run = {};
  asked.run.words = {recorded->path.string()};
  return openValueRun(context, asked);
}

bool isSameFailure(const finding::FailureInfo& a, const finding::FailureInfo& b) {
  return a.kind == b.kind && a.signal == b.signal && a.place == b.place;
}

// The forward slice of the criterion. If nothing that leads to the failure is in it, that of the whole input:
// the criterion is then only what makes the program do it.
Result<depend::Slice> forwardOf(ValueRun& run, FailingInput& failing, const Reproduction& made,
                                const depend::Inputs& streams, const depend::Slice& backward,
                                finding::ChopReport& report) {
  FL_TRY(seeds, seedsOf(failing, made, streams));
  FL_TRY(forward, depend::sliceForward(*run.history, std::move(seeds)));
  bool isMet = std::ranges::any_of(
      backward.instructions, [&](const auto& entry) { return forward.instructions.contains(entry.first); });
  if (isMet || failing.criterion.empty()) return forward;
  report.caveats.push_back(fmt::format("{} is carried nowhere that leads to the failure: the whole of the "
                                       "smallest input was followed instead",
                                       report.criterion.substr(0, report.criterion.find(", without"))));
  failing.criterion.clear();
  report.criterion = criterionText(failing);
  FL_TRY(all, seedsOf(failing, made, streams));
  return depend::sliceForward(*run.history, std::move(all));
}

Result<void> fillReport(ValueRun& run, FailingInput& failing, const Reproduction& made,
                        finding::ChopReport& report) {
  finding::SliceReport backward, relevant;
  backward.program = relevant.program = report.program;
  FL_TRY(streams, inputsOf(run));
  FL_TRY(whole, depend::sliceBackward(*run.history, run.question.from));
  depend::WalkOptions values;
  values.control = values.addresses = false;
  FL_TRY(thin, depend::sliceBackward(*run.history, technique::valueOnly(run.question.from), values));
  FL_TRY(forward, forwardOf(run, failing, made, streams, whole, report));
  FL_TRY(ofAny, depend::sliceForward(*run.history, allSeeds(streams)));
  depend::Potential potential(*run.history);
  FL_TRY(wider, depend::sliceBackward(*run.history, run.question.from, {}, &potential));
  technique::fillStatements(*run.history, whole, &thin, backward);
  technique::fillStatements(*run.history, wider, &thin, relevant);
  run.stopWatching();
  auto placeOf = [&](uint32_t id) { return technique::placeOf(run.history->code(), id, report.program.cwd); };
  technique::Chop found = technique::chopOf(backward.statements, {whole, forward, ofAny, placeOf});
  report.potential =
      technique::potentialOf(relevant.statements, backward.statements, {wider, forward, ofAny, placeOf});
  report.statements = std::move(found.statements);
  report.constants = std::move(found.constants);
  report.backwardStatements = backward.statements.size();
  report.forwardStatements = found.forwardStatements;
  report.stats["instances"] = found.instances;
  report.stats["by_instance"] = found.isByInstance;
  if (!found.isByInstance)
    report.caveats.push_back("a slice is too large to be kept by instance: the chop has statements that are "
                             "in both slices, perhaps at different times");
  for (const depend::Slice* slice : {&whole, &forward, &ofAny})
    for (std::string& caveat : technique::caveatsOf(*slice))
      if (std::ranges::find(report.caveats, caveat) == report.caveats.end())
        report.caveats.push_back(std::move(caveat));
  return {};
}

} // namespace

Result<finding::ChopReport> chopWith(const Context& context, const ChopArguments& arguments,
                                     const InputQuestion& question, FailingInput failing) {
  FL_TRY(made, writeReproduction(question, failing.inputs, {.suffix = ".min", .folder = arguments.folder}));
  FL_TRY(run, recordAgain(context, arguments, question, made));
  if (run->didNotFail)
    return errorf("with the smaller input, recorded, the run does not fail: {}{}", made.command,
                  question.server && question.server->made() ? "; try again with --fresh" : "");
  finding::ChopReport report;
  report.program = programOf(run->failing.run);
  report.failure = run->failing.info;
  report.inputs = made.inputs;
  report.criterion = criterionText(failing);
  report.isOneMinimal = failing.isOneMinimal;
  report.command = made.command;
  report.caveats = question.caveats;
  if (!failing.isOneMinimal)
    report.caveats.push_back(
        fmt::format("the input is perhaps not the smallest: {}", whyStopped(arguments.asked)));
  if (question.failure && report.failure && !isSameFailure(*question.failure, *report.failure))
    report.caveats.push_back(
        "recorded with the smaller input the run fails elsewhere than it did: see above");
  if (arguments.deadline) run->watchUntil(*arguments.deadline);
  FL_CHECK(fillReport(*run, failing, made, report));
  report.stats["recording"] = run->failing.run.path.string();
  return report;
}

} // namespace faultline::cli
