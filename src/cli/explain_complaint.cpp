#include "cli/explain_complaint.h"

#include "cli/explain_memory.h"
#include "finding/describe_stop.h"
#include "replay/output_map.h"
#include "technique/call_sites.h"

#include <set>

namespace faultline::cli {
namespace {

constexpr size_t kMostComplaints = 4, kMostLines = 200;

// Calls that began a line of standard error, in their order, each once.
std::vector<replay::OutputOrigin> complaintsIn(const replay::OutputMap& map, const std::string& errors) {
  std::vector<replay::OutputOrigin> out;
  std::set<uint64_t> times;
  size_t lines = 0;
  for (size_t at = 0; at < errors.size() && ++lines <= kMostLines; at = errors.find('\n', at) + 1) {
    if (auto origin = map.originOf(2, at); origin && times.insert(origin->instance.time).second)
      out.push_back(std::move(*origin));
    if (errors.find('\n', at) == errors.npos) break;
  }
  return out;
}

// Where it was said on behalf of whom: past functions that say what many have to say.
Result<explain::Complaint> describe(ValueRun& run, CauseRun& causes, const replay::OutputOrigin& origin) {
  replay::Replay& replay = run.failing.run.replay;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  FL_CHECK(replay.seek(origin.instance.time));
  explain::Complaint out;
  uint64_t at = origin.instance.time;
  for (const replay::FrameView& frame : replay.frames()) {
    finding::Place place = finding::placeOf(frame, cwd);
    const bool isOwn = place.isKnown() && !finding::isLibraryFrame(place);
    if (isOwn && !technique::isCalledByMany(frame)) {
      out.place = place;
      break;
    }
    FL_TRY(call, causes.instances.caller(at));
    if (call == depend::kNoInstance) return out;
    at = call;
  }
  if (!out.place.isKnown()) return out;
  constexpr size_t kMostCalls = 3;
  FL_TRY(decided, decisionsTo(run, causes, at));
  FL_TRY(calls, callsTo(run, causes, at, kMostCalls));
  out.decided = std::move(decided);
  out.calls = std::move(calls);
  return out;
}

} // namespace

Result<void> lookAtComplaints(ValueRun& run, CauseRun& causes, explain::Found& found) {
  constexpr uint64_t kLongest = 200'000'000; // instructions; all of the run is replayed
  const recording::Recording& recording = run.failing.run.recording;
  if (!run.failing.failure || run.failing.failure->kind != replay::FailureKind::WrongStatus) return {};
  replay::Replay& replay = run.failing.run.replay;
  const replay::Time failure = replay.now();
  if (failure > kLongest) return {};
  FL_TRY(errors, recording.output(2));
  if (errors.empty()) return {};
  FL_TRY(output, recording.output(1));
  FL_TRY(map, replay::mapOutput(replay, {.output = std::move(output), .errors = errors}));
  std::set<std::pair<std::string, uint32_t>> known;
  for (const replay::OutputOrigin& origin : complaintsIn(map, errors)) {
    if (found.complaints.size() >= kMostComplaints) break;
    auto complaint = describe(run, causes, origin);
    if (!complaint || !complaint->place.isKnown()) continue;
    if (known.insert({complaint->place.file, complaint->place.line}).second)
      found.complaints.push_back(std::move(*complaint));
  }
  return replay.seek(failure);
}

} // namespace faultline::cli
