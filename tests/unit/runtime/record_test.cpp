// The runtime in a real process: a program instrumented by hand (fake_program.c) is recorded, and its log is
// read back.
#include "recording/log_reader.h"
#include "recording/reader.h"
#include "recording/recorder.h"
#include "support/run.h"

#include "abi/state.h"

#include <csignal>
#include <gtest/gtest.h>
#include <linux/close_range.h>
#include <map>
#include <unistd.h>
#include <xxhash.h>

namespace faultline::recording {
namespace {

const std::string kLibraries = FAULTLINE_BIN_DIR "/../lib";
const std::string kSources = FAULTLINE_SOURCE_DIR;

// A record with its bytes kept.
struct Kept : Record {
  std::vector<uint8_t> content;
  std::string text() const { return std::string(content.begin(), content.end()); }
  uint64_t at(size_t index) const {
    uint64_t word;
    std::memcpy(&word, content.data() + index * 8, 8);
    return word;
  }
};

struct Outcome {
  RecordResult result;
  std::vector<Kept> records;
  std::vector<std::string> caveats;
  std::string out, err;

  std::vector<Kept> of(Tag tag) const {
    std::vector<Kept> found;
    for (const Kept& record : records)
      if (record.tag == tag) found.push_back(record);
    return found;
  }
  // The records that are neither start nor end.
  std::string tags() const {
    std::string names;
    for (const Kept& record : records)
      if (record.tag != FL_LOG_THREAD && record.tag != FL_LOG_MODULE && record.tag != FL_LOG_FINAL)
        names += std::string(names.empty() ? "" : " ") + tagName(record.tag);
    return names;
  }
};

class Runtime : public testing::Test {
protected:
  static void SetUpTestSuite() {
    directory_ = new test::TempDir;
    auto built = test::run({"clang-19", "-g", "-O1", "-pthread", "-I", kSources + "/src",
                            kSources + "/tests/unit/runtime/fake_program.c", "-o", *directory_ / "fake",
                            "-L" + kLibraries, "-Wl,--no-as-needed", "-lfaultline_record",
                            "-Wl,-rpath," + kLibraries});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  static void TearDownTestSuite() { delete directory_; }

  static std::string fake() { return *directory_ / "fake"; }

  static RecordRequest request(const std::string& action) {
    return {.variant = fake(),
            .argv = {"fake", action},
            .env = {"HOME=/"},
            .program = "/original/program",
            .keepInput = false,
            .output = *directory_ / (action + ".flt")};
  }

  static Outcome record(const std::string& action) { return record(request(action)); }
  static Outcome record(const RecordRequest& request) {
    auto result = recordRun(request);
    if (!result) throw std::runtime_error(result.error().message);
    Outcome outcome{*result, {}, {}, {}, {}};
    auto file = Recording::open(request.output);
    if (!file) throw std::runtime_error(file.error().message);
    outcome.caveats = file->caveats();
    outcome.out = *file->output(1);
    outcome.err = *file->output(2);
    auto log = LogReader::open(file->log());
    for (; const Record* record = log->peek(); log->pop()) {
      Kept kept{*record, {}};
      bool words = record->tag == FL_LOG_ENTER || record->tag == FL_LOG_MODULE || record->tag == FL_LOG_FINAL;
      if (record->bytes) kept.content.assign(record->bytes, record->bytes + record->size * (words ? 8 : 1));
      outcome.records.push_back(kept);
    }
    EXPECT_EQ(log->damage(), "");
    return outcome;
  }

  static test::TempDir* directory_;
};
test::TempDir* Runtime::directory_;

TEST_F(Runtime, RecordsAPlainRunFromItsThreadToItsExit) {
  Outcome o = record("nothing");
  EXPECT_EQ(o.result.end.exitStatus(), 3);
  EXPECT_TRUE(o.result.end.ended);
  EXPECT_TRUE(o.caveats.empty());
  EXPECT_EQ(o.tags(), "ENTER EXIT");
  EXPECT_EQ(o.records[0].tag, FL_LOG_THREAD);
  EXPECT_EQ(o.records[0].address, FL_FRAME_STACK_ADDRESS);
  const Kept module = o.of(FL_LOG_MODULE).at(0);
  EXPECT_EQ(module.address, 0x1234abcdu);
  EXPECT_EQ(module.value, 100u);
  EXPECT_EQ(module.total, 2u);
  const Kept enter = o.of(FL_LOG_ENTER).at(0);
  EXPECT_EQ(enter.site, FL_EXT_ROOT);
  EXPECT_EQ(enter.id, 1u);
  EXPECT_EQ(enter.at(0), 2u);
  EXPECT_EQ(o.of(FL_LOG_EXIT).at(0).value, 3u);
  EXPECT_EQ(o.of(FL_LOG_EXIT).at(0).site, FL_EXT_ROOT);
}

TEST_F(Runtime, ClosesItsLogWithAHashOfTheInitialisedData) {
  Outcome o = record("nothing");
  auto finals = o.of(FL_LOG_FINAL);
  ASSERT_GE(finals.size(), 2u);
  EXPECT_EQ(finals.back().size, 0u);
  // The only thing in the shadow is the 64 bytes of `data`, so its page has a hash that we can make.
  uint64_t data = o.of(FL_LOG_MODULE).at(0).at(0);
  std::vector<uint8_t> page(4096);
  std::memcpy(page.data() + (data & 4095), "initialised", 11);
  std::map<uint64_t, uint64_t> hashes;
  for (size_t i = 0; i < finals[0].size; i += 2) hashes[finals[0].at(i)] = finals[0].at(i + 1);
  EXPECT_EQ(hashes.at(data & ~4095ull), XXH64(page.data(), 4096, 0));
}

TEST_F(Runtime, LogsOnlyLoadsThatTheShadowDoesNotKnow) {
  Outcome o = record("loads");
  EXPECT_EQ(o.tags(), "ENTER LOAD8 LOADN VALUE EXIT");
  EXPECT_EQ(o.of(FL_LOG_LOAD8).at(0).id, 11u);
  EXPECT_EQ(o.of(FL_LOG_LOAD8).at(0).value, 77u);
  EXPECT_EQ(o.of(FL_LOG_LOADN).at(0).id, 13u);
  EXPECT_EQ(o.of(FL_LOG_LOADN).at(0).text().substr(0, 5), std::string("wide\0", 5));
  EXPECT_EQ(o.of(FL_LOG_VALUE).at(0).text(), "xyz");
}

TEST_F(Runtime, LogsWhatModelledCallsWrote) {
  Outcome o = record("models");
  EXPECT_EQ(o.result.end.exitStatus(), 0);
  EXPECT_EQ(o.tags(), "ENTER EFFECT RET1 EFFECT EXIT");
  auto effects = o.of(FL_LOG_EFFECT);
  EXPECT_EQ(effects.at(0).text(), "hello 42"); // the end of the string was zero before
  EXPECT_EQ(effects.at(1).text(), "J");
  EXPECT_EQ(effects.at(1).id, 22u);
  EXPECT_EQ(o.of(FL_LOG_RET1).at(0).value, 8u);
}

TEST_F(Runtime, KeepsEveryRecordWhenTheRingIsFullManyTimes) {
  Outcome o = record("ring");
  auto rets = o.of(FL_LOG_RET4).size() + o.of(FL_LOG_RET1).size() + o.of(FL_LOG_RET0).size();
  EXPECT_EQ(rets, 4000000u);
  EXPECT_GT(o.result.end.rawBytes, 20u << 20);
  EXPECT_EQ(o.result.end.records, o.records.size());
  uint32_t i = 0;
  for (const Kept& record : o.records)
    if (record.tag == FL_LOG_RET4) {
      while (i * 2654435761u < 0x100) ++i;
      ASSERT_EQ(record.value, uint32_t(i * 2654435761u));
      ++i;
    }
}

TEST_F(Runtime, LogsACrashWithItsAddressAndDiesOfTheSameSignal) {
  Outcome o = record("crash");
  EXPECT_EQ(o.result.end.signal(), SIGSEGV);
  EXPECT_TRUE(o.result.end.ended);
  EXPECT_EQ(o.tags(), "ENTER FAULT");
  Kept fault = o.of(FL_LOG_FAULT).at(0);
  EXPECT_EQ(fault.address, 16u);
  EXPECT_TRUE(fault.write);
  EXPECT_EQ(fault.where, FL_AT_INSTRUCTION);
  EXPECT_EQ(fault.epoch, 2u);
  EXPECT_EQ(o.records.back().tag, FL_LOG_FINAL);
}

TEST_F(Runtime, LogsACrashWithinACopy) {
  Outcome o = record("copy-crash");
  EXPECT_EQ(o.result.end.signal(), SIGSEGV);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).address, 32u);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).where, FL_AT_INSTRUCTION);
}

