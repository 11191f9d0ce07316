// System calls of a program that serves experiments: what the files that answer them share (syscalls.cpp has
// the whole picture). An answer is what the kernel would have returned.
#pragma once

#include "runtime/dispatch.h"
#include "runtime/experiment.h"

namespace fl {

inline bool running() { return FL_SERVER.running; }

[[noreturn]] inline void strange(const Call& c) { endRun(FL_CUT_STRANGE, 0, uint32_t(c.number)); }

inline long refuse(long error) {
  ++FL_SERVER.blocked;
  return -error;
}

inline void note(const Undo& undo, const Call& c) {
  if (!running()) return;
  if (FL_SERVER.undoCount == kMostUndos) strange(c);
  FL_SERVER.undo[FL_SERVER.undoCount++] = undo;
}

inline uint8_t* streamOf(long fd) {
  static uint8_t none = kReal;
  none = kReal;
  return fd >= 0 && fd < kMostDescriptors ? &FL_SERVER.streams[fd] : &none;
}

inline bool isOurs(long fd) {
  return fd == FL_SERVER.userfault || fd == FL_SERVER.pagemap || (fd != 0 && fd == FL_SERVER.file);
}

// syscall_kinds.cpp
bool onlyAsks(long number);
bool reachesOut(long number);

// syscall_streams.cpp
bool copyOut(long to, const void* from, size_t size); // as the kernel's: an error, not a signal, if it faults
bool isReadable(long from, size_t size);
void notePosition(long fd, const Call& c); // to bring it back
long doRead(const Call& c);
long doWrite(const Call& c);
long doSeek(const Call& c);
long doStat(const Call& c);

// syscall_descriptors.cpp
bool isText(long place, const char* text); // whether it is what the program has there
long doClose(const Call& c);
long doDup(const Call& c);
long doFcntl(const Call& c);
long doOpen(const Call& c);
long doIoctl(const Call& c);

// syscall_memory.cpp
long doMap(const Call& c);
long doUnmap(const Call& c);
long doRemap(const Call& c);
long doBreak(const Call& c);
long doAdvise(const Call& c);
long doProtect(const Call& c);

// syscall_signals.cpp
long doAction(const Call& c);
long doMask(const Call& c);
long doKill(const Call& c);
long doPoll(const Call& c);
long doFutex(const Call& c);

} // namespace fl
