#include "replay/output_align.h"

#include <gmock/gmock.h>

namespace faultline::replay {
namespace {

using ::testing::ElementsAre;

// Queues of one stream. "?" is a field that is not known; each call is one add().
class OutputAlign : public ::testing::Test {
protected:
  void add(size_t queue, std::vector<std::string> fields) {
    while (queues_.size() <= queue) queues_.emplace_back().stream = 1;
    for (std::string& text : fields) {
      QueuedField f;
      f.isKnown = text != "?";
      if (!f.isKnown) text.clear();
      f.begin = queues_[queue].text.size();
      f.length = uint32_t(text.size());
      f.call = calls_;
      f.argument = 1;
      queues_[queue].text += text;
      queues_[queue].fields.push_back(f);
    }
    ++calls_;
  }
  // "text:queue.field" for each span, "!" before what is not verified, "text:-" for what nobody knows.
  std::vector<std::string> aligned(const std::string& written, uint64_t start = 0) {
    Alignment a = alignOutput(written, start, queues_, 1);
    std::vector<std::string> out;
    for (const OutputSpan& s : a.spans) {
      std::string origin =
          s.field == kNoField ? "-" : std::to_string(s.queue) + "." + std::to_string(s.field);
      out.push_back((s.isVerified || s.field == kNoField ? "" : "!") +
                    written.substr(s.begin, s.end - s.begin) + ":" + origin);
    }
    unwritten_ = a.unwritten;
    return out;
  }
  std::vector<OutputQueue> queues_;
  std::vector<UnwrittenField> unwritten_;
  uint32_t calls_ = 0;
};

TEST_F(OutputAlign, FieldsFollowEachOther) {
  add(0, {"a", "bc", ""});
  add(0, {"d"});
  EXPECT_THAT(aligned("abcd"), ElementsAre("a:0.0", "bc:0.1", "d:0.3"));
  EXPECT_TRUE(unwritten_.empty());
  EXPECT_THAT(aligned("xyabcd", 2), ElementsAre("a:0.0", "bc:0.1", "d:0.3"));
}

TEST_F(OutputAlign, AFieldThatIsNotKnownIsWhatLiesBetween) {
  add(0, {"name: ", "?", "\n"});
  add(0, {"size: ", "12", "\n"});
  EXPECT_THAT(aligned("name: Anna\nsize: 12\n"),
              ElementsAre("name: :0.0", "!Anna:0.1", "\n:0.2", "size: :0.3", "12:0.4", "\n:0.5"));
  EXPECT_THAT(aligned("name: \nsize: 12\n"),
              ElementsAre("name: :0.0", "\n:0.2", "size: :0.3", "12:0.4", "\n:0.5"));
}

TEST_F(OutputAlign, AFieldThatWasOtherwiseIsFoundBetweenItsNeighbours) {
  add(0, {"sum ", "0.3", " of ", "4", "\n"});
  EXPECT_THAT(aligned("sum 0,30 of 4\n"),
              ElementsAre("sum :0.0", "!0,30:0.1", " of :0.2", "4:0.3", "\n:0.4"));
}

TEST_F(OutputAlign, ATextThatLooksEmptyTakesWhatIsThere) {
  add(0, {"today: ", "", "\n"});
  EXPECT_THAT(aligned("today: 1970-01-01\n"), ElementsAre("today: :0.0", "!1970-01-01:0.1", "\n:0.2"));
}

TEST_F(OutputAlign, BytesOfSomebodyElseAreNobodys) {
  add(0, {"one\n"});
  add(0, {"two\n"});
  EXPECT_THAT(aligned("one\nchild speaks\ntwo\n"), ElementsAre("one\n:0.0", "child speaks\n:-", "two\n:0.1"));
}

TEST_F(OutputAlign, QueuesAreMixedAsTheyWereFlushed) {
  add(0, {"first 1\n"});
  add(1, {"second\n"});
  add(0, {"third 3\n"});
  EXPECT_THAT(aligned("second\nfirst 1\nthird 3\n"),
              ElementsAre("second\n:1.0", "first 1\n:0.0", "third 3\n:0.1"));
  EXPECT_THAT(aligned("first 1\nsecond\nthird 3\n"),
              ElementsAre("first 1\n:0.0", "second\n:1.0", "third 3\n:0.1"));
}

TEST_F(OutputAlign, WhatWasNotFlushedIsUnwritten) {
  add(0, {"12345678"});
  add(0, {"end"});
  EXPECT_THAT(aligned("1234"), ElementsAre("1234:0.0"));
  EXPECT_THAT(unwritten_, ElementsAre(UnwrittenField{0, 0, 4}, UnwrittenField{0, 1, 0}));
  EXPECT_THAT(aligned(""), ElementsAre());
  EXPECT_EQ(unwritten_.size(), 2u);
}

TEST_F(OutputAlign, OfAlternativesTheLongestThatFits) {
  add(0, {"2"});
  queues_[0].others.push_back({"   2.5", "2.5", "2.500000"});
  queues_[0].fields[0].others = 0;
  add(0, {"\n"});
  EXPECT_THAT(aligned("2.5\n"), ElementsAre("2.5:0.0", "\n:0.1"));
  EXPECT_THAT(aligned("   2.5\n"), ElementsAre("   2.5:0.0", "\n:0.1"));
}

TEST_F(OutputAlign, NonsenseEnds) {
  for (int k = 0; k < 500; ++k) add(k % 3, {"field " + std::to_string(k) + "\n", "?"});
  std::string written;
  for (int k = 0; k < 200; ++k) written += "other " + std::to_string(k * k) + "\n";
  uint64_t at = 0;
  for (const OutputSpan& s : alignOutput(written, 0, queues_, 1).spans) {
    EXPECT_EQ(s.begin, at);
    at = s.end;
  }
  EXPECT_EQ(at, written.size());
}

} // namespace
} // namespace faultline::replay
