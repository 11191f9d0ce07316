// Writing records. A record is written behind log_position, which then moves: a process that dies in between
// has not written it. `open` makes room once for the whole record, so that fields need no check.
//
//   uint8_t* at = open(kSmallRecord);
//   at = putTagAt(at, FL_LOG_SMASHED);
//   at = putUleb(at, id);
//   close(at);
#pragma once

#include "runtime/runtime.h"

#include <string.h>

namespace fl {

inline constexpr size_t kSmallRecord = 64;          // room for any record of fixed size
inline constexpr size_t kPiece = 32 << 10;          // longer contents are split, or not allowed
inline constexpr size_t kLargeRecord = kPiece + 64; // room for one with kPiece bytes of content

// Passes the current buffer to the recorder and begins the next; waits while all are full.
FL_COLD __attribute__((noinline)) void nextBuffer();

inline uint8_t* open(size_t room) {
  if (__builtin_expect(size_t(FL_STATE.log_limit - FL_STATE.log_position) < room, 0)) nextBuffer();
  return FL_STATE.log_position;
}

inline void close(uint8_t* at) {
  FL_STATE.records++;
  barrier(); // the record's bytes are there before it counts
  FL_STATE.log_position = at;
}

inline uint8_t* putUleb(uint8_t* at, uint64_t value) {
  while (__builtin_expect(value >= 0x80, 0)) {
    *at++ = uint8_t(value) | 0x80;
    value >>= 7;
  }
  *at++ = uint8_t(value);
  return at;
}

template <class T> inline uint8_t* put(uint8_t* at, T value) {
  memcpy(at, &value, sizeof value);
  return at + sizeof value;
}

inline uint8_t* putTagAt(uint8_t* at, uint8_t tag) {
  uint64_t epoch = currentEpoch();
  *at++ = tag;
  at = putUleb(at, epoch - FL_STATE.log_epoch);
  FL_STATE.log_epoch = epoch;
  return at;
}

inline uint32_t globalId(uint32_t id, const fl_module* module) { return module->base + id; }

void startLog();      // in the process that the recorder started
void startChildLog(); // in one that was forked, with a log of its own
void flushLog();      // what was logged so far is passed to the recorder

// log.cpp: records that more than one file writes.
void logFault(uint8_t signal, uint32_t code, uint64_t address, bool write, uint64_t pc, uint8_t where);
void logSignal(uint8_t signal, uint8_t where);
void logThread(uint32_t thread, uint64_t frameTop);
void logSwitch(uint32_t thread, uint64_t site);
void logFork(uint32_t pid);
void logExit(uint32_t status);
void logExec();

} // namespace fl
