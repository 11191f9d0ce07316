#include "recording/log_reader.h"
#include "recording/log_writer.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "support/run.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace faultline::recording {
namespace {

std::string_view view(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Meta someMeta() {
  Meta meta;
  meta.argv = {"./calc", "2 +", "\xff\xfe not utf-8 \xc3\xa9"};
  meta.env = {"HOME=/home/user", "PATH=/bin"};
  meta.cwd = "/tmp";
  meta.program = "/tmp/calc";
  meta.programId = "0123";
  meta.variant = "record-0123";
  meta.created = "2025-01-01T00:00:00Z";
  meta.input = "captured";
  meta.seed = ~0ull;
  meta.timeout = 1.5;
  return meta;
}

constexpr uint64_t kChunks = 4, kPerChunk = 12;

LogWriter someLog() {
  LogWriter log;
  for (uint64_t i = 0; i < kChunks * kPerChunk; ++i) {
    if (i > 0 && i % kPerChunk == 0) log.nextChunk();
    log.load(i + 1, 5, i * i, 8);
  }
  return log;
}

// A small file with a chunk of every kind.
std::string makeFile(const std::string& path) {
  auto writer = Writer::create(path);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->add(packMeta(someMeta())));
  EXPECT_TRUE(writer->add(packInput("the input")));
  LogWriter log = someLog();
  auto chunks = log.chunks();
  for (uint64_t i = 0; i < chunks.size(); ++i)
    EXPECT_TRUE(writer->add(packLog(i * kPerChunk + 1, view(chunks[i]))));
  EXPECT_TRUE(writer->add(packOutput(1, "out")));
  EXPECT_TRUE(writer->add(packOutput(2, "err")));
  EXPECT_TRUE(writer->add(packOutput(1, "put")));
  End end;
  end.waitStatus = SIGSEGV;
  end.ended = true;
  end.epoch = 200;
  EXPECT_TRUE(writer->add(packEnd(end)));
  EXPECT_TRUE(writer->commit());
  return test::readFile(path);
}

// How many records can be read, each checked to be the right one.
uint64_t readRight(const Recording& recording) {
  auto reader = LogReader::open(recording.log());
  if (!reader) return 0;
  uint64_t count = 0;
  for (; const Record* record = reader->peek(); reader->pop(), ++count) {
    EXPECT_EQ(record->epoch, count + 1);
    EXPECT_EQ(record->value, count * count);
  }
  return count;
}

TEST(File, GivesBackWhatWasWritten) {
  test::TempDir dir;
  makeFile(dir / "r.flt");
  auto recording = Recording::open(dir / "r.flt");
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_EQ(recording->meta().argv, someMeta().argv);
  EXPECT_EQ(recording->meta().env, someMeta().env);
  EXPECT_EQ(recording->meta().seed, ~0ull);
  EXPECT_EQ(recording->meta().timeout, 1.5);
  EXPECT_EQ(*recording->input(), "the input");
  EXPECT_EQ(*recording->output(1), "output");
  EXPECT_EQ(*recording->output(2), "err");
  ASSERT_TRUE(recording->end());
  EXPECT_EQ(recording->end()->signal(), SIGSEGV);
  EXPECT_EQ(recording->end()->epoch, 200u);
  EXPECT_TRUE(recording->caveats().empty());
  EXPECT_EQ(recording->logChunks(), kChunks);
  EXPECT_EQ(recording->log()->firstEpoch(2), 2 * kPerChunk + 1);
  EXPECT_EQ(readRight(*recording), kChunks * kPerChunk);
}

TEST(File, CutAnywhereGivesTheRightPrefixAndSaysSo) {
  test::TempDir dir;
  std::string good = makeFile(dir / "r.flt");
  uint64_t before = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    test::writeFile(dir / "cut.flt", std::string_view(good).substr(0, size));
    auto recording = Recording::open(dir / "cut.flt");
    if (!recording) continue;
    ASSERT_EQ(recording->caveats().size(), 1u) << size;
    EXPECT_NE(recording->caveats()[0].find("cut off after chunk"), std::string::npos);
    uint64_t now = readRight(*recording);
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_EQ(before, kChunks * kPerChunk);
}

TEST(File, WithAnyByteChangedGivesTheRightPrefixAndSaysSo) {
  test::TempDir dir;
  std::string good = makeFile(dir / "r.flt");
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = char(bad[at] ^ (1 << (at % 8)));
    test::writeFile(dir / "bad.flt", bad);
    auto recording = Recording::open(dir / "bad.flt");
    if (!recording) continue;
    EXPECT_FALSE(recording->caveats().empty()) << at;
    readRight(*recording);
  }
}

