// The server of experiments (abi/experiment.h): what its files share.
//
// Its own data lie at FL_SERVER_ADDRESS and are not rolled back; everything else of the process is. So what
// must survive an experiment is in Server, and what must not is anywhere else.
#pragma once

#include "abi/experiment.h"
#include "runtime/runtime.h"
#include "runtime/statement.h"

namespace fl {

// Where they are; constant once the process has started.
extern uintptr_t experimentsAt;
#define FL_EXPERIMENTS (*reinterpret_cast<fl_experiments*>(fl::experimentsAt))

// A kernel-side change to take back.
struct Undo {
  enum Kind : uint32_t { Unmap, Protect, Close, GiveBack, Seek, Action };
  Kind kind;
  uint32_t number;    // descriptor, signal, protection
  uint64_t a, b;      // address and size; descriptor of the copy; offset
  uint64_t action[4]; // as the kernel has it
};

struct Context { // of a thread at a call: what a callee must keep
  uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip;
  uint32_t mxcsr;
  uint16_t fcw;
};

enum StreamKind : uint8_t { kReal, kInput, kOutput, kErrors };

inline constexpr int kMostDescriptors = 1024;
inline constexpr int kMostUndos = 4096;
inline constexpr size_t kServerStack = 256 << 10;

inline constexpr uint32_t kAlterationLists = 256;

struct Server {
  volatile uint8_t selector; // of syscall dispatch: 1 traps
  bool running;              // an experiment, not the walk
  bool hasSnapshot;          // of this very epoch
  bool forks;                // there are no snapshots: each experiment is a process forked off
  bool isForked;             // this is one
  bool isGivenUp;            // the experiment, as soon as a call that was caught has been made
  // Who asks whether it is to be altered (alter_hooks.cpp) is nearly always told so by these alone: the one
  // instruction that is altered in the experiment, kSeveral or kNobody; and the one that is counted.
  uint32_t altered, counted;
  // Of several alterations the first whose instruction has these last bits, counted from 1 on; then as
  // fl_alteration.after says.
  uint32_t firstOf[kAlterationLists];
  uint32_t next; // experiment to be made
  Context context;
  // What a snapshot has beside memory.
  fl_state state;
  uint64_t epoch;
  uint64_t mask;
  uint64_t inputAt, outputAt, errorsAt;   // also: where the run is now
  bool outputRight;                       // so far
  uint64_t outputPrefix;                  // bytes that were right before the first that was not
  uint64_t executions;                    // of what is counted (FL_COUNTS)
  Variables variables[FL_MOST_VARIABLES]; // of statements that are not there; when it begins nothing is known
  uint64_t activation;                    // of the function that asked last whether it is altered
  struct {
    uint64_t inputAt, outputAt, errorsAt;
    bool outputRight;
    uint64_t outputPrefix;
    uint64_t executions;
    uint8_t streams[kMostDescriptors];
    uint64_t brk;
    bool sawMaps;
    int64_t positions[kMostDescriptors / 2]; // of files, where there is forking; negative: it has none
  } kept;
  uint8_t streams[kMostDescriptors]; // StreamKind of each descriptor
  const char* input;
  uint64_t inputSize;
  uint64_t brk; // as the program sees it; the real one may be higher
  uint64_t brkReal;
  uint64_t heapStart, largeHeap; // large pages are asked for up to here
  uint64_t mapped;               // by the experiment
  uint64_t blocked;
  bool mapsChanged;
  bool sawMaps; // the run has read /proc/self/maps
  int userfault, pagemap;
  int file;          // what is opened instead of the file that the asker changes; 0: none
  char fileName[32]; // by this name
  uint32_t undoCount;
  Undo undo[kMostUndos];
  uint8_t stack[kServerStack] __attribute__((aligned(64)));
  uint8_t logScratch[1 << 20];
};

#define FL_SERVER (*reinterpret_cast<Server*>(FL_SERVER_ADDRESS))

// Whether this process makes experiments at all, and whether it goes back after each; set once, at start.
extern bool altering, serving;
inline bool experimenting() { return __builtin_expect(altering, 0) && FL_SERVER.running; }

inline constexpr uint32_t kNobody = ~0u, kSeveral = ~0u - 1; // of Server::altered

template <class T> T* placed(uint64_t offset) { return reinterpret_cast<T*>(experimentsAt + offset); }
inline fl_experiment& current() {
  return placed<fl_experiment>(FL_EXPERIMENTS.experiments)[FL_SERVER.next % FL_EXPERIMENTS.capacity];
}
inline fl_alteration* alterations() {
  return placed<fl_alteration>(FL_EXPERIMENTS.alterations) + current().first;
}
inline bool mayBeDue(const fl_alteration& a, uint64_t epoch) {
  return a.epoch == epoch || ((a.each || a.nth) && a.epoch < epoch);
}
// At an execution of its instruction, which is counted.
inline bool isDue(fl_alteration& a, uint64_t epoch) {
  return mayBeDue(a, epoch) && (a.nth == 0 || ++a.seen == a.nth);
}

// experiment.cpp
void startServer();
// The experiment is over, or the walk; does not return.
[[noreturn]] void endRun(uint32_t cut, int waitStatus, uint32_t call = 0);
// The asker says that it has waited long enough. Perhaps what it waited for has ended meanwhile.
void giveUp();
// What the run writes to standard output or error.
void takeOutput(StreamKind stream, const char* bytes, uint64_t size);

// snapshot.cpp
bool startSnapshots(); // false: the kernel lacks what it takes (errno)
void takeSnapshot();
void rollBack();
void rollBackShadow(uintptr_t begin, uintptr_t size); // of memory that is about to go
void useLargePages(uintptr_t begin, uintptr_t size);  // if it is much
// page_store.cpp
void forgetPages(uintptr_t begin, uintptr_t size); // unmapped in the walk: a new page there is zero

// syscalls.cpp
bool startSyscalls();
bool catchSyscalls(); // again: a process that is forked off does not
void undoSyscalls();

// forked.cpp
// Goes on in a process forked off, and comes back in the one that waited for it. Its wait status there; -1 in
// the new one; -2: it could not be made; -3: it was ended, as it went round without a step.
int forkOff();
// Where files stand, which what is forked off shares: one that was killed has not brought it back.
void keepPositions();
void bringBackPositions();

// landlock.cpp
uint32_t forbidByKernel(); // the version of Landlock that is in force; 0: the kernel has none

} // namespace fl
