// The memory shared with the recorded program (abi/state.h), seen from the recorder: hands out log buffers as
// the program fills them, and, once it is dead, what it had not handed over.
#pragma once

#include "abi/state.h"
#include "base/result.h"

#include <atomic>
#include <functional>
#include <string_view>

namespace faultline::recording {

class SharedLog {
public:
  // What the recorder says in fl_state.
  struct Setting {
    uint64_t control = 0, token = 0;
    uint32_t stream = 0;
    uint32_t flags = 0;
    // A given world, and a descriptor for experiments (abi/state.h); 0: none.
    uint32_t worldPid = 0;
    uint64_t worldClock = 0;
    int experiment = 0;
    uint64_t lastEpoch = 0;
  };
  static Result<SharedLog> create(const Setting& setting);
  SharedLog(SharedLog&& other) noexcept;
  SharedLog& operator=(SharedLog&&) = delete;
  ~SharedLog();

  int fd() const { return fd_; }

  // Calls `take` with each full buffer, in order, until programEnded() or `isOver`, which is asked now and
  // then; then with the rest. `take` may be slow: the program waits only when all buffers are full.
  template <class Take> void drain(Take take, const std::function<bool()>& isOver = [] { return false; }) {
    while (waitForBuffer(isOver)) {
      take(fullBuffer());
      release();
    }
    if (std::string_view rest = lastBuffer(); !rest.empty()) take(rest);
  }
  // For an experiment in a process of its own (abi/experiment.h).
  uint8_t* inside() const;
  // The n-th buffer, as long as it is not in use for a later one.
  std::string_view bufferAt(uint32_t number) const;
  // From another thread: nobody writes any more.
  void programEnded();

  // What the program left; meaningful after its end.
  uint64_t epoch() const;
  const uint64_t* epochCounter() const; // to look at it while the program runs
  const fl_state& state() const;
  // Why `state` cannot be believed; empty if it can.
  const std::string& damage() const { return damage_; }

private:
  SharedLog(int fd, uint8_t* base) : fd_(fd), base_(base) {}
  fl_state& shared() const;
  bool waitForBuffer(const std::function<bool()>& isOver);
  std::string_view fullBuffer() const;
  void release();
  std::string_view lastBuffer();
  const uint8_t* buffer(uint32_t number) const;

  int fd_;
  uint8_t* base_;
  std::atomic<bool> ended_ = false;
  std::string damage_;
};

} // namespace faultline::recording
