// How the recorder tells a program that its time is over: a signal that the runtime keeps for itself, upon
// which it closes its log where it stands (runtime/runtime.h has the same numbers).
#pragma once

#include <csignal>
#include <cstdint>
#include <sys/types.h>

namespace faultline::recording {

inline constexpr int kHangSignal = 64;
inline constexpr uintptr_t kHangValue = 0xfa171e;

inline void sendTimeLimit(pid_t pid) {
  sigqueue(pid, kHangSignal, sigval{.sival_ptr = reinterpret_cast<void*>(kHangValue)});
}

} // namespace faultline::recording
