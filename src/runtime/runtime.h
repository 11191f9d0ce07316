// What the files of the runtime share. The rules that keep it sound:
//
// - One thread at a time, the one with the turn, runs instrumented code and touches state and log.
// - Whoever writes the log does so with state.ext == 0 (the hooks) or with thread->busy set (the
//   interposers). A signal that arrives then is put off, so the log is never entered twice.
// - The program must not see us: errno, signal dispositions, environment and descriptors are as without us.
#pragma once

#include "abi/log.h"
#include "abi/state.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#define FL_EXPORT extern "C" __attribute__((visibility("default")))
#define FL_COLD __attribute__((preserve_most))
#define FL_STATE (*reinterpret_cast<fl_state*>(FL_STATE_ADDRESS))
#define FL_EPOCH (*reinterpret_cast<volatile uint64_t*>(FL_EPOCH_ADDRESS))

namespace fl {

inline uint64_t currentEpoch() { return FL_EPOCH + FL_STATE.epoch_bias; }

inline constexpr size_t kPage = 4096;
inline constexpr int kSignals = 65; // 1..64

// Sent by the recorder when its time limit is over, with kHangValue; hidden from the program.
inline constexpr int kHangSignal = 64;
inline constexpr uintptr_t kHangValue = 0xfa171e;

struct Thread {
  uint32_t number;
  bool holding; // has the turn
  bool fresh;   // has not run yet: THREAD is due
  bool robbed;  // of its turn, while it slept outside
  int id;       // the kernel's
  volatile int busy;
  // State that is swapped in with the turn.
  uint64_t ext;
  uint64_t frameTop;
  // Waiting for the turn.
  uint32_t turn; // futex
  Thread* next;
  // Under a seed: what it waits for, in the queue (ordered.h).
  bool (*volatile ready)(const Thread*);
  const volatile void* volatile awaited;
  uint64_t value, until, order;
  volatile bool woken, cancelled, ended;
  bool restarts;        // what the last handler interrupted is to go on (SA_RESTART)
  unsigned long handle; // what pthread_create returned
  Thread* nextMade;
  // Signals put off.
  volatile uint64_t pending; // mask
  siginfo_t infos[kSignals];
  // What the program believes.
  stack_t programStack;
  uint64_t blockedByProgram;  // of those that we never block really
  uint64_t blockedByHandlers; // ... of these, those that are blocked only while a handler runs
  uint64_t held;              // sent while they were so blocked; `infos` tells
  void* signalStack;
  // How it began and ends.
  void* (*start)(void*);
  int (*startC11)(void*); // one of the two
  void* argument;
  int destructorRounds;
};

extern __thread Thread* self;
extern Thread mainThread;

inline void barrier() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

struct KeepErrno {
  int saved = errno;
  ~KeepErrno() { errno = saved; }
};

inline uint8_t* shadowOf(const void* address) {
  return reinterpret_cast<uint8_t*>((uintptr_t(address) ^ FL_SHADOW_XOR) + FL_SHADOW_ADD);
}

// The three parts of the address space that have a shadow.
struct Area {
  uintptr_t begin, end;
};
inline constexpr Area kAreas[] = {
    {0, 1ul << 40}, {0x550000000000ul, 0x570000000000ul}, {0x700000000000ul, 0x800000000000ul}};
inline bool hasShadow(uintptr_t address, size_t size) {
  for (const Area& area : kAreas)
    if (address >= area.begin && address < area.end) return size <= area.end - address;
  return false;
}

// start.cpp
void ensureStarted();
bool started();
[[noreturn]] void fail(const char* what, const char* advice);
uint64_t mapFrameStack(uint64_t wanted); // room for a stack of so many bytes; returns its top, 0: none
const char* originalProgram();           // null: not known
uint64_t scheduleSeed();

// layout.cpp
void startLayout(const char* text); // another place for what the program stores; null: as always
uint64_t frameShift();              // bytes that the first frame lies lower
void fillBelow(uint64_t frameTop);

// signals.cpp
void startSignals();
void useSignalStack(Thread* thread);
void dropSignalStack(Thread* thread);
void enterBusy(Thread* thread);
void leaveBusy(Thread* thread); // hands over what was put off meanwhile
void deliverPending(Thread* thread);
void deliverHeld(Thread* thread);      // after the program has unblocked something
void handlersWereLeft(Thread* thread); // by a jump that brings an older mask back
void stopAtEpochPoint();               // the running thread comes to atEpochPoint() at its next one
void endAtEpochPoint();                // there the run ends as by the recorder's time limit

// exit.cpp
void startExits();
void finish(int waitStatus); // FINAL, and the log is closed

// fork.cpp
void startForks();
void goPrivate();                                                         // from here on nobody listens
void moveState(int flags, int fd, const fl_state& state, uint64_t epoch); // to other memory

// control.cpp
int askForChildLog(uint32_t stream, uint32_t buffers, uint32_t number); // a descriptor; -1: refused
bool askForVariant(const char* path, char* variant); // room for FL_CONTROL_PATH + 1; false: there is none
void startControl();

// parked.cpp
enum class Copied { AsRun, AsScout };
Copied waitToBeCopied(int socket); // comes back in each copy (abi/parked.h)
int takeScoutSocket();             // of a scout: out of the way, and its standard error is as it should be

// scout.cpp
extern bool scouting;
void startScout(int socket);
void parkHere(); // comes back in each copy
// Before what each run must find for itself (the time, its number), and what can be seen of it from outside.
inline void eachForItself() {
  if (__builtin_expect(scouting, 0)) parkHere();
}

// turn.cpp
void giveTurn(Thread* thread);
bool takeTurn(Thread* thread, int timeoutSeconds = 0);
void enlist(Thread* thread); // a thread about to be made
void unlist(Thread* thread); // it was not
void awaitFirstTurn(Thread* thread);
void endOfTurn(Thread* thread); // at an epoch point: lets the next thread run if it is its time
void yieldTurn(Thread* thread); // lets a waiting thread go first
bool mayYieldHere();            // under a seed: now and then, where threads meet, another one goes first
void resetTurns(Thread* survivor);
// The turn may be taken from a thread that sleeps outside (turn.cpp). So one that comes from outside asks
// whether it still has it by holds(), which gets it back if it was robbed.
bool recover(Thread* thread);
inline bool holds(Thread* thread) {
  if (__builtin_expect(FL_STATE.robbed == 0, 1) || thread->busy) return thread->holding;
  return recover(thread);
}
void awaitRobber(); // what is going on, if anything, is over
void markRobbed(Thread* thread);
void startTicker();
void turnIsOver();                      // under a seed: the turn has had its epochs
void startOrder();                      // under a seed: the first turn among threads begins
bool isWaitingForTurn(uint32_t number); // and could go on
void passTurnTo(uint32_t number);       // at the next epoch point
// The program stops (fl_epoch_stop) where the epoch begins; 0: not for this. What is sooner counts.
enum StopFor { kForTurn, kForAlteration, kForEnd };
void stopAtEpoch(StopFor what, uint64_t epoch);

// threads.cpp
uint32_t newThreadNumber();

// contexts.cpp
extern uint64_t contextReturnsAgain; // ext of the getcontext that is about to return for a second time

// final.cpp
void logFinal();

inline bool threaded() { return FL_STATE.flags & FL_FLAG_THREADED; }
inline bool off() { return FL_STATE.flags & FL_FLAG_OFF; }

// Where the running thread is, for a record: enum fl_log_where.
inline uint8_t here() { return FL_STATE.ext == 0 ? FL_AT_EPOCH : FL_AT_OUTSIDE; }

} // namespace fl
