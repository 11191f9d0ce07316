// A walk that passes over windows by their summaries finds what one finds that reads every trace: on real
// programs, with all that outside code, threads, jumps and signals do to a stack.
#include "depend/instances.h"
#include "depend/models.h"
#include "depend/query.h"
#include "support/program_case.h"
#include "unit/depend/random_runs.h"
#include "unit/depend/recorded_program.h"

#include <fmt/format.h>

namespace faultline::depend::testing {
namespace {

class PassedOver : public ::testing::TestWithParam<const char*> {
protected:
  static RecordedProgram recorded() {
    std::string path = std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs/" + GetParam();
    std::string text = test::readFile(path);
    test::ProgramCase program = test::parseProgram(path, text).at(0);
    return {program.file, text, {program.args, program.flags, program.input}};
  }
};

// Some operand, or some memory, of what was executed last before that time.
Question questionAt(replay::Replay& replay, uint64_t time, std::mt19937_64& random) {
  Question question{.time = time};
  if (!replay.seek(time)) return question;
  std::vector<replay::FrameView> frames = replay.frames();
  if (frames.empty()) return question;
  question.frame = random() % std::min<size_t>(frames.size(), 3);
  const replay::FrameView& f = frames[question.frame];
  for (int k = 0; k < 3 && !f.words.empty(); ++k)
    question.words.push_back(uint32_t(random() % f.words.size()));
  if (random() % 2) question.memory.push_back({f.frameBase + random() % 256, 8});
  return question;
}

TEST_P(PassedOver, TheSliceIsTheSame) {
  RecordedProgram program = recorded();
  replay::Replay replay = program.open();
  ASSERT_TRUE(bool(replay.runToEnd()));
  uint64_t length = std::min<uint64_t>(replay.now(), 60'000), passedOver = 0, traced = 0, joins = 0,
           asked = 0;
  std::mt19937_64 random(3);
  for (int k = 0; k < 12; ++k) {
    // Each window is traced by itself: the first walk meets none of which there is a summary already.
    HistoryOptions history{.windowInstructions = 10 + random() % (1 + length / 10), .windowsTogether = 1};
    WalkOptions walk{.addresses = random() % 2 == 0, .control = random() % 3 == 0};
    Question question = questionAt(replay, 1 + random() % length, random);
    SCOPED_TRACE(fmt::format("time {} frame {} window {} control {} addresses {}", question.time,
                             question.frame, history.windowInstructions, walk.control, walk.addresses));
    History run(replay, CallModels::standard(), history);
    auto slice = sliceBackward(run, question, walk);
    if (!slice) continue; // no frame there
    ASSERT_EQ(run.passedOver(), 0u);
    traced += run.traced();
    auto again = sliceBackward(run, question, walk);
    ASSERT_TRUE(bool(again)) << again.error().message;
    ASSERT_TRUE(isSame(*again, *slice));
    passedOver += run.passedOver();
    // Traced in groups, the first walk passes over the windows of the group.
    history.windowsTogether = 16;
    History grouped(replay, CallModels::standard(), history);
    auto third = sliceBackward(grouped, question, walk);
    ASSERT_TRUE(bool(third)) << third.error().message;
    ASSERT_TRUE(isSame(*third, *slice));
    // Where nodes end early the walk repeats what it did before, and counts the same.
    walk.nodeLimit = random() % 100;
    auto counted = sliceBackward(grouped, question, walk);
    walk.repeats = false;
    auto plain = sliceBackward(grouped, question, walk);
    ASSERT_TRUE(counted && plain);
    ASSERT_TRUE(isSame(*counted, *plain));
    ASSERT_TRUE(hasSameCounts(*counted, *slice));
    // Asked again it ends as it did; and so may another question, wherever both look for the same.
    walk.repeats = true;
    auto joined = sliceBackward(grouped, question, walk);
    ASSERT_TRUE(bool(joined));
    ASSERT_TRUE(isSame(*joined, *plain));
    joins += joined->joined > 0;
    ++asked;
    std::mt19937_64 others(k);
    Question other = questionAt(replay, std::min(length, question.time + others() % 300), others);
    auto otherJoined = sliceBackward(grouped, other, walk);
    walk.repeats = false;
    auto otherPlain = sliceBackward(grouped, other, walk);
    ASSERT_EQ(bool(otherJoined), bool(otherPlain));
    if (!otherPlain) continue;
    ASSERT_TRUE(hasSameCounts(*otherJoined, *otherPlain));
    ASSERT_TRUE(hasSameInstances(*otherJoined, *otherPlain));
  }
  fmt::print("{} of {} instructions are passed over, {} of {} questions joined\n", passedOver, traced, joins,
             asked);
  // How many depends on how the threads ran: RandomSlice asks for some.
}

std::string textOf(const Result<Origin>& made) {
  if (!made) return "failed";
  return fmt::format("{}@{} {}.{} at {:x} {}", int(made->kind), made->time, made->part, made->word,
                     made->address, made->value.value_or(0));
}

// Who made what the instruction at `time` used, and who led there.
std::map<std::string, std::string> usesAt(depend::Instances& all, uint64_t time) {
  auto x = all.at(time);
  if (!x) return {};
  std::map<std::string, std::string> uses{{"instruction", fmt::format("{} of {}", x->id, x->depth)}};
  fir::forEachValue(*x->image, *x->instruction, [&](uint32_t k, uint32_t) {
    uses[fmt::format("operand {}", k)] = textOf(all.operand(time, k));
  });
  if (auto control = all.control(time)) uses["decided"] = fmt::format("@{}", *control);
  if (auto caller = all.caller(time)) uses["called"] = fmt::format("@{}", *caller);
  if (x->instruction->op != fir::Op::Load) return uses;
  // That the machine has put arguments of va_start there a window does not know that begins behind it, unlike
  // its summary: it takes what a load notices of them for an outside write.
  if (auto pieces = all.loaded(time))
    for (const OriginPiece& p : *pieces)
      if (p.origin.kind != Origin::Outside) uses[fmt::format("byte {}", p.offset)] = textOf(p.origin);
  return uses;
}

TEST_P(PassedOver, WhoMadeWhatIsTheSame) {
  RecordedProgram program = recorded();
  replay::Replay replay = program.open();
  ASSERT_TRUE(bool(replay.runToEnd()));
  const uint64_t length = std::min<uint64_t>(replay.now(), 60'000);
  std::mt19937_64 random(5);
  uint64_t made = 0, madeByTraces = 0;
  for (uint64_t size : {length / 7 + 10, length / 40 + 10, length / 200 + 10}) {
    const HistoryOptions options{.windowInstructions = size};
    History plain(replay, CallModels::standard(), options), known(replay, CallModels::standard(), options);
    ASSERT_TRUE(bool(known.forwards(0, length, [](const Window&) { return true; })));
    depend::Instances byTraces(plain, {.windowInstructions = size}), all(known, {.windowInstructions = size});
    for (int k = 0; k < 150; ++k) {
      const uint64_t time = random() % length;
      SCOPED_TRACE(fmt::format("@{} in windows of {}", time, size));
      auto uses = usesAt(all, time);
      for (const auto& [what, text] : usesAt(byTraces, time)) ASSERT_EQ(uses[what], text) << what;
    }
    made += all.windowsMade(), madeByTraces += byTraces.windowsMade();
  }
  fmt::print("{} windows of {}\n", made, madeByTraces);
  EXPECT_LE(made, madeByTraces);
}

INSTANTIATE_TEST_SUITE_P(Programs, PassedOver,
                         ::testing::Values("callbacks.c", "containers.cpp", "coroutine_context.c",
                                           "cpp_threads.cpp", "exceptions_foreign.cpp", "exceptions.cpp",
                                           "files.c", "memory_moves.c", "setjmp_callback.c", "signal_raise.c",
                                           "signal_threads.c", "stdin_ways.c", "strings.c", "threads_locks.c",
                                           "threads_spin.c", "varargs.c"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '.') c = '_';
                           return name;
                         });

} // namespace
} // namespace faultline::depend::testing
