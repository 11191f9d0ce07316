// One forked child that is being recorded: its log, drained by a thread of its own into a spool beside the
// recording to be, and what it takes to see how it ends, though it is not a child of ours.
#pragma once

#include "recording/log_store.h"
#include "recording/shared_log.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace faultline::recording {

class ChildRun {
public:
  struct Setting {
    std::string number; // "2": second child of the program; "2.1": first child of that one
    pid_t pid = 0;
    Meta meta; // of the recording to be
    std::filesystem::path path;
    std::filesystem::path variant; // what it runs, until it replaces itself
    uint64_t sizeLimit = 0;
  };

  static Result<std::unique_ptr<ChildRun>> create(Setting setting, SharedLog log,
                                                  std::shared_ptr<LogStore> parent, uint32_t before);
  ChildRun(Setting setting, SharedLog log, Writer spool, FileDescriptor pidFd,
           std::shared_ptr<LogStore> store);
  ~ChildRun();
  ChildRun(const ChildRun&) = delete;
  ChildRun& operator=(const ChildRun&) = delete;

  void start(); // once its descriptor has been handed out
  bool isDone() const { return done_.load(std::memory_order_acquire); }
  void signal(int number) const;
  void endByTimeLimit(); // asks it to close its log; a second time kills it

  // Once it is done.
  const Setting& setting() const { return setting_; }
  const End& end() const { return end_; }
  bool becameAnotherProgram() const { return execed_; }
  uint32_t forks() const { return forks_; }
  // Writes its recording. False: what its parent logged was not stored.
  Result<bool> write(const std::vector<PackedChunk>& objects, uint64_t& fileSize);
  std::shared_ptr<LogStore> store() const { return store_; }

private:
  void drain();
  bool isOver();
  bool hasReplacedItself() const;
  void takeEnd();

  Setting setting_;
  SharedLog log_;
  Writer spool_; // never committed
  FileDescriptor pidFd_;
  std::shared_ptr<LogStore> store_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  End end_;
  bool execed_ = false;
  uint32_t forks_ = 0;
  std::atomic<int> timeLimits_ = 0;
  std::atomic<bool> done_ = false;
  std::thread drainer_;
};

} // namespace faultline::recording
