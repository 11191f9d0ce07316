// A trace tells what an observer sees, however the run is cut into traces.
#include "program_generator.h"

#include "replay/decoded.h"
#include "unit/depend/program_maker.h"

using namespace faultline;
using namespace faultline::replay;
using namespace faultline::replay::testing;

namespace {

// Instructions executed, and the words that a trace has of them.
struct Story {
  std::vector<uint32_t> locals;
  std::vector<uint64_t> words;
  std::vector<uint32_t> returns; // number of instructions executed before each return
  friend bool operator==(const Story&, const Story&) = default;
};

class Watcher : public Observer {
public:
  Story story;
  bool addressesAgree = true;
  uint64_t accesses = 0;

  void onInstruction(const Instance& i, std::span<const uint64_t> words) override {
    const fir::Image& image = *i.module->image;
    const fir::Instruction& instruction = image.instructions[i.local];
    story.locals.push_back(i.local);
    if (result_) story.words[result_->first] = words[result_->second];
    result_.reset();
    op_ = instruction.op;
    address_.reset();
    traceWords(image, instruction, [&](uint32_t word) {
      if (!address_) address_ = words[word];
      bool isResult = word == instruction.dst && (op_ == Op::Alloca || op_ == Op::AllocaDyn);
      if (isResult) result_ = {story.words.size(), word};
      story.words.push_back(isResult ? 0 : words[word]);
    });
  }
  void onLoad(uint64_t address, uint64_t, const void*) override {
    if (op_ == Op::Load || op_ == Op::AtomicRMW) check(address);
  }
  void onStore(uint64_t address, uint64_t) override {
    if (op_ == Op::Store || op_ == Op::AtomicRMW) check(address);
  }
  void onReturn() override { story.returns.push_back(uint32_t(story.locals.size())); }

private:
  void check(uint64_t address) {
    if (!address_) return; // a constant
    ++accesses;
    addressesAgree &= *address_ == address;
  }
  Op op_{};
  std::optional<uint64_t> address_;
  // What the instruction gives, which is there only before the next one: its number in story.words, its word.
  std::optional<std::pair<size_t, uint32_t>> result_;
};

void add(Story& story, const Trace& trace, const fir::Segments& segments) {
  story.words.insert(story.words.end(), trace.words.begin(), trace.words.end());
  auto executed = [&](uint32_t segment, uint32_t from, uint32_t count) {
    for (uint32_t k = 0; k < count; ++k) story.locals.push_back(segments[segment].first + from + k);
  };
  size_t before = story.locals.size();
  for (uint32_t event : trace.events) {
    uint32_t number = eventNumber(event);
    switch (eventKind(event)) {
    case TraceEvent::Segment:
      executed(number, 0, segments[number].count);
      break;
    case TraceEvent::Return:
      story.returns.push_back(uint32_t(story.locals.size()));
      break;
    case TraceEvent::Other:
      const TraceOther& o = trace.others[number];
      if (o.kind == TraceOther::Part) executed(o.segment, o.from, o.count);
      if (o.kind == TraceOther::Leave) story.returns.push_back(uint32_t(story.locals.size()));
      break;
    }
  }
  EXPECT_EQ(story.locals.size() - before, trace.end - trace.start);
}

Replay openAt(Assembler& a, uint32_t main) {
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, main, {1, 2});
  ReplayOptions options;
  options.endEpoch = 1u << 30;
  options.checkpointInterval = 50;
  options.checkpointCount = 1000;
  return openReplay(a, log, options);
}

constexpr uint64_t kEnd = 1200;

Story watch(Assembler& a, uint32_t main) {
  Replay r = openAt(a, main);
  Watcher watcher;
  EXPECT_TRUE(bool(r.observe(watcher, kEnd)));
  EXPECT_TRUE(watcher.addressesAgree);
  EXPECT_GT(watcher.accesses, 0u);
  return watcher.story;
}

// In traces that begin at these times, made in any order: the last first.
Story traced(Replay& r, const fir::Image& image, std::vector<uint64_t> starts) {
  fir::Segments segments(image);
  Tracer tracer(nullptr);
  std::vector<Trace> traces(starts.size());
  for (size_t k = starts.size(); k-- > 0;) {
    EXPECT_TRUE(bool(r.seek(starts[k])));
    EXPECT_EQ(r.engine().steps(), starts[k]);
    auto made = r.trace(tracer, k + 1 < starts.size() ? starts[k + 1] : kEnd);
    EXPECT_TRUE(bool(made));
    traces[k] = std::move(*made);
    EXPECT_EQ(traces[k].start, starts[k]);
  }
  Story story;
  for (const Trace& trace : traces) add(story, trace, segments);
  return story;
}

template <class Made> void check(uint64_t seed) {
  SCOPED_TRACE(seed);
  Made made(seed);
  fir::Image image = made.assembler.image();
  Story seen = watch(made.assembler, made.main());
  Replay r = openAt(made.assembler, made.main());
  ASSERT_TRUE(traced(r, image, {0}) == seen);
  std::mt19937_64 random(seed);
  for (int k = 0; k < 4; ++k) {
    std::vector<uint64_t> starts = {0};
    uint64_t step = 1 + random() % 60;
    while (starts.back() + step < seen.locals.size()) starts.push_back(starts.back() + 1 + random() % step);
    ASSERT_TRUE(traced(r, image, starts) == seen) << step;
  }
}

TEST(Trace, IsWhatAnObserverSees) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    check<Generator>(seed);
    check<depend::testing::ProgramMaker>(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Trace, MayBeCutAtAnyTime) {
  for (uint64_t seed = 100; seed < 130; ++seed) {
    SCOPED_TRACE(seed);
    depend::testing::ProgramMaker made(seed);
    fir::Image image = made.assembler.image();
    Story seen = watch(made.assembler, made.main());
    Replay r = openAt(made.assembler, made.main());
    for (uint64_t t = 1; t < std::min<uint64_t>(seen.locals.size(), 300); ++t)
      ASSERT_TRUE(traced(r, image, {0, t}) == seen) << t;
    std::vector<uint64_t> every(std::min<uint64_t>(seen.locals.size(), 300));
    for (size_t t = 0; t < every.size(); ++t) every[t] = t;
    ASSERT_TRUE(traced(r, image, every) == seen);
  }
}

TEST(Trace, HasNothingWhereNothingIsExecuted) {
  depend::testing::ProgramMaker made(1);
  Replay r = openAt(made.assembler, made.main());
  ASSERT_TRUE(bool(r.seek(50)));
  Tracer tracer(nullptr);
  auto trace = r.trace(tracer, 50);
  ASSERT_TRUE(bool(trace));
  EXPECT_EQ(trace->start, 50u);
  EXPECT_EQ(trace->end, 50u);
  EXPECT_TRUE(trace->events.empty());
  EXPECT_TRUE(trace->words.empty());
}

} // namespace
