// The turn: one thread at a time runs instrumented code. A thread keeps its turn until it blocks, ends, or
// has had it for a while and comes to an epoch point. It is handed directly to the thread that is next, in
// order of arrival, or as the seed says.
//
// A while is a time, or under a seed a number of epochs: then the schedule depends on the seed and on what
// the program does, not on how fast it is. The variant that experiments need stops at an epoch exactly, so a
// seed needs that one.
#include "runtime/log.h"
#include "runtime/ordered.h"
#include "runtime/raw.h"

#include <fcntl.h>
#include <sched.h>

namespace fl {

static uint32_t lock; // guards all below
static Thread* holder = &mainThread;
static Thread* firstWaiting;
static uint32_t waiting;
static uint32_t turns; // how often the turn was passed on
static volatile bool timeIsUp;
// Who wrote to the log last, and where it was when it gave the turn away.
static Thread* lastRunning = &mainThread;
static uint64_t lastSite;

namespace {
// Short and never held across a system call that waits; a plain spin lock will do.
struct Guard {
  Guard() {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) raw(SYS_sched_yield);
  }
  ~Guard() { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
};
} // namespace

// xorshift; a state of its own for each use, so that one does not disturb the other.
static uint64_t random(uint64_t& state) {
  if (state == 0) state = scheduleSeed() * 0x9e3779b97f4a7c15ull | 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static uint64_t choices, lengths;

static uint64_t clock; // the schedule's own, in nanoseconds
static constexpr uint64_t kTurnTime = 20'000;
uint64_t scheduleTime() { return clock; }

// Mostly short turns, some long ones.
static void measureTurn() {
  if (!inOrder()) return;
  uint64_t r = random(lengths);
  uint64_t length = 1 + (r >> 16) % (16ull << (r % 10));
  stopAtEpoch(kForTurn, currentEpoch() + length);
}

void startOrder() { measureTurn(); }

void turnIsOver() {
  if (!inOrder() || !threaded()) return;
  timeIsUp = true;
  stopAtEpochPoint();
}

static void enqueue(Thread* thread) {
  Thread** at = &firstWaiting;
  while (*at) at = &(*at)->next;
  thread->next = nullptr;
  *at = thread;
  ++waiting;
}

static void dequeue(Thread* thread) {
  for (Thread** at = &firstWaiting; *at; at = &(*at)->next)
    if (*at == thread) {
      *at = thread->next;
      --waiting;
      return;
    }
}

// How many of those that wait can go on; or the one with number `n` of them.
static uint64_t countReady() {
  uint64_t count = 0;
  for (Thread* t = firstWaiting; t; t = t->next) count += canGoOn(t);
  return count;
}
static Thread* readyNumber(uint64_t n) {
  for (Thread* t = firstWaiting; t; t = t->next)
    if (canGoOn(t) && n-- == 0) return t;
  return nullptr;
}

// Everyone waits: the first that wants to be woken at some time. 0: nobody does.
static uint64_t nextWaking() {
  uint64_t soonest = 0;
  for (Thread* t = firstWaiting; t; t = t->next)
    if (t->until && (soonest == 0 || t->until < soonest)) soonest = t->until;
  return soonest;
}

static Thread* chooseInOrder() {
  uint64_t count = countReady();
  if (count == 0) {
    uint64_t soonest = nextWaking();
    if (soonest == 0) return nullptr; // what they wait for comes from elsewhere: the ticker looks again
    if (soonest > clock) clock = soonest;
    count = countReady();
  }
  Thread* chosen = count ? readyNumber(random(choices) % count) : nullptr;
  if (!chosen) return nullptr;
  clock += kTurnTime;
  dequeue(chosen);
  return chosen;
}

// Of an altered run: who goes on next, whatever the seed says.
static constexpr uint32_t kNobody = ~0u;
static uint32_t wanted = kNobody;

static Thread* waitingThread(uint32_t number) {
  for (Thread* t = firstWaiting; t; t = t->next)
    if (t->number == number && canGoOn(t)) return t;
  return nullptr;
}

bool isWaitingForTurn(uint32_t number) {
  Guard guard;
  return waitingThread(number) != nullptr;
}

void passTurnTo(uint32_t number) {
  wanted = number;
  timeIsUp = true;
  stopAtEpochPoint();
}

static Thread* chooseNext() {
  if (waiting == 0) return nullptr;
  if (wanted != kNobody) {
    Thread* chosen = waitingThread(wanted);
    wanted = kNobody;
    if (chosen) return dequeue(chosen), chosen;
  }
  if (inOrder()) return chooseInOrder();
  Thread* chosen = firstWaiting;
  dequeue(chosen);
  return chosen;
}

bool mayYieldHere() { return scheduleSeed() != 0 && waiting > 0 && random(choices) % 16 == 0; }

static void saveState(Thread* thread) {
  thread->ext = FL_STATE.ext;
  thread->frameTop = FL_STATE.frame_top;
  lastRunning = thread;
  lastSite = thread->ext;
  thread->holding = false;
}

static void restoreState(Thread* thread) {
  if (thread->fresh) {
    thread->fresh = false;
    logThread(thread->number, thread->frameTop);
  }
  if (lastRunning != thread) logSwitch(thread->number, lastSite);
  lastRunning = thread;
  FL_STATE.thread = thread->number;
  FL_STATE.frame_top = thread->frameTop;
  FL_STATE.ext = thread->ext;
  thread->holding = true;
  measureTurn();
}

// `again`: the thread that had the turn, if it waits for it from now on; it comes last.
static void passOn(Thread* again) {
  Thread* next;
  {
    Guard guard;
    bool first = again && inOrder(); // it may well be chosen
    if (first) again->turn = 0, enqueue(again);
    next = chooseNext();
    if (again && !first) {
      again->turn = 0;
      enqueue(again);
      if (!next) next = chooseNext();
    }
    holder = next;
    ++turns;
    timeIsUp = false;
    if (next) __atomic_store_n(&next->turn, 1, __ATOMIC_RELEASE);
  }
  if (next && next != again) futexWake(&next->turn, 1);
}

// `thread->busy` is set in both, so that no signal's handler looks at a half-done exchange.
void giveTurn(Thread* thread) {
  enterBusy(thread);
  saveState(thread);
  passOn(nullptr);
  leaveBusy(thread);
}

static bool waitForTurn(Thread* thread, int timeoutSeconds) {
  timespec tick = {timeoutSeconds, 0};
  while (__atomic_load_n(&thread->turn, __ATOMIC_ACQUIRE) == 0) {
    long result = futexWait(&thread->turn, 0, timeoutSeconds ? &tick : nullptr);
    if (result != -ETIMEDOUT) continue;
    Guard guard;
    if (thread->turn != 0) break;
    dequeue(thread);
    return false;
  }
  return true;
}

bool takeTurn(Thread* thread, int timeoutSeconds) {
  enterBusy(thread);
  bool free;
  {
    Guard guard;
    if (thread->robbed) __atomic_sub_fetch(&FL_STATE.robbed, 1, __ATOMIC_SEQ_CST);
    thread->robbed = false;
    free = holder == nullptr;
    thread->turn = 0;
    if (free)
      holder = thread;
    else
      enqueue(thread);
  }
  bool taken = free || waitForTurn(thread, timeoutSeconds);
  if (taken) restoreState(thread);
  leaveBusy(thread);
  return taken;
}

// A new thread waits from the moment it is made, not from when the kernel first runs it: who comes next must
// not depend on that.
void enlist(Thread* thread) {
  Guard guard;
  thread->turn = 0;
  enqueue(thread);
}

void unlist(Thread* thread) {
  Guard guard;
  dequeue(thread);
}

void awaitFirstTurn(Thread* thread) {
  waitForTurn(thread, 0);
  restoreState(thread);
}

void yieldTurn(Thread* thread) {
  enterBusy(thread);
  saveState(thread);
  passOn(thread);
  waitForTurn(thread, 0);
  restoreState(thread);
  leaveBusy(thread);
}

void endOfTurn(Thread* thread) {
  if (!timeIsUp) return;
  if (waiting > 0)
    yieldTurn(thread);
  else if (inOrder())
    timeIsUp = false, measureTurn();
}

void resetTurns(Thread* survivor) {
  FL_STATE.robbed = 0;
  survivor->robbed = false;
  survivor->id = threadId();
  lock = 0;
  holder = lastRunning = survivor;
  firstWaiting = nullptr;
  waiting = 0;
  timeIsUp = false;
  survivor->holding = true;
}

// The ticker takes the turn from a thread that has had it for a whole tick while another waits; without it a
// thread that spins on a variable would spin forever. It is a bare thread with no signals: libc does not know
// it, and it calls nothing but the kernel.
static uint64_t tickNanoseconds() { return inOrder() ? 1'000'000 : 10'000'000; }

// Whether the thread waits in the kernel for something to happen.
static bool sleeps(int thread) {
  char path[48] = "/proc/self/task/", digits[12], text[256];
  size_t length = strlen(path), count = 0;
  for (int rest = thread; rest > 0; rest /= 10) digits[count++] = char('0' + rest % 10);
  while (count > 0) path[length++] = digits[--count];
  memcpy(path + length, "/stat", 6);
  int fd = int(raw(SYS_open, long(path), O_RDONLY | O_CLOEXEC));
  if (fd < 0) return false;
  long got = raw(SYS_read, fd, long(text), sizeof text);
  raw(SYS_close, fd);
  // "id (name) S ...", and the name may hold anything.
  for (long i = got - 3; i > 0; --i)
    if (text[i] == ')') return text[i + 2] == 'S';
  return false;
}

// The one that has the turn sleeps in an outside call, in which perhaps it waits for one of those that wait
// for the turn. So it loses it, as if it had given it away before the call. It does not notice until it comes
// back; that it then looks (fl_state.robbed) before it touches anything is certain, for it is seen asleep
// after the word was set;
// and it waits for the lock that is held here.
static void robHolder() {
  Thread* next;
  {
    Guard guard;
    Thread* thread = holder;
    if (!thread || thread->busy || thread->fresh || FL_STATE.ext == 0 || waiting == 0) return;
    __atomic_add_fetch(&FL_STATE.robbed, 1, __ATOMIC_SEQ_CST);
    if (!sleeps(thread->id) || thread->busy || FL_STATE.ext == 0) {
      __atomic_sub_fetch(&FL_STATE.robbed, 1, __ATOMIC_SEQ_CST);
      return;
    }
    next = chooseNext();
    if (!next) {
      __atomic_sub_fetch(&FL_STATE.robbed, 1, __ATOMIC_SEQ_CST);
      return;
    }
    thread->robbed = true;
    saveState(thread);
    holder = next;
    ++turns;
    timeIsUp = false;
    __atomic_store_n(&next->turn, 1, __ATOMIC_RELEASE);
  }
  futexWake(&next->turn, 1);
}

void awaitRobber() { Guard guard; }

bool recover(Thread* thread) {
  awaitRobber();
  if (thread->robbed) takeTurn(thread);
  return thread->holding;
}

void markRobbed(Thread* thread) {
  Guard guard;
  thread->robbed = true;
  __atomic_add_fetch(&FL_STATE.robbed, 1, __ATOMIC_SEQ_CST);
}

// Under a seed, where all waited: one of them may be able to go on now.
static void handToReady() {
  Thread* next = nullptr;
  {
    Guard guard;
    if (holder) return;
    next = chooseNext();
    if (!next) return;
    holder = next;
    ++turns;
    __atomic_store_n(&next->turn, 1, __ATOMIC_RELEASE);
  }
  futexWake(&next->turn, 1);
}

[[noreturn]] static int ticker(void*) {
  const int patience = inOrder() ? 30 : 3; // ticks in one place outside
  uint32_t seen = 0;
  uint64_t epoch = 0, ext = 0;
  int still = 0;
  for (;;) {
    timespec tick = {0, long(tickNanoseconds())};
    raw(SYS_nanosleep, long(&tick), 0);
    uint32_t now = __atomic_load_n(&turns, __ATOMIC_RELAXED);
    if (inOrder()) handToReady();
    if (now == seen && __atomic_load_n(&waiting, __ATOMIC_RELAXED) > 0) {
      if (!inOrder()) {
        timeIsUp = true;
        stopAtEpochPoint();
      }
      bool moved = FL_EPOCH != epoch || FL_STATE.ext != ext || ext == 0;
      still = moved ? 0 : still + 1;
      if (still >= patience) robHolder();
    }
    seen = now;
    epoch = FL_EPOCH;
    ext = FL_STATE.ext;
  }
}

void startTicker() {
  alignas(16) static char stack[16 << 10];
  KernelMask before = changeMask(SIG_SETMASK, ~0ull);
  clone(ticker, stack + sizeof stack,
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, nullptr);
  changeMask(SIG_SETMASK, before);
}

} // namespace fl
