// Files beside a recording: seen whole or not at all, and only by who made them from the same recording.
#include "recording/side_files.h"

#include "support/environment.h"
#include "support/run.h"

#include <gtest/gtest.h>

namespace faultline::recording {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

std::vector<uint8_t> bytes(std::string_view text) { return {text.begin(), text.end()}; }

std::string contentOf(const SideFile& file) {
  std::string text(file.size(), 0);
  EXPECT_TRUE(file.read(0, {reinterpret_cast<uint8_t*>(text.data()), text.size()}));
  return text;
}

class SideFilesTest : public ::testing::Test {
protected:
  void write(const SideFiles& side, const std::string& name, std::string_view text) {
    auto file = side.create(name);
    ASSERT_TRUE(bool(file)) << file.error().message;
    ASSERT_TRUE(bool(file->put(bytes(text))));
    ASSERT_TRUE(bool(file->commit()));
  }
  TempDir dir;
  fs::path recording = dir / "run.flr";
};

TEST_F(SideFilesTest, ReadWhatWasCommitted) {
  SideFiles side(recording, 7);
  EXPECT_FALSE(side.open("a"));
  {
    auto file = side.create("a");
    ASSERT_TRUE(bool(file));
    ASSERT_TRUE(bool(file->put(bytes("hello "))));
    EXPECT_FALSE(side.open("a")) << "not before it is whole";
  }
  EXPECT_TRUE(fs::is_empty(side.directory())) << "what was not committed leaves nothing";
  write(side, "a", "hello");
  write(side, "b", "other");
  auto a = side.open("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(contentOf(*a), "hello");
  write(side, "a", "newer");
  EXPECT_EQ(contentOf(*a), "hello") << "who has it open keeps it";
  EXPECT_EQ(contentOf(*side.open("a")), "newer");
  std::vector<uint8_t> more(6);
  EXPECT_FALSE(a->read(0, more));
  EXPECT_FALSE(a->read(~uint64_t(0), more));
}

TEST_F(SideFilesTest, AnotherRecordingsAreNotUsed) {
  write(SideFiles(recording, 7), "a", "hello");
  EXPECT_FALSE(SideFiles(recording, 8).open("a"));
  EXPECT_TRUE(SideFiles(recording, 7).open("a"));
}

TEST_F(SideFilesTest, DamageIsTheSameAsNone) {
  SideFiles side(recording, 7);
  write(side, "a", "hello");
  std::string good = test::readFile(side.directory() / "a");
  for (size_t k = 0; k < 40; ++k) {
    std::string bad = good;
    bad[k] = char(bad[k] + 1);
    test::writeFile(side.directory() / "a", bad);
    EXPECT_FALSE(side.open("a")) << k;
  }
  test::writeFile(side.directory() / "a", good.substr(0, good.size() - 1));
  EXPECT_FALSE(side.open("a"));
  test::writeFile(side.directory() / "a", good + "x");
  EXPECT_FALSE(side.open("a"));
}

TEST_F(SideFilesTest, RemovingLeavesWhatIsNotOurs) {
  SideFiles side(recording, 7);
  write(side, "a", "hello");
  test::writeFile(side.directory() / "notes.txt", "the user's");
  EXPECT_EQ(listSideFiles(recording).size(), 1u);
  removeSideFiles(recording);
  EXPECT_FALSE(fs::exists(side.directory() / "a"));
  EXPECT_TRUE(fs::exists(side.directory() / "notes.txt"));
  fs::remove(side.directory() / "notes.txt");
  removeSideFiles(recording);
  EXPECT_FALSE(fs::exists(side.directory()));
}

TEST_F(SideFilesTest, AFileStaysBelowItsLimit) {
  test::ScopedVariable limit("FAULTLINE_INDEX_SIZE", "100K");
  SideFiles side(recording, 7);
  EXPECT_EQ(side.sizeLimit(), 100'000u);
  auto file = side.create("a");
  ASSERT_TRUE(bool(file));
  std::vector<uint8_t> piece(4096);
  uint64_t written = 0;
  while (file->put(piece)) written += piece.size();
  EXPECT_LE(written, side.sizeLimit());
  EXPECT_GT(written, side.sizeLimit() / 2);
}

} // namespace
} // namespace faultline::recording
