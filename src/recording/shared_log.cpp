#include "recording/shared_log.h"

#include "abi/experiment.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faultline::recording {
namespace {

constexpr uint64_t kLogOffset = FL_LOG_ADDRESS - FL_EPOCH_ADDRESS;

// The program's state is the program's: it may hold anything, and changes while we look.
uint32_t look(const uint32_t& word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

} // namespace

Result<SharedLog> SharedLog::create(const Setting& setting) {
  int fd = memfd_create("faultline", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, FL_SHARED_SIZE) != 0) {
    Error error = errorf("cannot make memory to share with the program: {}", std::strerror(errno));
    if (fd >= 0) close(fd);
    return error;
  }
  void* base = mmap(nullptr, FL_SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) {
    close(fd);
    return errorf("cannot map memory to share with the program: {}", std::strerror(errno));
  }
  SharedLog log(fd, static_cast<uint8_t*>(base));
  fl_state& state = log.shared();
  state.version = FL_ABI_VERSION;
  state.control = setting.control;
  state.token = setting.token;
  state.stream = setting.stream;
  state.flags = setting.flags;
  state.world_pid = setting.worldPid;
  state.world_clock = setting.worldClock;
  state.experiment = setting.experiment;
  state.last_epoch = setting.lastEpoch;
  return log;
}

SharedLog::SharedLog(SharedLog&& other) noexcept : fd_(other.fd_), base_(other.base_) {
  other.fd_ = -1;
  other.base_ = nullptr;
}

SharedLog::~SharedLog() {
  if (base_) munmap(base_, FL_SHARED_SIZE);
  if (fd_ >= 0) close(fd_);
}

fl_state& SharedLog::shared() const {
  return *reinterpret_cast<fl_state*>(base_ + (FL_STATE_ADDRESS - FL_EPOCH_ADDRESS));
}
const fl_state& SharedLog::state() const { return shared(); }
const uint64_t* SharedLog::epochCounter() const { return reinterpret_cast<const uint64_t*>(base_); }
uint64_t SharedLog::epoch() const { return *epochCounter() + state().epoch_bias; }

const uint8_t* SharedLog::buffer(uint32_t number) const {
  return base_ + kLogOffset + (number % FL_LOG_BUFFERS) * FL_LOG_BUFFER_SIZE;
}

bool SharedLog::waitForBuffer(const std::function<bool()>& isOver) {
  for (;;) {
    // In this order: what was produced before the end was noticed is seen.
    bool ended = ended_.load(std::memory_order_acquire) || isOver();
    uint32_t produced = look(shared().produced);
    uint32_t waiting = produced - look(shared().consumed);
    if (waiting > FL_LOG_BUFFERS) {
      damage_ = "the program overwrote the recorder's memory";
      if (ended) return false;
    } else if (waiting > 0) {
      return true;
    } else if (ended) {
      return false;
    }
    // The timeout covers an end that comes just before the wait.
    timespec tick{0, 50'000'000};
    syscall(SYS_futex, &shared().produced, FUTEX_WAIT, produced, &tick, nullptr, 0);
  }
}

std::string_view SharedLog::fullBuffer() const {
  return {reinterpret_cast<const char*>(buffer(look(shared().consumed))), FL_LOG_BUFFER_SIZE};
}

uint8_t* SharedLog::inside() const { return base_ + (FL_INSIDE_ADDRESS - FL_EPOCH_ADDRESS); }

std::string_view SharedLog::bufferAt(uint32_t number) const {
  return {reinterpret_cast<const char*>(buffer(number)), FL_LOG_BUFFER_SIZE};
}

void SharedLog::release() {
  __atomic_add_fetch(&shared().consumed, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &shared().consumed, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

std::string_view SharedLog::lastBuffer() {
  if (!damage_.empty()) return {};
  const fl_state& state = shared();
  if (state.log_position == nullptr) return {}; // it never began
  uint32_t number = state.produced % FL_LOG_BUFFERS;
  uint64_t start = FL_LOG_ADDRESS + number * FL_LOG_BUFFER_SIZE;
  uint64_t position = reinterpret_cast<uint64_t>(state.log_position);
  // Killed between passing a buffer on and beginning the next: the position is still in the one before.
  uint64_t before = FL_LOG_ADDRESS + ((state.produced - 1) % FL_LOG_BUFFERS) * FL_LOG_BUFFER_SIZE;
  if (position >= start && position <= start + FL_LOG_BUFFER_SIZE)
    return {reinterpret_cast<const char*>(buffer(number)), position - start};
  if (position < before || position > before + FL_LOG_BUFFER_SIZE)
    damage_ = "the program overwrote the recorder's memory";
  return {};
}

void SharedLog::programEnded() {
  ended_.store(true, std::memory_order_release);
  syscall(SYS_futex, &shared().produced, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

} // namespace faultline::recording
