// What stands behind `--children`: the chunks of a parent's log that its child's recording begins with, and
// the socket on which a recorded process asks.
#include "recording/control.h"
#include "recording/log_store.h"
#include "support/run.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace faultline::recording {
namespace {

class Stores : public testing::Test {
protected:
  // A file with one chunk for each word.
  static void fill(Writer& writer, LogStore& store, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      PackedChunk chunk = packLog(0, word);
      ASSERT_TRUE(writer.add(chunk));
      store.stored(chunk, writer.size());
    }
  }
  static size_t count(LogStore& store, uint32_t own, std::vector<std::vector<uint8_t>>& chunks) {
    chunks.clear();
    bool all = store.read(own, [&](const PackedChunk& chunk) { chunks.push_back(chunk.stored); });
    return all ? chunks.size() : 0;
  }

  test::TempDir dir;
};

TEST_F(Stores, AChildBeginsWithItsParentsChunksUpToTheFork) {
  auto parentFile = Writer::create(dir / "parent"), childFile = Writer::create(dir / "child");
  ASSERT_TRUE(parentFile && childFile);
  auto parent = std::make_shared<LogStore>(parentFile->duplicate());
  fill(*parentFile, *parent, {"zero", "one", "two"});
  LogStore child(childFile->duplicate(), parent, 2);
  fill(*childFile, child, {"own"});
  std::vector<std::vector<uint8_t>> chunks;
  ASSERT_EQ(count(child, 1, chunks), 3u);
  EXPECT_EQ(chunks[0], packLog(0, "zero").stored);
  EXPECT_EQ(chunks[1], packLog(0, "one").stored);
  EXPECT_EQ(chunks[2], packLog(0, "own").stored);
}

TEST_F(Stores, WaitForWhatTheParentHasNotStoredYet) {
  auto file = Writer::create(dir / "parent");
  auto parent = std::make_shared<LogStore>(file->duplicate());
  LogStore child(file->duplicate(), parent, 1);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    fill(*file, *parent, {"late"});
  });
  std::vector<std::vector<uint8_t>> chunks;
  EXPECT_EQ(count(child, 0, chunks), 1u);
  later.join();
}

TEST_F(Stores, SayWhenAPartIsMissing) {
  auto file = Writer::create(dir / "parent");
  auto parent = std::make_shared<LogStore>(file->duplicate());
  fill(*file, *parent, {"zero"});
  parent->close();
  LogStore child(file->duplicate(), parent, 2);
  std::vector<std::vector<uint8_t>> chunks;
  EXPECT_EQ(count(child, 0, chunks), 0u);
}

int connectTo(const ControlSocket& control) {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::string name = fmt::format("{}{:016x}", FL_CONTROL_NAME, control.name());
  name.copy(address.sun_path + 1, name.size());
  auto size = socklen_t(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  return fd;
}

TEST(Control, AnswersWhoKnowsTheToken) {
  auto control = ControlSocket::create();
  ASSERT_TRUE(control);
  FileDescriptor asking(connectTo(*control));
  fl_request request{control->token(), FL_REQUEST_OBJECT, 3, 0, 0};
  std::string message(reinterpret_cast<char*>(&request), sizeof request);
  message += "/some/plugin.so";
  ASSERT_EQ(send(asking.get(), message.data(), message.size(), 0), ssize_t(message.size()));
  auto asked = control->accept();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->path, "/some/plugin.so");
  EXPECT_EQ(asked->pid, getpid());
  asked->grant("/the/variant.so");
  char answer[100];
  ssize_t got = recv(asking.get(), answer, sizeof answer, 0);
  ASSERT_GT(got, ssize_t(sizeof(fl_answer)));
  EXPECT_EQ(std::string(answer + sizeof(fl_answer), answer + got), "/the/variant.so");
}

TEST(Control, TurnsOthersAway) {
  auto control = ControlSocket::create();
  FileDescriptor asking(connectTo(*control));
  fl_request request{control->token() + 1, FL_REQUEST_CHILD, 0, 0, 0};
  ASSERT_EQ(send(asking.get(), &request, sizeof request, 0), ssize_t(sizeof request));
  EXPECT_FALSE(control->accept());
  char answer[100];
  EXPECT_EQ(recv(asking.get(), answer, sizeof answer, 0), 0) << "the connection is closed";
}

} // namespace
} // namespace faultline::recording
