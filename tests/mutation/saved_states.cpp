#include "mutation/saved_states.h"

#include "recording/log_reader.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "replay/checkpoint.h"
#include "replay/page_store.h"
#include "replay/replay.h"
#include "replay/verify.h"

#include <map>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::test {

using namespace replay;
using recording::LogReader;
using recording::Recording;

SavedState saveState(Replay& replay) {
  SavedState out;
  Engine::State state = replay.engine().save();
  PageWriter pages([&](uint32_t count, std::span<const uint8_t> packed) -> Result<void> {
    Bytes block(count * kPageSize);
    if (ZSTD_decompress(block.data(), block.size(), packed.data(), packed.size()) != block.size())
      return errorf("a block cannot be unpacked");
    for (size_t at = 0; at < block.size(); at += kPageSize)
      out.pages.emplace_back(block.begin() + ptrdiff_t(at), block.begin() + ptrdiff_t(at + kPageSize));
    return {};
  });
  out.time = state.steps;
  out.epoch = state.epoch;
  out.root = replay.engine().encode(state, pages);
  if (!pages.finish()) out.root.clear();
  return out;
}

namespace {

Bytes packedBlock(const SavedState& state, uint32_t block) {
  Bytes raw;
  for (size_t k = block * kPagesPerBlock; k < state.pages.size() && k < (block + 1) * kPagesPerBlock; ++k)
    raw.insert(raw.end(), state.pages[k].begin(), state.pages[k].end());
  Bytes packed(ZSTD_compressBound(raw.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), raw.data(), raw.size(), 1));
  return packed;
}

PageReader readerOf(const SavedState& state) {
  return PageReader(uint32_t(state.pages.size()), [&state](uint32_t block) -> Result<std::vector<uint8_t>> {
    return packedBlock(state, block);
  });
}

Result<void> enter(Replay& replay, const SavedState& saved) {
  PageReader pages = readerOf(saved);
  FL_TRY(state, replay.engine().decode(saved.root, pages));
  return replay.engine().restore(state);
}

// All that may be asked for at one time.
struct Moment {
  uint64_t time, epoch, thread, instruction;
  std::vector<std::pair<uint32_t, std::vector<uint64_t>>> frames; // of each thread: places and words
  std::map<uint64_t, uint64_t> pages;
  bool operator==(const Moment&) const = default;

  // Words that a function has not written yet are what an earlier call left: not the same on every way here.
  Moment(Replay& r, bool withWords) {
    Instance at = r.current();
    time = at.time, epoch = at.epoch, thread = at.thread;
    instruction = at.module ? uint64_t(at.module->base) + at.local : ~uint64_t(0);
    for (uint32_t number : r.threads())
      for (const FrameView& f : r.frames(number)) {
        std::vector<uint64_t> words;
        if (withWords) words.assign(f.words.begin(), f.words.end());
        words.insert(words.end(), {f.frameBase, f.frameTop, f.instruction, f.module, f.function});
        frames.push_back({number, std::move(words)});
      }
    r.engine().memory().forEachPage(
        [&](uint64_t address, const uint8_t* bytes) { pages[address] = XXH3_64bits(bytes, kPageSize); });
  }
};

Result<Replay> openReplay(const Recording& recording, const std::vector<fir::Image>& images) {
  FL_TRY(log, LogReader::open(recording.log()));
  ReplayOptions options;
  options.endEpoch = recording.lastEpoch();
  options.checkpointInterval = 1'000'000;
  return Replay::open(images, std::move(log), options);
}

bool sameReport(const VerifyReport& a, const VerifyReport& b) {
  return a.ending.kind == b.ending.kind && a.ending.signal == b.ending.signal &&
         a.ending.address == b.ending.address && a.ending.status == b.ending.status &&
         a.instructions == b.instructions && a.records == b.records && a.pagesChecked == b.pagesChecked &&
         a.pagesMismatched == b.pagesMismatched && a.pagesUnlisted == b.pagesUnlisted &&
         a.complete == b.complete && a.problems == b.problems;
}

Result<void> goTo(Replay& replay, uint64_t t, bool exact) {
  FL_CHECK(replay.seek(exact || t < 2000 ? t : t - 2000));
  if (exact) return {};
  FL_TRY(stop, replay.engine().run(t, false)); // where fast code happens to stop
  (void)stop;
  return {};
}

