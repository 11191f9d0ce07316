#include "base/file.h"

#include "support/environment.h"
#include "support/run.h"

#include <gtest/gtest.h>

namespace faultline {
namespace {

namespace fs = std::filesystem;
using test::ScopedVariable;
using test::TempDir;

size_t filesIn(const TempDir& dir) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(dir.path()), fs::directory_iterator()));
}

TEST(File, ReadsBackWhatWasWritten) {
  TempDir dir;
  std::string content("a\0b\n", 4);
  ASSERT_TRUE(writeFileAtomic(dir / "file", content));
  EXPECT_EQ(*readFile(dir / "file"), content);
  EXPECT_EQ(filesIn(dir), 1u);
}

TEST(File, ReadsFilesThatStateNoSize) { EXPECT_FALSE(readFile("/proc/self/maps")->empty()); }

TEST(File, ErrorsNameTheFileAndTheReason) {
  auto missing = readFile("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot read /no/such/file: No such file or directory");
  auto nowhere = writeFileAtomic("/no/such/folder/file", "x");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "cannot write /no/such/folder/file: No such file or directory");
}

TEST(File, ReplacesTheWholeContentAndKeepsNoRemains) {
  TempDir dir;
  ASSERT_TRUE(writeFileAtomic(dir / "file", "a long first content"));
  ASSERT_TRUE(writeFileAtomic(dir / "file", "short"));
  EXPECT_EQ(*readFile(dir / "file"), "short");
  EXPECT_EQ(filesIn(dir), 1u);
}

TEST(File, NeverReplacesADevice) {
  ASSERT_TRUE(writeFileAtomic("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(File, ATemporaryFileIsGoneAfterItsScope) {
  fs::path path;
  {
    auto file = TemporaryFile::create(".ll");
    ASSERT_TRUE(file);
    TemporaryFile moved = std::move(*file);
    path = moved.path();
    EXPECT_EQ(path.extension(), ".ll");
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(CacheDir, FollowsTheXdgVariable) {
  TempDir dir;
  ScopedVariable cache("XDG_CACHE_HOME", dir / "cache");
  EXPECT_EQ(*cacheDir(), dir / "cache/faultline");
  EXPECT_TRUE(fs::is_directory(dir / "cache/faultline"));
}

TEST(CacheDir, FallsBackToHomeAndElseSaysWhatToSet) {
  TempDir dir;
  ScopedVariable cache("XDG_CACHE_HOME", "relative/is/ignored");
  {
    ScopedVariable home("HOME", dir.path());
    EXPECT_EQ(*cacheDir(), dir / ".cache/faultline");
  }
  ScopedVariable home("HOME", std::nullopt);
  auto none = cacheDir();
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("set XDG_CACHE_HOME"), std::string::npos);
}

} // namespace
} // namespace faultline
