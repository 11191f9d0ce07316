// The server of experiments: walks the run, and makes each experiment from where it leaves the run.
//
// The hook at an epoch point keeps the registers of its caller and goes over to a stack of the server's own,
// so that the program's stack stands still while it is copied. From there the program is resumed, altered or
// not, and there it comes back to when an experiment has ended, wherever that was.
#include "runtime/experiment.h"

#include "runtime/raw.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

namespace fl {

bool altering, serving;
uintptr_t experimentsAt;

namespace {

fl_experiments& shared() { return FL_EXPERIMENTS; }

// Returns 0, and 1 when resumed.
__attribute__((naked, noinline, returns_twice)) int keepContext(Context*) {
  asm("movq %rbx, 0(%rdi)\n"
      "movq %rbp, 8(%rdi)\n"
      "movq %r12, 16(%rdi)\n"
      "movq %r13, 24(%rdi)\n"
      "movq %r14, 32(%rdi)\n"
      "movq %r15, 40(%rdi)\n"
      "leaq 8(%rsp), %rax\n"
      "movq %rax, 48(%rdi)\n"
      "movq (%rsp), %rax\n"
      "movq %rax, 56(%rdi)\n"
      "stmxcsr 64(%rdi)\n"
      "fnstcw 68(%rdi)\n"
      "xorl %eax, %eax\n"
      "ret");
}

__attribute__((naked, noinline, noreturn)) void resume(const Context*) {
  asm("movq 0(%rdi), %rbx\n"
      "movq 8(%rdi), %rbp\n"
      "movq 16(%rdi), %r12\n"
      "movq 24(%rdi), %r13\n"
      "movq 32(%rdi), %r14\n"
      "movq 40(%rdi), %r15\n"
      "movq 48(%rdi), %rsp\n"
      "ldmxcsr 64(%rdi)\n"
      "fldcw 68(%rdi)\n"
      "movl $1, %eax\n"
      "jmpq *56(%rdi)");
}

[[noreturn]] void onServerStack(void (*go)()) {
  uint8_t* top = FL_SERVER.stack + kServerStack - 64;
  asm volatile("movq %0, %%rsp\n"
               "cld\n"
               "callq *%1\n"
               "ud2"
               :
               : "r"(top), "r"(go)
               : "memory");
  __builtin_unreachable();
}

// The counter is noticed when the epoch `stop` begins; 0: never.
void stopAt(uint64_t stop) {
  uint64_t epoch = currentEpoch();
  FL_EPOCH = epoch - stop;
  FL_STATE.epoch_bias = stop;
}

uint64_t stops[3]; // by StopFor; in a server only alterations stop the run, and stopAt() suffices

// The one among threads that is to go on next is told so once; it has taken place then.
void passTurn(fl_experiment& e, uint32_t k, const fl_alteration& a) {
  if (!threaded() || FL_STATE.thread == a.value || !isWaitingForTurn(uint32_t(a.value))) return;
  passTurnTo(uint32_t(a.value));
  e.reached |= 1ull << (k & 63);
}

// What asks all the time.
uint32_t alwaysArmed() { return shared().flags & FL_COUNTS ? FL_ARMED_BIT(shared().counted) : 0; }

void startArming() {
  FL_SERVER.altered = kNobody;
  FL_SERVER.counted = shared().flags & FL_COUNTS ? shared().counted : kNobody;
  FL_STATE.armed = alwaysArmed();
}

// By their instructions, in their order: a statement may bring hundreds, and every instruction near them
// asks.
void listAlterations() {
  memset(FL_SERVER.firstOf, 0, sizeof FL_SERVER.firstOf);
  for (uint32_t k = current().count; k-- > 0;) {
    fl_alteration& a = alterations()[k];
    uint32_t& first = FL_SERVER.firstOf[a.instruction % kAlterationLists];
    a.after = first;
    first = k + 1;
  }
}

// At the beginning of `epoch` of the experiment: what is due in it. Returns when to look again.
uint64_t arm(uint64_t epoch) {
  fl_experiment& e = current();
  uint64_t next = e.last_epoch;
  auto sooner = [&](uint64_t stop) {
    if (next == 0 || stop < next) next = stop;
  };
  FL_STATE.armed = alwaysArmed();
  FL_SERVER.altered = kNobody;
  if (epoch < e.trace_end) sooner(epoch + 1);
  for (uint32_t k = 0; k < e.count; ++k) {
    const fl_alteration& a = alterations()[k];
    if (a.epoch > epoch) sooner(a.epoch);
    if (!mayBeDue(a, epoch)) continue;
    if (a.kind == FL_ALTER_THREAD) {
      if (a.epoch == epoch) passTurn(e, k, a);
      continue;
    }
    FL_STATE.armed |= FL_ARMED_BIT(a.instruction);
    uint32_t& altered = FL_SERVER.altered;
    altered = altered == kNobody || altered == a.instruction ? a.instruction : kSeveral;
    if (!a.each && !a.nth) sooner(epoch + 1);
  }
  listAlterations();
  return next;
}

// More places than there is room for are left out.
void noteVisit(uint64_t site) {
  fl_visited* visited = placed<fl_visited>(shared().visited);
  for (uint64_t k = 0; k < shared().visited_room; ++k) {
    fl_visited& entry = visited[(site / 4 + k) % shared().visited_room];
    if (entry.site != 0 && entry.site != site) continue;
    entry.site = site;
    ++entry.count;
    return;
  }
}

void keepRest() {
  Server& s = FL_SERVER;
  s.state = FL_STATE;
  s.epoch = currentEpoch();
  s.mask = changeMask(SIG_BLOCK, 0);
  s.kept.inputAt = s.inputAt;
  s.kept.outputAt = s.outputAt;
  s.kept.errorsAt = s.errorsAt;
  s.kept.outputRight = s.outputRight;
  s.kept.outputPrefix = s.outputPrefix;
  s.kept.executions = s.executions;
  memcpy(s.kept.streams, s.streams, sizeof s.streams);
  s.kept.brk = s.brk;
  s.kept.sawMaps = s.sawMaps;
}

void restoreRest() {
  Server& s = FL_SERVER;
  FL_STATE = s.state;
  FL_STATE.epoch_bias = 0;
  FL_EPOCH = s.epoch;
  s.inputAt = s.kept.inputAt;
  s.outputAt = s.kept.outputAt;
  s.errorsAt = s.kept.errorsAt;
  s.outputRight = s.kept.outputRight;
  s.outputPrefix = s.kept.outputPrefix;
  s.executions = s.kept.executions;
  memcpy(s.streams, s.kept.streams, sizeof s.streams);
  s.brk = s.kept.brk;
  s.sawMaps = s.kept.sawMaps;
  s.input = placed<char>(shared().input);
  s.inputSize = shared().input_size;
  changeMask(SIG_SETMASK, s.mask);
}

void begin() {
  Server& s = FL_SERVER;
  fl_experiment& e = current();
  e.log_buffers = s.state.produced;
  e.log_bytes = uint64_t(s.state.log_position) -
                (FL_LOG_ADDRESS + (s.state.produced % FL_LOG_BUFFERS) * FL_LOG_BUFFER_SIZE);
  e.reached = e.site = e.counter = e.blocked = e.instruction = 0;
  e.executions_before = s.executions;
  s.running = true;
  s.undoCount = 0;
  s.mapped = s.blocked = 0;
  for (Variables& v : s.variables) v.count = 0;
  for (uint32_t k = 0; k < e.count; ++k) alterations()[k].seen = 0;
  if (e.input) {
    s.input = placed<char>(e.input);
    s.inputSize = e.input_size;
  }
  // Its records go nowhere.
  FL_STATE.log_position = s.logScratch;
  FL_STATE.log_limit = s.logScratch + sizeof s.logScratch;
  stopAt(arm(s.epoch));
}

void awaitWork() {
  while (__atomic_load_n(&shared().ready, __ATOMIC_ACQUIRE) == FL_SERVER.next && !shared().closed) {
    uint32_t ready = FL_SERVER.next;
    futexWait(&shared().ready, ready);
  }
}

void report(uint32_t cut, int waitStatus, uint32_t call);
void finishOne();

// True in a process of its own, which has the experiment to make; false in the server when that has ended.
// The state that both share is as it was again then.
bool leftToAnother() {
  int status = forkOff();
  if (status == -1) return FL_SERVER.isForked = true;
  if (status != 0) { // it did not come to its end, and said nothing
    report(FL_CUT_STUCK, 0, 0);
    bringBackPositions();
  }
  restoreRest();
  ++shared().forks;
  finishOne();
  return false;
}

// On the server's stack, with the program standing at the beginning of an epoch, unaltered.
[[noreturn]] void serve() {
  Server& s = FL_SERVER;
  for (;;) {
    if (shared().ready == s.next) awaitWork();
    if (shared().ready == s.next) raw(SYS_exit_group, 0); // closed
    uint64_t start = current().start, epoch = currentEpoch();
    if (start < epoch) endRun(FL_CUT_UNREACHED, 0);
    if (start > epoch) {
      s.hasSnapshot = false;
      stopAt(start);
      s.selector = 1;
      resume(&s.context);
    }
    if (!s.hasSnapshot) {
      if (s.forks)
        keepPositions();
      else
        takeSnapshot();
      keepRest();
      s.hasSnapshot = true;
    }
    if (s.forks && !leftToAnother()) continue;
    begin();
    s.selector = 1;
    resume(&s.context);
  }
}

void report(uint32_t cut, int waitStatus, uint32_t call) {
  Server& s = FL_SERVER;
  fl_experiment& e = current();
  e.cut = cut;
  e.wait_status = waitStatus;
  e.call = call;
  e.epochs = currentEpoch();
  e.site = FL_STATE.ext;
  e.counter = (waitStatus & 0x7f) ? FL_STATE.fault_counter : 0;
  e.instruction = (waitStatus & 0x7f) ? FL_STATE.fault_instruction : 0;
  e.output_size = s.outputAt;
  e.errors_size = s.errorsAt;
  e.blocked = s.blocked;
  e.output_prefix = s.outputPrefix;
  e.executions = s.executions;
  e.input_read = s.inputAt;
  e.output_right = cut == FL_CUT_NONE && s.outputRight && s.outputAt == shared().expected_size;
}

void finishOne() {
  Server& s = FL_SERVER;
  ++s.next;
  __atomic_store_n(&shared().finished, s.next, __ATOMIC_SEQ_CST);
  // Waking costs more than many an experiment.
  if (int32_t(s.next - __atomic_load_n(&shared().wake_at, __ATOMIC_SEQ_CST)) >= 0)
    futexWake(&shared().finished, 1);
  if (!(shared().flags & FL_LOCKSTEP)) return;
  while (__atomic_load_n(&shared().taken, __ATOMIC_ACQUIRE) != s.next) futexWait(&shared().taken, s.next - 1);
}

struct Ended {
  uint32_t cut;
  int waitStatus;
  uint32_t call;
};
Ended& ended() {
  // Above the part of the stack that is in use.
  return *reinterpret_cast<Ended*>(FL_SERVER.stack);
}

// The walk came to the run's own end: what is still asked for lies beyond it.
[[noreturn]] void endWalk() {
  Server& s = FL_SERVER;
  Ended e = ended();
  shared().walk_status = e.waitStatus;
  shared().walk_call = e.call;
  shared().walk_site = FL_STATE.ext;
  shared().walk_counter = (e.waitStatus & 0x7f) ? FL_STATE.fault_counter : 0;
  shared().walk_instruction = (e.waitStatus & 0x7f) ? FL_STATE.fault_instruction : 0;
  shared().walk_epochs = currentEpoch();
  shared().walk_refused = uint32_t(s.blocked);
  shared().walk_mapped = s.mapped;
  shared().walk_output_size = s.outputAt;
  shared().walk_errors_size = s.errorsAt;
  shared().walk_output_prefix = s.outputPrefix;
  shared().walk_executions = s.executions;
  shared().walk_output_right = s.outputRight && s.outputAt == shared().expected_size;
  __atomic_store_n(&shared().walk_state, e.cut == FL_CUT_STRANGE ? FL_WALK_STRANGE : FL_WALK_ENDED,
                   __ATOMIC_RELEASE);
  for (;;) {
    awaitWork();
    if (shared().ready == s.next) raw(SYS_exit_group, 0);
    report(FL_CUT_UNREACHED, 0, 0);
    finishOne();
  }
}

// Signals that the experiment was sent while they were blocked are not the run's.
void forgetSignals() {
  uint64_t set = ~(1ull << (kHangSignal - 1));
  struct timespec atOnce = {};
  while (raw(SYS_rt_sigtimedwait, long(&set), 0, long(&atOnce), sizeof set) > 0) {
  }
}

[[noreturn]] void endExperiment() {
  Server& s = FL_SERVER;
  Ended e = ended();
  report(e.cut, e.waitStatus, e.call);
  undoSyscalls(); // also where a file stands, which the walk shares with what was forked off
  if (s.isForked) raw(SYS_exit_group, 0);
  forgetSignals();
  rollBack();
  s.running = false; // restoreRest() lets signals in
  restoreRest();
  finishOne();
  serve();
}

[[noreturn]] void unreached() {
  report(FL_CUT_UNREACHED, 0, 0);
  finishOne();
  serve();
}

} // namespace

void endRun(uint32_t cut, int waitStatus, uint32_t call) {
  FL_SERVER.selector = 0;
  FL_SERVER.isGivenUp = false;
  changeMask(SIG_BLOCK, ~0ull);
  ended() = {cut, waitStatus, call};
  if (cut == FL_CUT_UNREACHED) onServerStack(unreached);
  onServerStack(FL_SERVER.running ? endExperiment : endWalk);
}

void giveUp() {
  if (!FL_SERVER.running || shared().give_up != FL_SERVER.next + 1) return;
  // A call that was caught, and is being made, could not be taken back. Told again, it does not come to an
  // end.
  const bool isToldAgain = FL_SERVER.isGivenUp;
  FL_SERVER.isGivenUp = true;
  if (FL_SERVER.selector != 0 || isToldAgain) endRun(FL_CUT_STUCK, 0);
}

// How many of two texts are the same, from their start on.
static uint64_t sameBytes(const char* a, const char* b, uint64_t size) {
  if (memcmp(a, b, size) == 0) return size;
  uint64_t same = 0;
  while (a[same] == b[same]) ++same;
  return same;
}

void takeOutput(StreamKind stream, const char* bytes, uint64_t size) {
  Server& s = FL_SERVER;
  uint64_t& at = stream == kOutput ? s.outputAt : s.errorsAt;
  if (size > shared().stream_size - at) endRun(FL_CUT_OUTPUT, 0);
  memcpy(placed<char>(stream == kOutput ? shared().output : shared().errors) + at, bytes, size);
  if (stream == kOutput && (shared().flags & FL_EXPECTS_OUTPUT) && s.outputRight) {
    uint64_t room = at < shared().expected_size ? shared().expected_size - at : 0;
    uint64_t right = sameBytes(placed<char>(shared().expected) + at, bytes, size < room ? size : room);
    s.outputRight = right == size;
    s.outputPrefix = at + right;
  }
  at += size;
  // The rest of the run cannot make it right any more. In lockstep somebody wants to see all of it.
  if (!s.outputRight && s.running && !(shared().flags & FL_LOCKSTEP)) endRun(FL_CUT_WRONG, 0);
}

// One experiment, and no way back.
static void startAlone() {
  experimentsAt = FL_INSIDE_ADDRESS;
  long at = raw(SYS_mmap, long(FL_SERVER_ADDRESS), sizeof(Server), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (at != long(FL_SERVER_ADDRESS)) fail("cannot map memory for an experiment", "free some");
  altering = true;
  startArming();
  stopAtEpoch(kForAlteration, current().start);
}

// In a process of its own: it comes here at the end of a turn, too.
static void stoppedAlone(uint64_t epoch, uint64_t site) {
  if (current().last_epoch != 0 && epoch >= current().last_epoch) {
    current().cut = FL_CUT_STEPS;
    for (;;) raw(SYS_kill, processId(), SIGKILL);
  }
  bool turnEnds = stops[kForTurn] != 0 && epoch >= stops[kForTurn];
  if (turnEnds) stops[kForTurn] = 0;
  if (stops[kForAlteration] != 0 && epoch >= stops[kForAlteration]) {
    if (!FL_SERVER.running) current().executions_before = current().executions;
    FL_SERVER.running = true;
    if (epoch <= current().trace_end) noteVisit(site);
    stops[kForAlteration] = arm(epoch);
  }
  stopAtEpoch(kForTurn, stops[kForTurn]);
  if (turnEnds) turnIsOver();
}

void stopAtEpoch(StopFor what, uint64_t epoch) {
  stops[what] = epoch;
  uint64_t first = 0;
  for (uint64_t stop : stops)
    if (stop != 0 && (first == 0 || stop < first)) first = stop;
  stopAt(first);
}

// In a recording, where nothing is altered.
static void stoppedInRecording() {
  const bool isOver = FL_STATE.last_epoch != 0 && currentEpoch() >= FL_STATE.last_epoch;
  if (isOver && !off()) return endAtEpochPoint();
  turnIsOver();
}

// Out of the way of the numbers that the program gets for its own.
static void takeFile() {
  constexpr char kOpen[] = "/proc/self/fd/";
  uint32_t given = shared().file_fd;
  if (given == 0) return;
  long fd = raw(SYS_fcntl, given, F_DUPFD_CLOEXEC, kMostDescriptors - 100);
  if (fd < 0) fail("cannot keep the file that is changed", "allow more open files (ulimit -n)");
  raw(SYS_close, given);
  char digits[12];
  int count = 0;
  for (long rest = fd; rest; rest /= 10) digits[count++] = char('0' + rest % 10);
  char* name = FL_SERVER.fileName;
  memcpy(name, kOpen, sizeof kOpen);
  for (name += sizeof kOpen - 1; count > 0; ++name) *name = digits[--count];
  *name = 0;
  FL_SERVER.file = int(fd);
}

void startServer() {
  int fd = FL_STATE.experiment;
  if (fd == 0 && FL_STATE.last_epoch != 0) stopAtEpoch(kForEnd, FL_STATE.last_epoch);
  if (fd == 0) return;
  if (fd == FL_EXPERIMENT_INSIDE) return startAlone();
  experimentsAt = FL_EXPERIMENT_ADDRESS;
  fl_experiments header = {};
  if (raw(SYS_pread64, fd, long(&header), sizeof header, 0) != sizeof header ||
      header.version != FL_EXPERIMENT_VERSION)
    fail("the memory for experiments is not of this version", "remove the variant so that it is made again");
  long at = raw(SYS_mmap, long(FL_EXPERIMENT_ADDRESS), long(header.size), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_FIXED, fd, 0);
  raw(SYS_close, fd);
  if (at != long(FL_EXPERIMENT_ADDRESS)) fail("cannot map the memory for experiments", "free some");
  bool canGoBack = startSnapshots();
  takeFile();
  Server& s = FL_SERVER;
  s.forks = !canGoBack || (header.flags & FL_FORK_EACH);
  s.streams[0] = kInput;
  s.streams[1] = kOutput;
  s.streams[2] = kErrors;
  s.outputRight = true;
  s.input = placed<char>(shared().input);
  s.inputSize = shared().input_size;
  if (!startSyscalls()) {
    shared().broken = 2;
    raw(SYS_exit_group, 125);
  }
  shared().landlock = forbidByKernel();
  altering = serving = true;
  startArming();
  awaitWork();
  stopAt(shared().ready ? current().start : 0);
  s.selector = 1;
}

} // namespace fl

using namespace fl;

FL_EXPORT FL_COLD void fl_epoch_stop() {
  if (!altering) return stoppedInRecording();
  uint64_t epoch = currentEpoch(), site = uint64_t(__builtin_return_address(0));
  if (!serving) return stoppedAlone(epoch, site);
  if (!FL_SERVER.running) {
    if (keepContext(&FL_SERVER.context)) return;
    FL_SERVER.selector = 0;
    onServerStack(serve);
  }
  if (current().last_epoch != 0 && epoch >= current().last_epoch) endRun(FL_CUT_STEPS, 0);
  if (epoch <= current().trace_end) noteVisit(site);
  stopAt(arm(epoch));
}
