// The walk against the reference, on programs made at random.
#include "depend/models.h"
#include "depend/query.h"
#include "unit/depend/random_runs.h"

#include <fmt/format.h>

// With the sanitizers each costs ten times as much.
#if __has_feature(address_sanitizer)
static constexpr uint64_t kPrograms = 300;
#else
static constexpr uint64_t kPrograms = 2000;
#endif

namespace faultline::depend::testing {
namespace {

constexpr uint64_t kLongest = 4000;

TEST(RandomSlice, IsThatOfTheReference) {
  uint64_t programs = setting("FAULTLINE_SEEDS", kPrograms), first = setting("FAULTLINE_FIRST_SEED", 0);
  uint64_t passedOver = 0, repeated = 0, slices = 0, instructions = 0, ours = 0, theirs = 0, executed = 0,
           largest = 0, joined = 0, othersJoined = 0;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE(seed);
    ProgramMaker made(seed);
    Recorder recorder;
    replay::Replay watched = openRun(made);
    auto watching = watched.observe(recorder, kLongest);
    ASSERT_TRUE(bool(watching)) << watching.error().message;
    ASSERT_FALSE(recorder.executed.empty());
    executed += recorder.executed.size();
    replay::Replay replay = openRun(made);
    ASSERT_TRUE(bool(replay.seek(recorder.executed.size())));
    std::mt19937_64 random(seed);
    for (int k = 0; k < 3; ++k) {
      Asked asked = someQuestion(recorder, random);
      HistoryOptions history;
      history.windowInstructions = 7 + random() % 194;
      if (random() % 4 == 0) history.windowInstructions = 1 + random() % 7;
      WalkOptions walk;
      walk.control = random() % 5 != 0;
      walk.addresses = random() % 5 != 0;
      SCOPED_TRACE(fmt::format("time {} operand {} window {} control {} addresses {}", asked.time,
                               asked.operands.empty() ? -1 : int(asked.operands[0]),
                               history.windowInstructions, walk.control, walk.addresses));
      History run(replay, CallModels::standard(), history);
      auto slice = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, walk);
      ASSERT_TRUE(bool(slice)) << slice.error().message;
      ReferenceSlice reference(recorder, {walk.addresses, walk.control});
      reference.ask(asked.time, asked.operands);
      Instances expected = reference.instances(), found = instancesOf(*slice);
      ASSERT_TRUE(found == expected) << "too many:" << describe(recorder, found, expected)
                                     << "\nmissing:" << describe(recorder, expected, found);
      ASSERT_EQ(found.size(), slice->nodes.size()) << "an instance is there twice";
      ASSERT_TRUE(countsAgree(*slice));
      // Again, with summaries of all windows; the first walk had those of its group at most.
      auto again = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, walk);
      ASSERT_TRUE(bool(again)) << again.error().message;
      ASSERT_TRUE(isSame(*again, *slice));
      passedOver += run.passedOver();
      // And where nodes end early: the same counts, whether what was done before is repeated or not.
      walk.nodeLimit = random() % 30;
      auto counted = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, walk);
      walk.repeats = false;
      auto plain = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, walk);
      ASSERT_TRUE(counted && plain);
      ASSERT_TRUE(isSame(*counted, *plain));
      ASSERT_TRUE(hasSameCounts(*counted, *plain));
      ASSERT_TRUE(hasSameCounts(*counted, *slice));
      ASSERT_EQ(plain->repeated, 0u);
      repeated += counted->repeated;
      // Asked again it ends as it did, and so does another question where both look for the same.
      walk.repeats = true;
      auto rejoined = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, walk);
      ASSERT_TRUE(rejoined && isSame(*rejoined, *plain) && hasSameCounts(*rejoined, *plain));
      Asked other = someQuestion(recorder, random);
      auto otherJoined = sliceBackward(run, {.time = other.time, .operands = other.operands}, walk);
      walk.repeats = false;
      auto otherPlain = sliceBackward(run, {.time = other.time, .operands = other.operands}, walk);
      ASSERT_TRUE(otherJoined && otherPlain);
      ASSERT_TRUE(hasSameCounts(*otherJoined, *otherPlain));
      ASSERT_TRUE(hasSameInstances(*otherJoined, *otherPlain));
      joined += rejoined->joined > 0;
      othersJoined += otherJoined->joined > 0;
      ++slices;
      ours += found.size();
      theirs += expected.size();
      instructions += asked.time;
      largest = std::max<uint64_t>(largest, found.size());
    }
  }
  fmt::print(
      "{} programs, {} instructions executed; {} slices: {} instances of {} ({:.1f}%), the reference's {}; "
      "the largest {}; with summaries {} instructions are passed over, {} pieces repeated\n",
      programs, executed, slices, ours, instructions, 100.0 * double(ours) / double(instructions), theirs,
      largest, passedOver, repeated);
  EXPECT_GT(passedOver, instructions / 20);
  EXPECT_GT(repeated, slices);
  fmt::print("{} slices asked again and {} of other questions end as an earlier one\n", joined, othersJoined);
  EXPECT_GT(joined, slices / 20);
  EXPECT_GT(othersJoined, slices / 200);
}

} // namespace
} // namespace faultline::depend::testing