TEST_F(Runtime, LogsADivisionByZero) {
  Outcome o = record("divide");
  EXPECT_EQ(o.result.end.signal(), SIGFPE);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).signal, SIGFPE);
}

TEST_F(Runtime, LogsAnAbortAsOutside) {
  Outcome o = record("abort");
  EXPECT_EQ(o.result.end.signal(), SIGABRT);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).signal, SIGABRT);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).where, FL_AT_OUTSIDE);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).site, 43u);
  EXPECT_EQ(o.result.end.ext, 43u);
  EXPECT_EQ(o.records.back().tag, FL_LOG_FINAL);
}

TEST_F(Runtime, KeepsTheLogOfAKilledProgram) {
  Outcome o = record("kill");
  EXPECT_EQ(o.result.end.signal(), SIGKILL);
  EXPECT_FALSE(o.result.end.ended);
  EXPECT_EQ(o.tags(), "ENTER RET1");
  EXPECT_EQ(o.result.end.ext, 45u);
}

TEST_F(Runtime, ClosesTheLogOnUnderscoreExit) {
  Outcome o = record("_exit");
  EXPECT_EQ(o.result.end.exitStatus(), 9);
  EXPECT_EQ(o.tags(), "ENTER EXIT");
  EXPECT_TRUE(o.result.end.ended);
}

