#include "runtime/log.h"

#include "runtime/experiment.h"

#include "runtime/raw.h"

namespace fl {

static uint8_t* bufferAt(uint32_t number) {
  return reinterpret_cast<uint8_t*>(FL_LOG_ADDRESS + (number % FL_LOG_BUFFERS) * FL_LOG_BUFFER_SIZE);
}

static int recorder;    // the process that listens
static bool isItsChild; // and has started this one

// Of a log that nobody reads a small part is written over and over: each page of it would have to be made
// first.
static uint64_t bufferSize() {
  constexpr uint64_t kUnread = 32 << 10;
  return FL_STATE.flags & FL_FLAG_DROP ? kUnread : FL_LOG_BUFFER_SIZE;
}

static void beginLog() {
  FL_STATE.log_epoch = 0;
  FL_STATE.log_position = bufferAt(FL_STATE.produced);
  FL_STATE.log_limit = FL_STATE.log_position + bufferSize();
}

void startLog() {
  if (!(FL_STATE.flags & FL_FLAG_DROP)) recorder = int(raw(SYS_getppid));
  isItsChild = true;
  beginLog();
}

void startChildLog() {
  isItsChild = false;
  beginLog();
}

// The recorder may have been killed. Then nobody will ever make room, and the program must go on.
static bool recorderLives() {
  return isItsChild ? int(raw(SYS_getppid)) == recorder : raw(SYS_kill, recorder, 0) != -ESRCH;
}

static void waitForRoom() {
  for (;;) {
    uint32_t consumed = __atomic_load_n(&FL_STATE.consumed, __ATOMIC_ACQUIRE);
    if (FL_STATE.produced - consumed < FL_LOG_BUFFERS) return;
    timespec second = {1, 0};
    futexWait(&FL_STATE.consumed, consumed, &second);
    if (!recorderLives()) {
      FL_STATE.flags |= FL_FLAG_OFF;
      return;
    }
  }
}

void flushLog() {
  if (FL_STATE.log_position != bufferAt(FL_STATE.produced)) nextBuffer();
}

FL_COLD void nextBuffer() {
  if (serving && FL_SERVER.running) {
    FL_STATE.log_position = FL_SERVER.logScratch;
    FL_STATE.log_epoch = 0;
    return;
  }
  // Where nobody reads it, the same buffer is filled again and again.
  if (!(FL_STATE.flags & (FL_FLAG_OFF | FL_FLAG_DROP))) {
    // Buffers are used again and again: what is left over from the last time must not look like records.
    memset(FL_STATE.log_position, FL_LOG_PAD, size_t(FL_STATE.log_limit - FL_STATE.log_position));
    // First the buffer that is filled next, then its number: the recorder of a killed program takes the
    // position for that of the buffer `produced` only if it lies in it.
    __atomic_store_n(&FL_STATE.produced, FL_STATE.produced + 1, __ATOMIC_RELEASE);
    futexWake(&FL_STATE.produced, 1);
    waitForRoom();
  }
  uint8_t* buffer = bufferAt(FL_STATE.produced);
  FL_STATE.log_epoch = 0;
  FL_STATE.log_limit = buffer + bufferSize();
  barrier();
  FL_STATE.log_position = buffer;
}

void logFault(uint8_t signal, uint32_t code, uint64_t address, bool write, uint64_t pc, uint8_t where) {
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_FAULT);
  at = put(at, signal);
  at = put(at, code);
  at = put(at, address);
  at = put(at, uint8_t(write));
  at = put(at, pc);
  close(putUleb(put(at, where), FL_STATE.ext));
}

void logSignal(uint8_t signal, uint8_t where) {
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_SIGNAL);
  close(putUleb(put(put(at, signal), where), FL_STATE.ext));
}

void logThread(uint32_t thread, uint64_t frameTop) {
  uint8_t* at = open(kSmallRecord);
  *at++ = FL_LOG_THREAD;
  close(put(putUleb(at, thread), frameTop));
}

void logSwitch(uint32_t thread, uint64_t site) {
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_SWITCH);
  close(putUleb(putUleb(at, thread), site));
}

void logFork(uint32_t pid) {
  uint8_t* at = open(kSmallRecord);
  *at++ = FL_LOG_FORK;
  close(put(at, pid));
}

void logExit(uint32_t status) {
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_EXIT);
  close(putUleb(put(at, status), FL_STATE.ext));
}

void logExec() { close(putUleb(putTagAt(open(kSmallRecord), FL_LOG_EXEC), FL_STATE.ext)); }

} // namespace fl
