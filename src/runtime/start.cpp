// Before anything of the program runs: map the shared memory and the shadow, take our variables out of the
// environment, put the handlers in place.
#include "abi/parked.h"
#include "runtime/experiment.h"
#include "runtime/log.h"
#include "runtime/raw.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

extern char** environ;

namespace fl {

__thread Thread* self;
Thread mainThread;

static bool begun, isStarted;
bool started() { return isStarted; }
static const char* program;
static uint64_t seed;

const char* originalProgram() { return program; }
uint64_t scheduleSeed() { return seed; }

static void say(const char* text) { raw(SYS_write, 2, long(text), long(strlen(text))); }

[[noreturn]] void fail(const char* what, const char* advice) {
  say("faultline: ");
  say(what);
  say("; ");
  say(advice);
  say("\n");
  for (;;) raw(SYS_exit_group, 125);
}

// Takes NAME=value out of the environment, in place, so that neither the program nor what it starts sees it.
static const char* takeVariable(const char* name) {
  size_t length = strlen(name);
  for (char** at = environ; at && *at; ++at) {
    if (strncmp(*at, name, length) != 0 || (*at)[length] != '=') continue;
    const char* value = *at + length + 1;
    for (char** hole = at; (*hole = hole[1]) != nullptr; ++hole) {
    }
    return value;
  }
  return nullptr;
}

static void* mapAt(uintptr_t address, size_t size, int flags, int fd) {
  // Not by mmap: ours keeps the program off the addresses that we need here.
  long at =
      raw(SYS_mmap, long(address), long(size), PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, fd, 0);
  return at == long(address) ? reinterpret_cast<void*>(address) : nullptr;
}

static int scoutSocket = -1; // of a scout

static void mapShared() {
  const char* number = takeVariable("FAULTLINE_RECORD");
  if (!number) {
    // Started by hand: run as usual, and drop what would be recorded.
    if (!mapAt(FL_EPOCH_ADDRESS, FL_SHARED_SIZE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1))
      fail("cannot map memory for this record variant", "run the program itself, not its variant");
    FL_STATE.flags = FL_FLAG_OFF;
    FL_STATE.version = FL_ABI_VERSION;
    return;
  }
  int fd = atoi(number);
  if (*number == FL_PARKED_MARK) {
    if (waitToBeCopied(atoi(number + 1)) == Copied::AsScout) scoutSocket = takeScoutSocket();
    fd = FL_PARKED_DESCRIPTORS - 1;
  }
  // A scout writes to a copy of its own.
  if (!mapAt(FL_EPOCH_ADDRESS, FL_SHARED_SIZE, scoutSocket < 0 ? MAP_SHARED : MAP_PRIVATE, fd))
    fail("cannot map the memory shared with the recorder",
         "its address is taken, or `ulimit -v` is too small");
  ::close(fd);
  if (FL_STATE.version != FL_ABI_VERSION)
    fail("the recorder and this variant are of different versions",
         "remove the variant so that it is made again");
}

static void mapShadow() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    fail("recording needs address space for its shadow memory",
         "run it without a limit: `ulimit -v unlimited`");
  for (const Area& area : kAreas) {
    uintptr_t begin = uintptr_t(shadowOf(reinterpret_cast<void*>(area.begin))) & ~(kPage - 1);
    uintptr_t end =
        (begin + (area.end - area.begin) + (FL_SHADOW_ADD & (kPage - 1)) + kPage - 1) & ~(kPage - 1);
    void* at = mapAt(begin, end - begin, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (!at)
      fail("cannot reserve address space for the shadow memory",
           "vm.overcommit_memory must not be 2, and nothing else may lie there");
    madvise(at, end - begin, MADV_DONTDUMP);
  }
}

uint64_t mapFrameStack(uint64_t wanted) {
  static uint64_t next = FL_FRAME_STACK_ADDRESS;
  uint64_t strides = wanted <= FL_FRAME_STACK_SIZE
                         ? 0
                         : (wanted - FL_FRAME_STACK_SIZE + FL_FRAME_STACK_STRIDE - 1) / FL_FRAME_STACK_STRIDE;
  uint64_t size = FL_FRAME_STACK_SIZE + strides * FL_FRAME_STACK_STRIDE, top = next;
  if (size > top - kAreas[2].begin) return 0;
  // Something must lie above the first frame as it does on the machine's stack, or an overflow of a local
  // array of main would end in a fault that the program itself does not have.
  constexpr size_t kAbove = 64 << 10;
  uintptr_t bottom = top - size;
  if (!mapAt(bottom, size + kAbove, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1) ||
      protect(bottom, kPage, PROT_NONE) != 0)
    return 0;
  next -= (strides + 1) * FL_FRAME_STACK_STRIDE;
  return top;
}

// As large as the machine's own, which the recorder has bounded.
static uint64_t mainStackSize() {
  rlimit limit;
  return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur <= (1ul << 30) ? limit.rlim_cur : 0;
}

static void startMainThread() {
  uint64_t frameTop = mapFrameStack(mainStackSize());
  if (frameTop == 0) fail("cannot map the first frame stack", "its address is taken");
  frameTop -= frameShift();
  fillBelow(frameTop);
  self = &mainThread;
  mainThread.holding = true;
  mainThread.id = threadId();
  mainThread.programStack.ss_flags = SS_DISABLE;
  FL_STATE.ext = FL_EXT_ROOT;
  FL_STATE.thread = 0;
  FL_STATE.frame_top = frameTop;
  startLog();
  enterBusy(self);
  logThread(0, FL_STATE.frame_top);
  leaveBusy(self);
}

// What the program starts gets its address space layout randomised again, as without us.
static void forgetLayout() {
  int now = personality(0xffffffff);
  if (now != -1 && (now & ADDR_NO_RANDOMIZE)) personality(now & ~ADDR_NO_RANDOMIZE);
}

void ensureStarted() {
  if (begun) return;
  begun = true;
  KeepErrno keep;
  mapShared();
  startControl();
  if (const char* text = takeVariable("FAULTLINE_SEED")) seed = strtoull(text, nullptr, 10);
  program = takeVariable("FAULTLINE_EXE");
  mapShadow();
  startLayout(takeVariable("FAULTLINE_LAYOUT"));
  startMainThread();
  forgetLayout();
  useSignalStack(self);
  startSignals();
  startExits();
  startForks();
  isStarted = true;
  startServer();
  if (scoutSocket >= 0) startScout(scoutSocket);
}

__attribute__((constructor(101))) static void start() { ensureStarted(); }

} // namespace fl