TEST_F(Runtime, ClosesTheLogWhenAStackOverflows) {
  for (const char* which : {"stack", "frames"}) {
    Outcome o = record(which);
    EXPECT_EQ(o.result.end.signal(), SIGSEGV) << which;
    EXPECT_EQ(o.tags(), "ENTER FAULT") << which;
    EXPECT_TRUE(o.result.end.ended) << which;
  }
}

TEST_F(Runtime, LogsASmashedFrame) {
  RecordRequest r = request("smashed");
  r.captureOutput = true, r.passOutput = false;
  Outcome o = record(r);
  EXPECT_EQ(o.result.end.signal(), SIGABRT);
  EXPECT_EQ(o.tags(), "ENTER SMASHED FAULT");
  EXPECT_NE(o.err.find("stack smashing detected"), std::string::npos);
}

TEST_F(Runtime, LeavesAForkedChildAlone) {
  Outcome o = record("fork");
  EXPECT_EQ(o.result.end.exitStatus(), 5);
  EXPECT_EQ(o.tags(), "ENTER FORK RET1 RET1 EXIT");
}

TEST_F(Runtime, RunsAHandlerInsideTheOutsideCallThatWasInterrupted) {
  Outcome o = record("signal-outside");
  EXPECT_EQ(o.result.end.exitStatus(), 1);
  EXPECT_EQ(o.tags(), "ENTER SIGNAL ENTER RET1 EXIT");
  EXPECT_EQ(o.of(FL_LOG_SIGNAL).at(0).where, FL_AT_OUTSIDE);
  EXPECT_EQ(o.of(FL_LOG_ENTER).at(1).site, 63u);
}

TEST_F(Runtime, PutsAHandlerOffToTheNextEpochPoint) {
  Outcome o = record("signal-inside");
  EXPECT_EQ(o.result.end.exitStatus(), 0);
  EXPECT_EQ(o.tags(), "ENTER SIGNAL ENTER EXIT");
  EXPECT_EQ(o.of(FL_LOG_SIGNAL).at(0).where, FL_AT_EPOCH);
  EXPECT_EQ(o.of(FL_LOG_SIGNAL).at(0).epoch, 1u);
  EXPECT_EQ(o.of(FL_LOG_ENTER).at(1).epoch, 2u);
  EXPECT_EQ(o.of(FL_LOG_ENTER).at(1).site, FL_EXT_ROOT);
}

TEST_F(Runtime, ClosesTheLogBeforeATerminatingSignal) {
  Outcome o = record("terminate");
  EXPECT_EQ(o.result.end.signal(), SIGALRM);
  EXPECT_TRUE(o.result.end.ended);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).where, FL_AT_EPOCH);
}

TEST_F(Runtime, RunsTheProgramsOwnHandlerForAFault) {
  Outcome o = record("fault-handler");
  EXPECT_EQ(o.result.end.exitStatus(), 7);
  EXPECT_EQ(o.tags(), "ENTER RET0 FAULT SIGNAL ENTER REJUMP EXIT");
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).site, 0u);
  EXPECT_EQ(o.of(FL_LOG_REJUMP).at(0).value, 7u);
  EXPECT_EQ(o.of(FL_LOG_REJUMP).at(0).site, 67u);
}

TEST_F(Runtime, ReachesEpochPointsThoughTheProgramBlocksAllSignals) {
  EXPECT_EQ(record("all-blocked").result.end.waitStatus, 0);
}

TEST_F(Runtime, ClosesTheLogOfAProgramThatHangs) {
  for (const char* which : {"hang", "hang-outside"}) {
    RecordRequest r = request(which);
    r.timeout = std::chrono::milliseconds(200);
    Outcome o = record(r);
    EXPECT_TRUE(o.result.end.timedOut) << which;
    EXPECT_TRUE(o.result.end.ended) << which;
    EXPECT_EQ(o.tags(), "ENTER FAULT") << which;
    EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).signal, 0) << which;
  }
}

