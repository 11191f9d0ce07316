#include "cli/explain_complaint.h"

#include "cli/led_there.h"
#include "finding/describe_stop.h"
#include "replay/call_view.h"
#include "replay/object_names.h"
#include "replay/output_map.h"
#include "technique/call_sites.h"
#include "technique/instance_text.h"
#include "technique/slice/named_data.h"

#include <set>

namespace faultline::cli {
namespace {

constexpr size_t kMostComplaints = 4, kMostLines = 200, kMostCalls = 4;

// Of each line of standard error the calls that wrote it, in their order; of each call only the first line.
std::vector<std::vector<replay::OutputOrigin>> complaintsIn(const replay::OutputMap& map,
                                                            const std::string& errors) {
  std::vector<std::vector<replay::OutputOrigin>> out;
  std::set<uint64_t> times;
  for (size_t at = 0; at < errors.size() && out.size() < kMostLines;) {
    const size_t end = std::min(errors.find('\n', at), errors.size() - 1) + 1;
    std::vector<replay::OutputOrigin> line;
    for (; at < end && line.size() < kMostCalls; ++at)
      if (auto origin = map.originOf(2, at); origin && times.insert(origin->instance.time).second)
        line.push_back(std::move(*origin));
    if (!line.empty()) out.push_back(std::move(line));
    at = end;
  }
  return out;
}

struct Wording {
  uint64_t bytes = 2; // of what was written; less says nothing
  std::optional<technique::NamedData> named = {};
};

// Who chose the words: the text of the program that most of what was written is of, by the line that names
// it. That holds also where what is said goes through functions and buffers of the program's own.
Result<void> findWording(ValueRun& run, CauseRun& causes, uint64_t time, Wording& best) {
  constexpr uint64_t kMostBytes = 96, kMostArguments = 5;
  replay::Replay& replay = run.failing.run.replay;
  FL_CHECK(replay.seek(time));
  std::vector<replay::FrameView> frames = replay.frames();
  std::optional<replay::CallView> call;
  if (!frames.empty()) call = replay::CallView::of(frames[0], replay.memoryView(), replay.symbolView());
  depend::Question question{.time = time};
  for (size_t k = 0; call && k < std::min<size_t>(call->argumentCount(), kMostArguments); ++k)
    if (auto text = call->textArgument(k); text && text->size() >= 3)
      question.memory.push_back({*call->argument(k), std::min<uint64_t>(text->size(), kMostBytes)});
  if (question.memory.empty()) return {};
  const replay::ObjectNames names(replay.symbolView(), {}, replay.memoryView());
  FL_TRY(writing, causes.instances.at(time));
  FL_TRY(all, technique::findNamedData(*run.history, question, writing.id));
  for (const technique::NamedData& data : all) {
    auto text = names.find(data.address);
    if (!text || text->kind != replay::ObjectName::Kind::Literal || data.bytes <= best.bytes) continue;
    best = {data.bytes, data};
  }
  return {};
}

// A call of the program's own whose result no instruction uses.
bool isIgnored(const depend::Executed& x) {
  const fir::Instruction& call = *x.instruction;
  const fir::Image& image = *x.image;
  const bool isInside = call.op == fir::Op::Call && fir::CallKind(call.sub) != fir::CallKind::Outside;
  if (!isInside || image.types[call.type].kind != fir::TypeKind::Int) return false;
  const fir::Operand result = fir::makeOperand(fir::OperandKind::Word, call.dst);
  return std::ranges::none_of(image.instructionsOf(image.functions[x.function]),
                              [&](const fir::Instruction& i) {
                                std::span<const fir::Operand> used = image.operandsOf(i);
                                return std::ranges::find(used, result) != used.end();
                              });
}

// A function that complains and says so to its caller, who goes on as if nothing were.
Result<void> findIgnored(ValueRun& run, CauseRun& causes, uint64_t at, explain::Complaint& out) {
  constexpr int kMostCalls = 8;
  for (int k = 0; k < kMostCalls; ++k) {
    FL_TRY(call, causes.instances.caller(at));
    if (call == depend::kNoInstance) return {};
    at = call;
    FL_TRY(x, causes.instances.at(at));
    const uint32_t bits = x.image->types[x.instruction->type].bits;
    const int64_t value = bits < 64 ? int64_t(x.value << (64 - bits)) >> (64 - bits) : int64_t(x.value);
    if (!isIgnored(x) || value == 0) continue;
    out.ignored = technique::placeOf(run.history->code(), x.id, run.failing.run.recording.meta().cwd);
    out.ignoredValue = fmt::format("{}", value);
    return {};
  }
  return {};
}

// Where it was said on behalf of whom: past functions that say what many have to say.
Result<explain::Complaint> describe(ValueRun& run, CauseRun& causes,
                                    const std::vector<replay::OutputOrigin>& line) {
  replay::Replay& replay = run.failing.run.replay;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  explain::Complaint out;
  uint64_t at = line.front().instance.time;
  Wording words;
  for (const replay::OutputOrigin& origin : line)
    if (auto looked = findWording(run, causes, origin.instance.time, words); !looked)
      break; // it can be done without
  if (words.named) {
    finding::Place place = technique::placeOf(run.history->code(), words.named->id, cwd);
    if (place.isKnown() && !finding::isLibraryFrame(place)) out.place = std::move(place);
    if (out.place.isKnown()) at = words.named->time;
  }
  FL_CHECK(replay.seek(at));
  for (const replay::FrameView& frame : replay.frames()) {
    if (out.place.isKnown()) break;
    finding::Place place = finding::placeOf(frame, cwd);
    const bool isOwn = place.isKnown() && !finding::isLibraryFrame(place);
    if (isOwn && !technique::isCalledByMany(replay, frame)) {
      out.place = place;
      break;
    }
    FL_TRY(call, causes.instances.caller(at));
    if (call == depend::kNoInstance) return out;
    at = call;
  }
  if (!out.place.isKnown()) return out;
  constexpr size_t kMostCallers = 3;
  FL_TRY(decided, decisionsTo(run, causes, at));
  FL_TRY(calls, callsTo(run, causes.instances, at, kMostCallers));
  out.decided = std::move(decided);
  out.calls = std::move(calls);
  FL_CHECK(findIgnored(run, causes, at, out));
  return out;
}

// Where the status is wrong, or the output ended too early, the program may have said why; and before it
// crashed it may have seen that something was unusual.
bool isOfInterest(ValueRun& run) {
  using replay::FailureKind;
  if (!run.failing.failure) return false;
  const FailureKind kind = run.failing.failure->kind;
  if (replay::isOfStatus(kind) || kind == FailureKind::Crash || kind == FailureKind::DivisionByZero)
    return true;
  std::optional<finding::FailureInfo> failure = run.failing.info;
  return failure && failure->output && failure->output->got.empty();
}

} // namespace

Result<void> lookAtComplaints(ValueRun& run, CauseRun& causes, explain::Found& found) {
  constexpr uint64_t kLongest = 200'000'000; // instructions; all of the run is replayed
  const recording::Recording& recording = run.failing.run.recording;
  if (!isOfInterest(run)) return {};
  replay::Replay& replay = run.failing.run.replay;
  const replay::Time failure = replay.now();
  if (failure > kLongest) return {};
  FL_TRY(errors, recording.output(2));
  if (errors.empty()) return {};
  FL_TRY(output, recording.output(1));
  FL_TRY(map, replay::mapOutput(replay, {.output = std::move(output), .errors = errors}));
  std::set<std::pair<std::string, uint32_t>> known;
  for (const std::vector<replay::OutputOrigin>& line : complaintsIn(map, errors)) {
    if (found.complaints.size() >= kMostComplaints) break;
    auto complaint = describe(run, causes, line);
    if (!complaint || !complaint->place.isKnown()) continue;
    if (known.insert({complaint->place.file, complaint->place.line}).second)
      found.complaints.push_back(std::move(*complaint));
  }
  return replay.seek(failure);
}

} // namespace faultline::cli
