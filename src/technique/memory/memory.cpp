#include "technique/memory/memory.h"

#include "depend/query.h"
#include "technique/memory/describe.h"

#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace faultline::technique {

using replay::Replay;

namespace {

// The run goes no further: what it was doing then is not in any trace.
void checkEnd(Replay& replay, depend::MemoryWalk& walk) {
  std::vector<replay::FrameView> frames = replay.frames();
  if (!replay.atEnd() || frames.empty() || frames[0].module >= replay.program().modules().size()) return;
  if (replay.ending().kind != replay::Ending::Fault) return;
  uint32_t base = replay.program().modules()[frames[0].module]->base;
  walk.stopped(frames[0], replay.now(), base, replay.ending().address);
}

// "iconv(), swprintf() and 3 others"
std::string namesOf(const std::set<std::string>& functions) {
  constexpr size_t kMost = 4;
  std::vector<std::string> shown;
  for (const std::string& name : functions)
    if (shown.size() < kMost) shown.push_back(name + "()");
  std::string all = fmt::format("{}", fmt::join(shown, ", "));
  return functions.size() > kMost ? fmt::format("{} and {} others", all, functions.size() - kMost) : all;
}

} // namespace

Result<finding::MemoryReport> findMemoryErrors(depend::History& history, const MemoryQuestion& question) {
  auto begin = std::chrono::steady_clock::now();
  Replay& replay = history.replay();
  FL_CHECK(replay.runToEnd());
  uint64_t runEnd = replay.engine().steps();
  uint64_t end = question.steps > runEnd - replay.start() ? runEnd : replay.start() + question.steps;
  // Some that are found are taken back when they are looked at more closely.
  depend::MemoryWalk walk(history.code(), replay.program(), {question.most + 3, question.undefined});
  FL_CHECK(replay.seek(replay.start()));
  walk.begin(depend::stacksOf(replay), replay.thread());
  uint64_t followed = replay.start();
  FL_CHECK(history.forwards(replay.start(), end, [&](const depend::Window& window) {
    walk.walk(window.trace, [&](uint64_t number) { return &(*window.calls)[number]; });
    followed = window.trace.end;
    return !walk.isDone();
  }));
  bool isStopped = (history.wasStopped() || end < runEnd) && followed < runEnd && !walk.isDone();
  if (!isStopped && !walk.isDone()) {
    FL_CHECK(replay.runToEnd());
    checkEnd(replay, walk);
  }
  finding::MemoryReport report;
  report.program = question.program;
  report.isComplete = !isStopped && !walk.isDone();
  for (const depend::MemoryError& error : walk.errors()) {
    if (report.errors.size() >= question.most) break;
    FL_TRY(described, describeMemoryError(history, error, question.program.cwd));
    if (described) report.errors.push_back(std::move(*described));
  }
  if (isStopped)
    report.caveats.push_back(fmt::format("stopped after {} of {} instructions", followed - replay.start(),
                                         runEnd - replay.start()));
  if (replay.start() > 0)
    report.caveats.push_back(
        "the recording has only the end of the run: what was allocated before is not known");
  if (std::string names = namesOf(walk.unchecked()); !names.empty())
    report.caveats.push_back(
        fmt::format("nobody knows how far these write, which was not checked: {}", names));
  report.stats["instructions"] = followed - replay.start();
  report.stats["accesses"] = walk.accesses();
  report.stats["unknown"] = walk.unknown();
  report.stats["shadow_bytes"] = walk.bytes();
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

} // namespace faultline::technique