TEST(File, DoesNotAllocateWhatADamagedSizeAsksFor) {
  test::TempDir dir;
  std::string bytes = makeFile(dir / "r.flt");
  // The first chunk claims to be enormous; its checksum is never looked at.
  ChunkHeader header;
  std::memcpy(&header, bytes.data() + sizeof(FileHeader), sizeof header);
  header.storedSize = ~0ull;
  std::memcpy(bytes.data() + sizeof(FileHeader), &header, sizeof header);
  test::writeFile(dir / "bad.flt", bytes);
  EXPECT_FALSE(Recording::open(dir / "bad.flt"));
}

TEST(File, RefusesOtherFilesByName) {
  test::TempDir dir;
  test::writeFile(dir / "text", "this is not a recording at all");
  auto text = Recording::open(dir / "text");
  ASSERT_FALSE(text);
  EXPECT_NE(text.error().message.find("not a recording"), std::string::npos);
  EXPECT_FALSE(Recording::open(dir / "missing"));
  EXPECT_FALSE(Recording::open(dir.path()));
}

TEST(File, LeavesNothingBehindUnlessCommitted) {
  test::TempDir dir;
  {
    auto writer = Writer::create(dir / "r.flt");
    ASSERT_TRUE(writer);
    writer->add(packMeta(someMeta()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(File, StopsAtItsSizeLimitWithAnEnd) {
  test::TempDir dir;
  auto writer = Writer::create(dir / "r.flt", 64 << 10);
  ASSERT_TRUE(writer);
  writer->add(packMeta(someMeta()));
  std::string noise;
  for (uint32_t i = 0; noise.size() < 10000; ++i) noise += char((i * 2654435761u) >> 24);
  int stored = 0;
  while (writer->add(packLog(1, noise))) ++stored;
  EXPECT_GT(stored, 1);
  EXPECT_NE(writer->stopped(), "");
  EXPECT_FALSE(writer->add(packLog(1, "x"))); // stays stopped: no holes
  EXPECT_TRUE(writer->add(packEnd({})));
  ASSERT_TRUE(writer->commit());
  EXPECT_LE(std::filesystem::file_size(dir / "r.flt"), 64u << 10);
  auto recording = Recording::open(dir / "r.flt");
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->logChunks(), uint64_t(stored));
  EXPECT_TRUE(recording->end());
}

// A file that may not grow stands for a full disk: the same calls fail.
TEST(File, KeepsWhatIsThereWhenTheDiskIsFull) {
  test::TempDir dir;
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  rlimit small = {40000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  auto writer = Writer::create(dir / "r.flt");
  ASSERT_TRUE(writer);
  writer->add(packMeta(someMeta()));
  std::string noise;
  for (uint32_t i = 0; noise.size() < 9000; ++i) noise += char((i * 2654435761u) >> 24);
  uint64_t stored = 0;
  while (writer->add(packLog(1, noise))) ++stored;
  EXPECT_NE(writer->stopped(), "");
  writer->add(packEnd({}));
  EXPECT_TRUE(writer->commit());
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  auto recording = Recording::open(dir / "r.flt");
  ASSERT_TRUE(recording);
  EXPECT_GT(stored, 1u);
  EXPECT_EQ(recording->logChunks(), stored);
}

TEST(File, CannotBeMadeWhereThereIsNoDirectory) {
  auto writer = Writer::create("/nowhere/at/all/r.flt");
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().message.find("/nowhere/at/all/r.flt"), std::string::npos);
}

} // namespace
} // namespace faultline::recording
