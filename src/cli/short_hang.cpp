#include "cli/short_hang.h"

#include "base/text.h"
#include "cli/open_replay.h"
#include "replay/endless_loop.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

using replay::EndlessLoop;

// Steps after which it is looked where the run is, and once more after so many times as many: if it is in the
// same loop still, that is the one. A long way through ordinary work before it takes longer recordings.
constexpr uint64_t kFirstLook = 1'000'000, kGrowth = 8, kLongest = 64'000'000;
// Of a longer recording only the end is looked at first, in instructions.
constexpr uint64_t kGlance = 2'000'000;
// A step that is early in any of them.
constexpr uint64_t kEarly = 10'000;

// So much of the run has to lie behind where it came into the loop.
uint64_t latestEntry(uint64_t steps) { return steps / 10 * 9; }

// A recording of the first steps, which goes with this object.
class Probe {
public:
  static Result<std::optional<Probe>> make(const Context& context, uint64_t steps, const fs::path& path,
                                           const RecordSteps& record) {
    FL_TRY(made, record(steps, {}, path));
    if (!made.end.timedOut || made.end.threaded || made.end.epoch < steps) {
      remove(path);
      return std::optional<Probe>();
    }
    RunOptions options;
    options.words = {path.string()};
    auto run = openRun(context, options, true);
    if (!run) remove(path);
    if (!run) return run.error();
    Probe probe(std::move(*run), steps);
    FL_CHECK(probe.run_.replay.runToEnd());
    if (probe.run_.replay.divergence()) return std::optional<Probe>();
    return std::optional<Probe>(std::move(probe));
  }
  Probe(Probe&& other) noexcept
      : run_(std::move(other.run_)), steps_(other.steps_), owns_(std::exchange(other.owns_, false)) {}
  ~Probe() {
    if (owns_) remove(run_.path);
  }

  Result<std::optional<EndlessLoop>> look(uint64_t since, uint64_t furthest) {
    return replay::findEndlessLoop(run_.replay, since, furthest);
  }

private:
  Probe(OpenRun run, uint64_t steps) : run_(std::move(run)), steps_(steps) {}
  static void remove(const fs::path& path) {
    std::error_code ignored;
    fs::remove(path, ignored);
  }

  OpenRun run_;
  uint64_t steps_;
  bool owns_ = true;
};

struct Found {
  EndlessLoop loop;
  uint64_t steps = 0; // of the recording that it was found in
};

bool isSame(const EndlessLoop& a, const EndlessLoop& b) {
  return a.activation == b.activation && a.isLoop == b.isLoop && a.header == b.header;
}

// Looks at longer and longer recordings, until two agree. If none do, the run has no one place that it stays
// at, as where it calls itself again and again; what was active early and still is will do.
Result<std::optional<Found>> findLoop(const Context& context, uint64_t all, const fs::path& output,
                                      const RecordSteps& record) {
  std::optional<Found> found;
  const fs::path path = output.string() + ".probe";
  const uint64_t first = std::min(kFirstLook, all / kGrowth);
  for (uint64_t steps = first; steps <= std::min(kLongest, all); steps *= kGrowth) {
    const bool isLast = steps * kGrowth > std::min(kLongest, all);
    FL_TRY(probe, Probe::make(context, steps, path, record));
    if (!probe) return std::optional<Found>();
    if (found) {
      FL_TRY(again, probe->look(latestEntry(steps), kGlance));
      if (again && isSame(*again, found->loop)) return found;
    }
    if (found && isLast) {
      FL_TRY(early, probe->look(kEarly, kGlance));
      if (!early) return std::optional<Found>();
      early->settled = std::max(early->entered, early->activation);
      return std::optional(Found{*early, steps});
    }
    FL_TRY(seen, probe->look(latestEntry(steps), replay::kNever));
    if (!seen) return std::optional<Found>();
    found = Found{*seen, steps};
  }
  return found;
}

// The last step of the recording that is kept: well within the loop, and behind some rounds of it.
uint64_t lastStep(const Found& found) {
  constexpr uint64_t kLeast = 2'000, kMost = 20'000, kRounds = 50, kMostForRounds = 2'000'000;
  const EndlessLoop& loop = found.loop;
  uint64_t kept = std::clamp(loop.settled / 4, kLeast, kMost);
  if (loop.rounds > 0)
    kept = std::max(kept, std::min(kMostForRounds, kRounds * ((found.steps - loop.entered) / loop.rounds)));
  return loop.settled + kept;
}

} // namespace

bool isLongHang(const recording::End& end) {
  constexpr uint64_t kLong = 200'000, kPerSecond = 10'000;
  return end.timedOut && !end.threaded && end.forks == 0 && end.epoch > kLong &&
         double(end.epoch) > kPerSecond * end.seconds;
}

Result<bool> shortenHang(const Context& context, const recording::End& end, const fs::path& output,
                         const RecordSteps& record) {
  FL_TRY(found, findLoop(context, end.epoch / 2, output, record));
  if (!found) return false;
  const uint64_t last = lastStep(*found);
  if (last > end.epoch / 2) return false;
  const fs::path path = output.string() + ".short";
  FL_TRY(made, record(last, {end.epoch, end.seconds, found->loop.settled}, path));
  std::error_code failed;
  if (!made.end.timedOut || made.end.epoch < last) {
    fs::remove(path, failed);
    return false;
  }
  fs::rename(path, output, failed);
  if (failed) return errorf("cannot rename {}: {}", path.string(), failed.message());
  return true;
}

std::string shortenedText(const recording::Recording& recording) {
  const recording::Shortened& shortened = recording.meta().shortened;
  if (shortened.entered == 0 || !recording.end()) return "";
  return fmt::format("the run comes into what it does not get out of after {} steps; of the {} steps that it "
                     "made in {:.0f} s, the first {} are looked at",
                     withThousands(shortened.entered), withThousands(shortened.steps), shortened.seconds,
                     withThousands(recording.end()->epoch));
}

} // namespace faultline::cli
