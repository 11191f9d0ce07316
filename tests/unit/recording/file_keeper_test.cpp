// What a process is about to change is kept as it was, whoever of its descendants changes it.
#include "recording/file_keeper.h"

#include "recording/child.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "support/run.h"

#include <fcntl.h>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace faultline::recording {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FileKeeping : public testing::Test {
protected:
  KeptFiles keptOf(const std::string& script, uint64_t room = 1 << 20) {
    FileDescriptor shared(open("/dev/null", O_RDONLY | O_CLOEXEC));
    ChildRequest request{"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}, dir.path(), shared.get()};
    request.watchesFiles = true;
    auto child = startChild(request);
    EXPECT_TRUE(child) << child.error().message;
    if (!child || child->fileCalls.get() < 0) return {};
    FileKeeper keeper(std::move(child->fileCalls), room);
    int status = 0;
    waitpid(child->pid, &status, 0);
    EXPECT_EQ(status, 0);
    KeptFiles files = keeper.finish();
    caveats = keeper.caveats();
    return files;
  }
  static std::vector<std::string> textOf(const KeptFiles& files) {
    constexpr const char* kKinds[] = {"absent", "file", "directory", "link"};
    std::vector<std::string> out;
    for (const KeptFile& f : files)
      out.push_back(fs::path(f.path).filename().string() + " " + kKinds[f.kind] + " " + f.bytes);
    return out;
  }

  test::TempDir dir;
  std::vector<std::string> caveats;
};

TEST_F(FileKeeping, HasWhatEachCallChanged) {
  for (const char* name : {"added", "cut", "gone", "over", "moved", "same", "read"})
    test::writeFile(dir / name, std::string("was ") + name);
  EXPECT_THAT(textOf(keptOf("echo more >> added; : > cut; rm gone; echo x > new; mv new over; mv moved there;"
                            "cat read > /dev/null; echo t > passing; rm passing; printf 'was same' > same")),
              ElementsAre("added file was added", "cut file was cut", "gone file was gone",
                          "moved file was moved", "over file was over", "there absent "));
  EXPECT_THAT(caveats, IsEmpty());
}

TEST_F(FileKeeping, FollowsLinksAndFolders) {
  fs::create_directory(dir / "folder");
  test::writeFile(dir / "folder/a", "a");
  test::writeFile(dir / "folder/b", "b");
  fs::create_symlink("folder/a", dir / "link");
  EXPECT_THAT(textOf(keptOf("echo x > link; cd folder; echo y > ../made; cd ..; mv folder other;"
                            "echo z > other/b; rm link; mkdir -p deep/er; echo d > deep/er/d")),
              ElementsAre("deep absent ", "folder directory ", "a file a", "b file b", "link link folder/a",
                          "made absent ", "other absent "));
}

TEST_F(FileKeeping, SaysWhatIsTooLarge) {
  test::writeFile(dir / "large", std::string(5000, 'x'));
  test::writeFile(dir / "untouched", std::string(5000, 'x'));
  test::writeFile(dir / "small", "y");
  EXPECT_THAT(textOf(keptOf("echo >> large; echo >> small; : >> untouched", 1000)),
              ElementsAre("small file y"));
  ASSERT_EQ(caveats.size(), 1u);
  EXPECT_THAT(caveats[0], HasSubstr("/large was before the run changed it was not kept"));
}

TEST_F(FileKeeping, KeepsRights) {
  test::writeFile(dir / "tool", "t");
  fs::permissions(dir / "tool", fs::perms(0750));
  KeptFiles files = keptOf("chmod 600 tool");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].mode, 0750u);
}

// They would be refused all that they ask for, if nobody answered.
TEST_F(FileKeeping, LetsThoseLeftBehindGoOn) {
  keptOf("(sleep 0.3; echo late > late; echo done > done) > /dev/null 2>&1 &");
  for (int k = 0; k < 200 && !fs::exists(dir / "done"); ++k) usleep(20'000);
  EXPECT_TRUE(fs::exists(dir / "late") && fs::exists(dir / "done"));
}

TEST(KeptFiles, StandInTheRecording) {
  test::TempDir dir;
  KeptFiles files{{"/a", KeptFile::Directory, 0755, 7, ""},
                  {"/a/b", KeptFile::File, 0640, -5, std::string("x\0y", 3)},
                  {"/c", KeptFile::Absent, 0, 0, ""},
                  {"/d", KeptFile::Link, 0777, 1, "a/b"}};
  auto writer = Writer::create(dir / "run.flr");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->add(packMeta({})));
  for (const KeptFile& file : files) ASSERT_TRUE(writer->add(packFile(file)));
  ASSERT_TRUE(writer->add(packEnd({})));
  ASSERT_TRUE(writer->commit());
  auto recording = Recording::open(dir / "run.flr");
  ASSERT_TRUE(recording) << recording.error().message;
  auto read = recording->files();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(**read, files);
  EXPECT_EQ(findKept(files, "/a/b"), &files[1]);
  EXPECT_EQ(findKept(files, "/a/"), nullptr);
}

} // namespace
} // namespace faultline::recording
