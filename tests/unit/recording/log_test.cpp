#include "recording/log_reader.h"
#include "recording/log_writer.h"

#include <gtest/gtest.h>

namespace faultline::recording {
namespace {

std::vector<Record> readAll(LogReader& log) {
  std::vector<Record> records;
  for (; const Record* record = log.peek(); log.pop()) records.push_back(*record);
  return records;
}

LogWriter oneOfEach() {
  LogWriter log;
  log.thread(0).module(0x1122334455667788, 0, 300, {0x555555554000, 0, 7});
  log.enter(1, FL_EXT_ROOT, 3, {2, 0x7fffffffe000});
  log.load(2, 10, 0xab, 1)
      .load(2, 11, 0xabcd, 2)
      .load(300, 12, 0xdeadbeef, 4)
      .load(1ull << 40, 299, ~0ull, 8);
  log.loadWide(1ull << 40, 13, "0123456789").value(14, "xyz");
  log.ret(15, 0).ret(16, 200).ret(17, 70000).ret(18, 1ull << 50).retWide(19, "sixteen bytes...");
  log.effect((1ull << 40) + 1, 20, 0x602010, "changed");
  log.land((1ull << 40) + 2, 21, 0x1000, 2).rejump((1ull << 40) + 3, 22, 5);
  log.signal((1ull << 40) + 4, 10, FL_AT_EPOCH).switchTo((1ull << 40) + 5, 3, 0).fork(4711);
  log.smashed((1ull << 40) + 6, 23).exec((1ull << 40) + 6).exit((1ull << 40) + 6, 256);
  log.fault((1ull << 40) + 7, 11, 1, 0x10, true, FL_AT_INSTRUCTION, 0x401000);
  log.final({0x601000, 0x1234, 0x602000, 0x5678}).final({});
  return log;
}

TEST(Log, GivesBackWhatWasWritten) {
  auto reader = LogReader::open(oneOfEach().source());
  ASSERT_TRUE(reader);
  auto r = readAll(*reader);
  ASSERT_EQ(reader->damage(), "");
  ASSERT_EQ(r.size(), 26u);
  size_t i = 0;
  EXPECT_EQ(r[i].tag, FL_LOG_THREAD);
  EXPECT_EQ(r[i].address, FL_FRAME_STACK_ADDRESS);
  ++i;
  EXPECT_EQ(r[i].tag, FL_LOG_MODULE);
  EXPECT_EQ(r[i].address, 0x1122334455667788u);
  EXPECT_EQ(r[i].total, 3u);
  EXPECT_EQ(r[i].value, 300u);
  EXPECT_EQ(r[i].word(0), 0x555555554000u);
  EXPECT_EQ(r[i].word(2), 7u);
  ++i;
  EXPECT_EQ(r[i].tag, FL_LOG_ENTER);
  EXPECT_EQ(r[i].epoch, 1u);
  EXPECT_EQ(r[i].site, FL_EXT_ROOT);
  EXPECT_EQ(r[i].id, 3u);
  EXPECT_EQ(r[i].size, 2u);
  EXPECT_EQ(r[i].word(1), 0x7fffffffe000u);
  ++i;
  EXPECT_EQ(r[i].tag, FL_LOG_LOAD1);
  EXPECT_EQ(r[i].value, 0xabu);
  EXPECT_EQ(r[i++].epoch, 2u);
  EXPECT_EQ(r[i].tag, FL_LOG_LOAD2);
  EXPECT_EQ(r[i].value, 0xabcdu);
  EXPECT_EQ(r[i++].epoch, 2u);
  EXPECT_EQ(r[i].tag, FL_LOG_LOAD4);
  EXPECT_EQ(r[i].value, 0xdeadbeefu);
  EXPECT_EQ(r[i++].epoch, 300u);
  EXPECT_EQ(r[i].tag, FL_LOG_LOAD8);
  EXPECT_EQ(r[i].value, ~0ull);
  EXPECT_EQ(r[i].id, 299u);
  EXPECT_EQ(r[i++].epoch, 1ull << 40);
  EXPECT_EQ(r[i].tag, FL_LOG_LOADN);
  EXPECT_EQ(r[i++].size, 10u);
  EXPECT_EQ(r[i].tag, FL_LOG_VALUE);
  EXPECT_EQ(r[i++].size, 3u);
  EXPECT_EQ(r[i].tag, FL_LOG_RET0);
  EXPECT_EQ(r[i++].value, 0u);
  EXPECT_EQ(r[i].tag, FL_LOG_RET1);
  EXPECT_EQ(r[i++].value, 200u);
  EXPECT_EQ(r[i].tag, FL_LOG_RET4);
  EXPECT_EQ(r[i++].value, 70000u);
  EXPECT_EQ(r[i].tag, FL_LOG_RET8);
  EXPECT_EQ(r[i++].value, 1ull << 50);
  EXPECT_EQ(r[i].tag, FL_LOG_RETN);
  EXPECT_EQ(r[i++].size, 16u);
  EXPECT_EQ(r[i].tag, FL_LOG_EFFECT);
  EXPECT_EQ(r[i].address, 0x602010u);
  EXPECT_EQ(r[i++].size, 7u);
  EXPECT_EQ(r[i].tag, FL_LOG_LAND);
  EXPECT_EQ(r[i].address, 0x1000u);
  EXPECT_EQ(r[i++].value, 2u);
  EXPECT_EQ(r[i].tag, FL_LOG_REJUMP);
  EXPECT_EQ(r[i++].value, 5u);
  EXPECT_EQ(r[i].tag, FL_LOG_SIGNAL);
  EXPECT_EQ(r[i].signal, 10);
  EXPECT_EQ(r[i++].where, FL_AT_EPOCH);
  EXPECT_EQ(r[i].tag, FL_LOG_SWITCH);
  EXPECT_EQ(r[i].thread, 3u);
  EXPECT_EQ(r[i++].site, 0u);
  EXPECT_EQ(r[i].tag, FL_LOG_FORK);
  EXPECT_EQ(r[i++].value, 4711u);
  EXPECT_EQ(r[i].tag, FL_LOG_SMASHED);
  EXPECT_EQ(r[i++].id, 23u);
  EXPECT_EQ(r[i++].tag, FL_LOG_EXEC);
  EXPECT_EQ(r[i].tag, FL_LOG_EXIT);
  EXPECT_EQ(r[i++].value, 256u);
  EXPECT_EQ(r[i].tag, FL_LOG_FAULT);
  EXPECT_EQ(r[i].signal, 11);
  EXPECT_EQ(r[i].address, 0x10u);
  EXPECT_TRUE(r[i].write);
  EXPECT_EQ(r[i].pc, 0x401000u);
  EXPECT_EQ(r[i++].where, FL_AT_INSTRUCTION);
  EXPECT_EQ(r[i].tag, FL_LOG_FINAL);
  EXPECT_EQ(r[i].size, 4u);
  EXPECT_EQ(r[i].word(3), 0x5678u);
}

LogWriter manyChunks(int chunks, int perChunk) {
  LogWriter log;
  uint64_t epoch = 0;
  for (int c = 0; c < chunks; ++c) {
    if (c > 0) log.nextChunk();
    for (int i = 0; i < perChunk; ++i) ++epoch, log.load(epoch, uint32_t(i), epoch * 3, 8);
  }
  return log;
}

TEST(Log, RunsOverChunksAsOneStream) {
  auto reader = LogReader::open(manyChunks(20, 100).source());
  ASSERT_TRUE(reader);
  auto records = readAll(*reader);
  ASSERT_EQ(records.size(), 2000u);
  for (uint64_t i = 0; i < 2000; ++i) {
    ASSERT_EQ(records[i].epoch, i + 1);
    ASSERT_EQ(records[i].value, (i + 1) * 3);
  }
}

TEST(Log, GoesBackToAnyPositionItWasAt) {
  auto reader = LogReader::open(manyChunks(7, 50).source());
  ASSERT_TRUE(reader);
  std::vector<std::pair<LogReader::Position, uint64_t>> places;
  for (; const Record* record = reader->peek(); reader->pop())
    places.emplace_back(reader->position(), record->epoch);
  for (size_t step : {1u, 37u, 113u})
    for (size_t i = 0, at = 0; i < places.size(); ++i, at = (at + step) % places.size()) {
      ASSERT_TRUE(reader->seek(places[at].first));
      ASSERT_NE(reader->peek(), nullptr);
      EXPECT_EQ(reader->peek()->epoch, places[at].second);
      EXPECT_EQ(reader->position(), places[at].first);
    }
}

TEST(Log, FindsTheChunkOfAnEpoch) {
  auto reader = LogReader::open(manyChunks(7, 50).source());
  ASSERT_TRUE(reader);
  for (uint64_t epoch : {1u, 50u, 51u, 130u, 350u, 9999u}) {
    ASSERT_TRUE(reader->seekEpoch(epoch));
    uint64_t first = reader->peek()->epoch;
    EXPECT_LE(first, epoch);
    EXPECT_GT(first + 50, std::min<uint64_t>(epoch, 350));
  }
}

TEST(Log, RefusesPositionsThatItDoesNotHave) {
  auto reader = LogReader::open(manyChunks(2, 5).source());
  ASSERT_TRUE(reader);
  EXPECT_FALSE(reader->seek({2, 0, 0}));
  EXPECT_FALSE(reader->seek({1, 1 << 20, 0}));
}

TEST(Log, ReadsAnEmptyLog) {
  auto none = LogReader::open(std::make_shared<MemoryLog>(std::vector<std::vector<uint8_t>>{}));
  ASSERT_TRUE(none);
  EXPECT_EQ(none->peek(), nullptr);
  auto empty = LogReader::open(LogWriter().source());
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->peek(), nullptr);
  EXPECT_EQ(empty->damage(), "");
}

TEST(Log, EndsAChunkAtItsPadding) {
  auto chunks = manyChunks(2, 3).chunks();
  chunks[0].resize(chunks[0].size() + 1000);
  auto reader = LogReader::open(std::make_shared<MemoryLog>(chunks));
  ASSERT_TRUE(reader);
  EXPECT_EQ(readAll(*reader).size(), 6u);
}

TEST(Log, SurvivesEveryCutAndEveryFlippedByte) {
  std::vector<uint8_t> good = oneOfEach().chunks()[0];
  auto count = [](std::vector<uint8_t> bytes) {
    auto reader =
        LogReader::open(std::make_shared<MemoryLog>(std::vector<std::vector<uint8_t>>{std::move(bytes)}));
    return reader ? readAll(*reader).size() : 0;
  };
  size_t before = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    size_t now = count({good.begin(), good.begin() + long(size)});
    EXPECT_GE(now, before);
    EXPECT_LE(now, 26u);
    before = now;
  }
  for (size_t at = 0; at < good.size(); ++at)
    for (uint8_t bit : {0x01, 0x10, 0x80, 0xff}) {
      auto bad = good;
      bad[at] ^= bit;
      count(bad); // must return
    }
}

TEST(Log, RefusesNumbersOfMoreThan64Bits) {
  std::vector<uint8_t> bytes = {FL_LOG_RET0};
  for (int i = 0; i < 9; ++i) bytes.push_back(0xff);
  bytes.push_back(0x7f);
  auto reader = LogReader::open(std::make_shared<MemoryLog>(std::vector<std::vector<uint8_t>>{bytes}));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->peek(), nullptr);
  EXPECT_NE(reader->damage(), "");
}

} // namespace
} // namespace faultline::recording
