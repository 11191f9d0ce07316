// Programs made at random: fast code, plain code and any mixture that seeking makes must agree.
#include "program_generator.h"

using namespace faultline;
using namespace faultline::replay;
using namespace faultline::replay::testing;

namespace {

struct Final {
  uint64_t steps = 0, epoch = 0;
  std::vector<uint8_t> memory;
  friend bool operator==(const Final&, const Final&) = default;
};

Final finalOf(Replay& r) {
  Final f{r.engine().steps(), r.engine().epoch(), std::vector<uint8_t>(1024)};
  r.memoryView().read(kData, f.memory);
  return f;
}

// How many epochs the program takes; found by running it without an end.
uint64_t epochsOf(Generator& g) {
  auto log = g.assembler.log();
  log.enter(0, FL_EXT_ROOT, g.main(), {1, 2});
  ReplayOptions options;
  options.onlyPlain = true;
  options.endEpoch = 1u << 30;
  Replay r = openReplay(g.assembler, log, options);
  auto ending = r.runToEnd();
  EXPECT_TRUE(bool(ending)) << ending.error().message;
  return r.engine().epoch();
}

TEST(RandomProgram, FastAndPlainCodeAgree) {
  for (uint64_t seed = 0; seed < 250; ++seed) {
    SCOPED_TRACE(seed);
    Generator g(seed);
    uint64_t epochs = epochsOf(g);
    auto log = g.assembler.log();
    log.enter(0, FL_EXT_ROOT, g.main(), {1, 2}).exit(epochs, 0, FL_EXT_ROOT);
    ReplayOptions plain;
    plain.onlyPlain = true;
    Replay a = openReplay(g.assembler, log), b = openReplay(g.assembler, log, plain);
    auto x = a.runToEnd(), y = b.runToEnd();
    ASSERT_TRUE(bool(x)) << x.error().message;
    ASSERT_TRUE(bool(y)) << y.error().message;
    ASSERT_EQ(finalOf(a), finalOf(b));
  }
}

// Everything that may be asked for at some time.
struct Moment {
  Instance at;
  size_t depth;
  std::vector<uint64_t> bases;
  std::vector<uint8_t> memory;
  bool operator==(const Moment& o) const {
    return at.time == o.at.time && at.epoch == o.at.epoch && at.local == o.at.local && depth == o.depth &&
           bases == o.bases && memory == o.memory;
  }
};

Moment momentOf(Replay& r) {
  Moment m{r.current(), 0, {}, std::vector<uint8_t>(512)};
  for (const FrameView& f : r.frames()) m.bases.push_back(f.frameBase);
  m.depth = m.bases.size();
  r.memoryView().read(kData, m.memory);
  return m;
}

TEST(RandomProgram, SeekingAnywhereIsWalkingThere) {
  for (uint64_t seed = 1000; seed < 1010; ++seed) {
    SCOPED_TRACE(seed);
    Generator g(seed);
    uint64_t epochs = epochsOf(g);
    auto log = g.assembler.log();
    log.enter(0, FL_EXT_ROOT, g.main(), {1, 2}).exit(epochs, 0, FL_EXT_ROOT);
    ReplayOptions options;
    options.checkpointInterval = 300;
    options.checkpointCount = 20;
    Replay jumping = openReplay(g.assembler, log, options);
    ASSERT_TRUE(bool(jumping.runToEnd()));
    EXPECT_GT(jumping.checkpoints(), 3u);
    EXPECT_LE(jumping.checkpoints(), 21u);
    uint64_t end = jumping.engine().steps();
    Final last = finalOf(jumping);
    std::mt19937_64 random(seed);
    std::map<Time, Moment> straight;
    std::vector<Time> times;
    for (int k = 0; k < 40; ++k) times.push_back(random() % end);
    options.onlyPlain = true;
    Replay walking = openReplay(g.assembler, log, options);
    std::vector<Time> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    for (Time t : sorted) {
      ASSERT_TRUE(bool(walking.seek(t)));
      ASSERT_EQ(walking.now(), t);
      straight[t] = momentOf(walking);
    }
    for (Time t : times) {
      ASSERT_TRUE(bool(jumping.seek(t)));
      ASSERT_EQ(momentOf(jumping), straight[t]) << t;
      if (t == 0 || t + 1 >= end) continue;
      ASSERT_TRUE(bool(jumping.stepBack()));
      ASSERT_EQ(jumping.now(), t - 1);
      ASSERT_TRUE(bool(jumping.stepForward()));
      ASSERT_EQ(momentOf(jumping), straight[t]) << t;
    }
    ASSERT_TRUE(bool(jumping.runToEnd()));
    ASSERT_EQ(finalOf(jumping), last);
  }
}

// An observer sees each instruction once, in order, and what it is told adds up to the same memory accesses.
TEST(RandomProgram, ObserverSeesEveryInstruction) {
  struct Counter : Observer {
    uint64_t instructions = 0, next = 0, calls = 0, returns = 0;
    bool inOrder = true;
    void onInstruction(const Instance& i, std::span<const uint64_t>) override {
      inOrder = inOrder && i.time == next;
      next = i.time + 1;
      ++instructions;
    }
    void onCall(const DecodedFunction&, bool) override { ++calls; }
    void onReturn() override { ++returns; }
  } counter;
  Generator g(77);
  uint64_t epochs = epochsOf(g);
  auto log = g.assembler.log();
  log.enter(0, FL_EXT_ROOT, g.main(), {1, 2}).exit(epochs, 0, FL_EXT_ROOT);
  Replay r = openReplay(g.assembler, log);
  ASSERT_TRUE(bool(r.observe(counter)));
  EXPECT_TRUE(r.atEnd());
  EXPECT_TRUE(counter.inOrder);
  EXPECT_EQ(counter.instructions, r.engine().steps());
  EXPECT_EQ(counter.calls, counter.returns);
}

TEST(RandomProgram, RunsToAnInstance) {
  Generator g(5);
  uint64_t epochs = epochsOf(g);
  auto log = g.assembler.log();
  log.enter(0, FL_EXT_ROOT, g.main(), {1, 2}).exit(epochs, 0, FL_EXT_ROOT);
  Replay r = openReplay(g.assembler, log);
  ASSERT_TRUE(bool(r.seek(1234)));
  Instance wanted = r.current();
  Replay other = openReplay(g.assembler, log);
  auto found = other.runToInstance(wanted.epoch, wanted.local);
  ASSERT_TRUE(bool(found));
  EXPECT_TRUE(*found);
  EXPECT_EQ(other.now(), wanted.time);
  EXPECT_EQ(momentOf(other), momentOf(r));
}

} // namespace
