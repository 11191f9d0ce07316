#include "cli/passed_on.h"

#include "cli/led_there.h"
#include "cli/slice_lines.h"
#include "technique/call_sites.h"

#include <algorithm>
#include <unordered_set>

namespace faultline::cli {
namespace {

using depend::kNoInstance;

class Results {
public:
  Results(ValueRun& run, CauseRun& causes) : run_(run), all_(causes.instances) {}

  // The calls, over when it was decided, that gave the constants by which it was decided; empty: it was
  // decided by something else, too.
  Result<std::vector<uint64_t>> askedOf(uint64_t decision) {
    depend::WalkOptions values;
    values.control = values.addresses = false;
    const depend::Question condition{.time = decision, .operands = {0}};
    FL_TRY(slice, depend::sliceBackward(*run_.history, condition, values));
    if (!slice.leaves.empty()) return std::vector<uint64_t>();
    FL_TRY(active, callersOf(decision));
    std::vector<uint64_t> calls;
    for (const depend::Node& source : sourcesOf(slice)) {
      FL_TRY(call, finishedCall(source.time, active));
      if (call == kNoInstance) return std::vector<uint64_t>();
      calls.push_back(call);
    }
    return calls;
  }

  Result<bool> isWithin(uint64_t instance, const std::vector<uint64_t>& calls) {
    FL_TRY(callers, callersOf(instance));
    return std::ranges::any_of(calls, [&](uint64_t call) { return callers.contains(call); });
  }

private:
  static constexpr int kDeepest = 300; // calls

  // The calls that an instance is in.
  Result<std::unordered_set<uint64_t>> callersOf(uint64_t instance) {
    std::unordered_set<uint64_t> calls;
    for (int k = 0; k < kDeepest; ++k) {
      FL_TRY(call, all_.caller(instance));
      if (call == kNoInstance) break;
      calls.insert(call);
      instance = call;
    }
    return calls;
  }

  // The outermost of those that an instance was in and that are over.
  Result<uint64_t> finishedCall(uint64_t instance, const std::unordered_set<uint64_t>& active) {
    uint64_t outermost = kNoInstance;
    for (int k = 0; k < kDeepest; ++k) {
      FL_TRY(call, all_.caller(instance));
      if (call == kNoInstance || active.contains(call)) break;
      outermost = instance = call;
    }
    return outermost;
  }

  ValueRun& run_;
  depend::Instances& all_;
};

Result<void> markPassedOn(Results& results, std::vector<finding::CriticalDecision>& decisions) {
  for (finding::CriticalDecision& d : decisions) {
    FL_TRY(calls, results.askedOf(d.time));
    if (calls.empty()) continue;
    finding::CriticalDecision* last = nullptr;
    for (finding::CriticalDecision& inner : decisions) {
      const bool isSame = inner.place.file == d.place.file && inner.place.line == d.place.line;
      if (isSame || inner.time >= d.time || inner.effect.share < d.effect.share) continue;
      if (last && last->time > inner.time) continue;
      FL_TRY(isWithin, results.isWithin(inner.time, calls));
      if (isWithin) last = &inner;
    }
    if (!last) continue;
    d.isPassedOn = true;
    last->isAsked = true;
  }
  return {};
}

Result<void> lookAtLed(ValueRun& run, CauseRun& causes, const finding::CriticalReport& critical,
                       explain::Found& found) {
  constexpr size_t kMostDecisions = 4, kMostCalls = 2;
  for (size_t k = 0; k < std::min(critical.decisions.size(), kMostDecisions); ++k) {
    const uint64_t time = critical.decisions[k].time;
    FL_TRY(calls, callsTo(run, causes.instances, time, kMostCalls));
    FL_TRY(x, causes.instances.at(time));
    const replay::Program& program = run.failing.run.replay.program();
    found.led.push_back({std::move(calls), technique::isCalledByMany(program, *x.image, x.function)});
  }
  return {};
}

} // namespace

Result<void> lookAtResults(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                           finding::CriticalReport& critical, explain::Found& found) {
  replay::Replay& replay = run.failing.run.replay;
  const replay::Time failure = replay.now();
  run.watchUntil(end);
  Results results(run, causes);
  // Each of them can be done without, and whoever asks next finds the run where it was.
  (void)markPassedOn(results, critical.decisions);
  (void)lookAtLed(run, causes, critical, found);
  run.stopWatching();
  return replay.seek(failure);
}

} // namespace faultline::cli
