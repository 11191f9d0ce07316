// System calls without libc: they set no errno, take no lock and cannot be interposed, so they work in a
// signal handler of a program whose heap is in ruins.
#pragma once

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace fl {

inline long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// Not the private kind: the recorder waits on the same words.
inline long futexWait(const uint32_t* word, uint32_t value, const timespec* timeout = nullptr) {
  return raw(SYS_futex, long(word), FUTEX_WAIT, value, long(timeout));
}
inline void futexWake(const uint32_t* word, int count) { raw(SYS_futex, long(word), FUTEX_WAKE, count); }

inline int protect(uintptr_t address, size_t size, int protection) {
  return int(raw(SYS_mprotect, long(address), long(size), protection));
}

inline int processId() { return int(raw(SYS_getpid)); }
inline int threadId() { return int(raw(SYS_gettid)); }

using KernelMask = uint64_t;
constexpr KernelMask maskOf(int signal) { return 1ull << (signal - 1); }
inline KernelMask changeMask(int how, KernelMask set) {
  KernelMask old = 0;
  raw(SYS_rt_sigprocmask, how, long(&set), long(&old), 8);
  return old;
}

// Default disposition, past libc and past our own table.
inline void resetSignal(int signal) {
  struct {
    void* handler;
    unsigned long flags;
    void* restorer;
    KernelMask mask;
  } action = {};
  raw(SYS_rt_sigaction, signal, long(&action), 0, 8);
}

} // namespace fl
