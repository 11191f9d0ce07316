#include "base/descriptors.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace faultline {
namespace {

class Descriptors : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0); }
  void TearDown() override {
    close(ends[0]);
    close(ends[1]);
  }
  bool send(std::string text, std::span<const int> descriptors) {
    const iovec part{text.data(), text.size()};
    return sendDescriptors(ends[0], {&part, 1}, descriptors) == ssize_t(text.size());
  }
  int ends[2];
};

TEST_F(Descriptors, GoWithAMessageAndLeadToTheSameFile) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  ASSERT_TRUE(send("two", pipes));
  char text[8];
  int given[2] = {-1, -1};
  bool came = false;
  ASSERT_EQ(receiveDescriptors(ends[1], {text, sizeof text}, given, came), 3);
  ASSERT_TRUE(came);
  EXPECT_EQ(std::string_view(text, 3), "two");
  ASSERT_EQ(write(given[1], "x", 1), 1);
  char byte = 0;
  EXPECT_EQ(read(pipes[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  for (int fd : {pipes[0], pipes[1], given[0], given[1]}) close(fd);
}

TEST_F(Descriptors, NoneAndAnotherNumberAreNotTakenForThem) {
  char text[8];
  int given[2] = {-1, -1};
  bool came = true;
  ASSERT_TRUE(send("none", {}));
  EXPECT_EQ(receiveDescriptors(ends[1], {text, sizeof text}, given, came), 4);
  EXPECT_FALSE(came);
  std::vector<int> many(kMostDescriptors + 1, ends[0]);
  EXPECT_FALSE(send("many", many));
  close(ends[0]);
  EXPECT_EQ(receiveDescriptors(ends[1], {text, sizeof text}, given, came), 0); // nobody is there any more
  EXPECT_FALSE(came);
  EXPECT_EQ(given[0], -1);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

} // namespace
} // namespace faultline
