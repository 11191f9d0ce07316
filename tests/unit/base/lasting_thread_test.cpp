#include "base/lasting_thread.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace faultline {
namespace {

pid_t childThatEndsWithItsMaker() {
  pid_t pid = fork();
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (;;) pause();
}

TEST(LastingThread, WhatIsMadeThereOutlivesWhoAsked) {
  pid_t child = 0;
  std::thread([&] { onLastingThread([&] { child = childThatEndsWithItsMaker(); }); }).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it lives";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(LastingThread, ServesOneAfterTheOther) {
  int sum = 0; // no lock
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) onLastingThread([&] { ++sum; });
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum, 400);
}

} // namespace
} // namespace faultline