Result<std::string> check(const Recording& recording, const std::vector<fir::Image>& images, unsigned times) {
  FL_TRY(whole, openReplay(recording, images));
  FL_TRY(report, whole.verify());
  Moment end(whole, false);
  Random random(report.instructions);
  for (unsigned k = 0; k < times; ++k) {
    // The last instructions are those of the failure.
    uint64_t range = k % 3 == 2 ? std::min<uint64_t>(report.instructions, 500) : report.instructions;
    uint64_t t = report.instructions - below(random, range + 1);
    FL_CHECK(whole.seek(0)); // the check at the end has read the log on
    FL_CHECK(goTo(whole, t, k % 2 == 0));
    Moment here(whole, true);
    SavedState saved = saveState(whole);
    FL_TRY(fresh, openReplay(recording, images));
    FL_CHECK(enter(fresh, saved));
    if (!(Moment(fresh, true) == here))
      return fmt::format("the state at {} is not the same in another engine", t);
    if (SavedState second = saveState(fresh); second.root != saved.root || second.pages != saved.pages)
      return fmt::format("the state at {}, saved again, is another one", t);
    FL_TRY(again, verifyRun(fresh));
    if (!sameReport(report, again)) return fmt::format("the run from {} on ends otherwise", t);
    if (!(Moment(fresh, false) == end)) return fmt::format("the run from {} on ends in another state", t);
  }
  return std::string();
}

} // namespace

std::vector<SavedState> savedStates(const Bytes& bytes, const std::vector<fir::Image>& images,
                                    unsigned count) {
  MemoryFile file(bytes);
  std::vector<SavedState> out;
  auto recording = Recording::open(file.path());
  auto replay = recording ? openReplay(*recording, images) : Result<Replay>(recording.error());
  if (!replay || !replay->runToEnd()) return out;
  uint64_t end = replay->engine().steps();
  for (unsigned k = 1; k <= count && replay->seek(end * k / count); ++k) out.push_back(saveState(*replay));
  return out;
}

std::string checkSavedStates(const std::string& path, const std::vector<fir::Image>& images, unsigned times) {
  auto recording = Recording::open(path);
  if (!recording) return recording.error().message;
  auto problem = check(*recording, images, times);
  return problem ? *problem : problem.error().message;
}

std::string continueFrom(const Bytes& bytes, const std::vector<fir::Image>& images, const SavedState& saved,
                         const ReadLimits& limits) {
  MemoryFile file(bytes);
  auto recording = Recording::open(file.path());
  if (!recording) return recording.error().message;
  auto log = LogReader::open(recording->log());
  if (!log) return log.error().message;
  ReplayOptions options;
  options.memoryLimit = limits.memory;
  options.stackWordsLimit = limits.stackWords;
  options.maxSteps = limits.steps;
  options.endEpoch = recording->lastEpoch();
  auto replay = Replay::open(images, std::move(*log), options);
  if (!replay) return replay.error().message;
  auto problemOf = [](const Error& e) {
    return e.message.empty() || e.message.find('\n') != std::string::npos ? "no line of error" : "";
  };
  if (auto entered = enter(*replay, saved); !entered) return problemOf(entered.error());
  (void)Moment(*replay, true);
  if (auto end = replay->runToEnd(); !end) return problemOf(end.error());
  (void)Moment(*replay, true);
  return {};
}

Bytes recordingFrom(const Bytes& recording, const SavedState& state) {
  std::vector<Chunk> chunks;
  auto add = [&](const recording::PackedChunk& c) { chunks.push_back({c.kind, c.rawSize, c.stored}); };
  for (Chunk& chunk : chunksOf(recording)) {
    chunks.push_back(std::move(chunk));
    if (chunks.size() > 1) continue;
    add(recording::packState({state.time, state.epoch, uint32_t(state.pages.size()), 0}, state.root));
    for (size_t k = 0; k < state.pages.size(); k += kPagesPerBlock) {
      size_t count = std::min<size_t>(state.pages.size() - k, kPagesPerBlock);
      add(recording::packPages(uint32_t(count), packedBlock(state, uint32_t(k / kPagesPerBlock))));
    }
  }
  return recordingOf(chunks);
}

SavedState mutateState(const SavedState& good, uint64_t seed, std::string& how) {
  Random random(seed);
  SavedState out = good;
  for (uint64_t k = 0, n = 1 + random() % 3; k < n; ++k) {
    uint64_t number = random() % 2 ? oddNumber(random) : random() % 64;
    size_t width = size_t(1) << random() % 4;
    Bytes& bytes = random() % 3 || out.pages.empty() ? out.root : out.pages[below(random, out.pages.size())];
    if (bytes.size() < 8) continue;
    size_t at = below(random, bytes.size() - 7) / 4 * 4;
    if (random() % 3 == 0) { // near numbers are more likely to be believed
      bytes[at] = uint8_t(bytes[at] + random() % 5 - 2);
      how += fmt::format("; byte {} moved a little", at);
    } else if (&bytes == &out.root && random() % 8 == 0) {
      how += "; " + damageBytes(bytes, random);
    } else {
      std::memcpy(&bytes[at], &number, width);
      how += fmt::format("; {:#x} in {} bytes at {} of {}", number, width, at,
                         &bytes == &out.root ? "the root" : "a page");
    }
  }
  return out;
}

} // namespace faultline::test
