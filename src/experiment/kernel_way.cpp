#include "experiment/kernel_way.h"

#include "recording/input.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

using recording::FileDescriptor;

// Not in the headers of every system that this is built on.
constexpr int kSetDispatch = 59, kOff = 0, kOn = 1; // PR_SET_SYSCALL_USER_DISPATCH
constexpr uint64_t kWriteProtectAsync = 1 << 15;    // UFFD_FEATURE_WP_ASYNC

// For a moment, with a selector that lets all calls pass.
bool canCatchCalls() {
  static char selector = 0;
  if (prctl(kSetDispatch, kOn, 0ul, 0ul, &selector) != 0) return false;
  prctl(kSetDispatch, kOff, 0ul, 0ul, 0ul);
  return true;
}

// Empty: nothing.
std::string whatMarksLack() {
  FileDescriptor fault(int(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)));
  if (fault.get() < 0) return fmt::format("userfaultfd is refused: {}", std::strerror(errno));
  uffdio_api api = {UFFD_API, kWriteProtectAsync, 0};
  if (ioctl(fault.get(), UFFDIO_API, &api) != 0)
    return "the kernel cannot list the pages that were written, Linux 6.7 and later can";
  FileDescriptor map(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (map.get() < 0) return fmt::format("/proc/self/pagemap cannot be opened: {}", std::strerror(errno));
  return "";
}

} // namespace

KernelWay kernelWay() {
  if (!canCatchCalls())
    return {KernelWay::None, fmt::format("system calls cannot be caught ({}), Linux 5.11 and later can",
                                         std::strerror(errno))};
  std::string lacks = whatMarksLack();
  if (!lacks.empty()) return {KernelWay::Forks, std::move(lacks)};
  return {KernelWay::GoesBack};
}

} // namespace faultline::experiment
