#include "replay/object_names.h"

#include "unit/replay/stopped_state.h"

namespace faultline::replay {
namespace {

using namespace testing;

class Names : public ::testing::Test {
protected:
  std::string text(uint64_t address, uint64_t size = 0) { return names().text(address, size); }
  ObjectNames names() {
    frames_ = {inner_.view(), outer_.view()};
    return ObjectNames(symbols_, frames_, memory_,
                       {{.start = 0x600000, .size = 24, .from = "malloc at list.c:8"},
                        {.start = 0x600040, .size = 16, .from = "malloc at list.c:9", .isFreed = true}});
  }
  fir::Image image_ = goldenImage("list");
  MadeMemory memory_;
  MadeSymbols symbols_{image_};
  MadeFrame inner_{image_, "sum", 0x700000};
  MadeFrame outer_{image_, "main", 0x700100};
  std::vector<FrameView> frames_;
  uint64_t table_ = symbols_.address("table");
};

TEST_F(Names, GlobalsAndTheirParts) {
  EXPECT_EQ(text(table_), "&table");
  EXPECT_EQ(text(table_ + 32), "&table[1]");
  EXPECT_EQ(text(table_ + 40), "&table[1].next");
  EXPECT_EQ(text(table_ + 51), "&table[1].name[3]");
  EXPECT_EQ(text(table_, 4), "&table[0].value");
  EXPECT_EQ(text(table_ + 42), "42 bytes into table");
}

TEST_F(Names, LocalsSayWhoseTheyAre) {
  EXPECT_EQ(text(inner_.addressOf("copy") + 8), "&copy.next in sum()");
  EXPECT_EQ(text(outer_.addressOf("x") + 16), "&x.name in main()");
}

TEST_F(Names, OutOfBoundsIsSaidSo) {
  EXPECT_EQ(text(table_ + 128), "&table[4], 1 past the end");
  EXPECT_EQ(text(table_ + 200), "&table[6].next, 3 past the end");
  EXPECT_EQ(text(table_ + 202), "74 bytes past the end of table");
  EXPECT_EQ(text(table_ - 32), "&table[-1], 1 before the start");
  uint64_t limit = symbols_.address("limit");
  EXPECT_EQ(text(limit + 4), "just past the end of limit");
}

TEST_F(Names, TheObjectThatThePointerCameFromDecides) {
  // 0x600040 is a block of its own, but the program got there by way of the other one.
  auto name = names().findFrom(0x600008, 0x600040);
  ASSERT_TRUE(name);
  EXPECT_EQ(ObjectNames::text(*name),
            "40 bytes past the end of the block of 24 bytes from malloc at list.c:8");
}

TEST_F(Names, FunctionsLiteralsAndHeap) {
  EXPECT_EQ(text(symbols_.address("sum")), "sum");
  EXPECT_EQ(text(symbols_.address(".str")), R"("%d %d\n")");
  EXPECT_EQ(text(symbols_.address(".str") + 3), R"("%d %d\n" + 3)");
  EXPECT_EQ(text(0x600000), "the block of 24 bytes from malloc at list.c:8");
  EXPECT_EQ(text(0x600044), "4 bytes into the freed block of 16 bytes from malloc at list.c:9");
  EXPECT_EQ(text(0x12), "");
  EXPECT_EQ(names().brief(table_ + 40), "&table[1].next");
  EXPECT_EQ(names().brief(table_ + 128), "");
}

} // namespace
} // namespace faultline::replay