TEST_F(Runtime, RunsOneThreadAtATime) {
  for (uint64_t seed : {0, 1, 2}) {
    RecordRequest r = request("threads");
    r.seed = seed;
    Outcome o = record(r);
    EXPECT_EQ(o.result.end.exitStatus(), 0);
    auto threads = o.of(FL_LOG_THREAD);
    ASSERT_EQ(threads.size(), 5u);
    for (const Kept& thread : threads) EXPECT_LT(thread.thread, 5u);
    EXPECT_EQ(o.of(FL_LOG_ENTER).size(), 5u);
    EXPECT_GE(o.of(FL_LOG_SWITCH).size(), 5u);
    uint32_t running = 0;
    for (const Kept& record : o.of(FL_LOG_SWITCH)) {
      EXPECT_NE(record.thread, running);
      running = record.thread;
    }
  }
}

TEST_F(Runtime, TakesTheTurnFromAThreadThatSpins) {
  Outcome o = record("spin");
  EXPECT_EQ(o.result.end.exitStatus(), 0);
  bool atEpoch = false;
  for (const Kept& record : o.of(FL_LOG_SWITCH)) atEpoch |= record.site == 0;
  EXPECT_TRUE(atEpoch);
}

TEST_F(Runtime, LogsACrashOfAnotherThread) {
  Outcome o = record("thread-crash");
  EXPECT_EQ(o.result.end.signal(), SIGSEGV);
  EXPECT_TRUE(o.result.end.ended);
  EXPECT_EQ(o.result.end.thread, 1u);
  EXPECT_EQ(o.of(FL_LOG_FAULT).at(0).address, 24u);
}

TEST_F(Runtime, KeepsTheLogWholeInAStormOfSignalsAndSwitches) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    RecordRequest r = request("storm");
    r.seed = seed;
    Outcome o = record(r);
    EXPECT_EQ(o.result.end.waitStatus, 0);
    EXPECT_EQ(o.result.end.records, o.records.size());
    EXPECT_EQ(o.of(FL_LOG_RET0).size() + o.of(FL_LOG_RET1).size() + o.of(FL_LOG_RET4).size(), 4 * 30030u);
    // Each signal leads to its handler; the turn may pass on in between.
    size_t due = 0;
    for (size_t i = 0; i < o.records.size(); ++i) {
      if (o.records[i].tag == FL_LOG_SIGNAL) ++due;
      if (o.records[i].tag == FL_LOG_ENTER && due) --due;
    }
    EXPECT_EQ(due, 0u);
  }
}

TEST_F(Runtime, NotesThatTheProgramReplacedItself) {
  Outcome o = record("exec");
  EXPECT_EQ(o.result.end.exitStatus(), 6);
  EXPECT_EQ(o.tags(), "ENTER EXEC");
  EXPECT_FALSE(o.result.end.ended);
}

TEST_F(Runtime, IsNotSeenByTheProgram) {
  // Whoever runs the tests may have left descriptors open; the program counts its own.
  ASSERT_EQ(close_range(3, ~0u, CLOSE_RANGE_CLOEXEC), 0);
  test::TempDir dir;
  test::writeFile(dir / "input", "some input\nmore\n");
  RecordRequest r = request("look");
  r.input = dir / "input";
  r.captureOutput = true, r.passOutput = false;
  Outcome o = record(r);
  EXPECT_EQ(o.result.end.exitStatus(), 0);
  EXPECT_EQ(o.out, "to stdout\n");
  EXPECT_EQ(o.err, "to stderr\n");
  EXPECT_EQ(*Recording::open(r.output)->input(), "some input\nmore\n");
}

TEST_F(Runtime, LetsTheVariantRunWithoutARecorder) {
  EXPECT_EQ(test::run({fake(), "ring"}).status, 0);
  EXPECT_EQ(test::run({fake(), "threads"}).status, 0);
  EXPECT_EQ(test::run({fake(), "crash"}).signal, SIGSEGV);
}

TEST_F(Runtime, StopsStoringAtTheSizeLimitAndLetsTheProgramFinish) {
  RecordRequest r = request("ring");
  r.sizeLimit = 4 << 20;
  Outcome o = record(r);
  EXPECT_EQ(o.result.end.exitStatus(), 0);
  EXPECT_LE(o.result.fileSize, r.sizeLimit);
  ASSERT_EQ(o.caveats.size(), 1u);
  EXPECT_NE(o.caveats[0].find("size limit"), std::string::npos);
  EXPECT_GT(o.records.size(), 100000u);
}

TEST_F(Runtime, SaysWhatIsWrongWhenTheVariantCannotRun) {
  RecordRequest r = request("nothing");
  r.variant = "/nowhere/variant";
  r.output = *directory_ / "none.flt";
  auto result = recordRun(r);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("/nowhere/variant"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(r.output));
}

} // namespace
} // namespace faultline::recording
