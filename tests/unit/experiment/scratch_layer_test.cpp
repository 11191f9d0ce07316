// A program runs on the files as they were, and those that are there stay as they are.
#include "experiment/scratch_layer.h"

#include "support/run.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace faultline::experiment {
namespace {

namespace fs = std::filesystem;
using recording::KeptFile;

TEST(ScratchLayers, PutFilesBack) {
  test::TempDir dir;
  const std::string here = fs::canonical(dir.path()).string();
  test::writeFile(dir / "edited", "after");
  test::writeFile(dir / "made", "after");
  fs::create_directories(dir / "tree/with");
  test::writeFile(dir / "tree/with/files", "after");
  test::writeFile(dir / "turned", "a folder before");
  recording::KeptFiles before{{here + "/edited", KeptFile::File, 0640, 1'000'000'000, "before"},
                              {here + "/gone", KeptFile::Directory, 0750, 0, ""},
                              {here + "/gone/file", KeptFile::File, 0600, 0, "back"},
                              {here + "/link", KeptFile::Link, 0777, 0, "gone/file"},
                              {here + "/made", KeptFile::Absent, 0, 0, ""},
                              {here + "/tree", KeptFile::Absent, 0, 0, ""},
                              {here + "/turned", KeptFile::Directory, 0755, 0, ""}};
  auto layer = ScratchLayer::create(before, here, {});
  ASSERT_TRUE(layer) << layer.error().message;
  recording::FileDescriptor shared(open("/dev/null", O_RDONLY | O_CLOEXEC));
  recording::ChildRequest request{
      "/bin/sh",
      {"sh", "-c",
       "test \"$(cat edited link)\" = beforeback && test ! -e made && test ! -e tree && test -d turned && "
       "test \"$(stat -c '%a %Y' edited)\" = '640 1' && test \"$(stat -c %a gone)\" = 750 && "
       "echo x > edited && echo x > other && rm -r gone"},
      {"PATH=/usr/bin:/bin"},
      here,
      shared.get()};
  request.surroundings = &(*layer)->surroundings();
  for (int k = 0; k < 2; ++k) {
    auto child = startChild(request);
    ASSERT_TRUE(child) << child.error().message;
    int status = -1;
    waitpid(child->pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(test::readFile(dir / "edited"), "after");
  EXPECT_EQ(test::readFile(dir / "made"), "after");
  EXPECT_FALSE(fs::exists(dir / "gone") || fs::exists(dir / "link") || fs::exists(dir / "other"));
}

} // namespace
} // namespace faultline::experiment
