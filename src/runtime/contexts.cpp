// Contexts of ucontext.h. A context that the program makes is a thread of its own in the log, with a frame
// stack of its own; to switch to it is to pass the turn on. What belongs to a context is noted in the
// ucontext_t itself, in words that libc keeps for shadow stacks, so that a copy of it means the same.
//
//   makecontext(&c, f)      c is thread 5
//   swapcontext(&m, &c)     m is thread 0 from here on; THREAD 5, SWITCH to 5
//   f returns               SWITCH to what c links to
//   getcontext, setcontext  within one context: a setjmp and its second return
#include "runtime/log.h"
#include "runtime/raw.h"
#include "runtime/real.h"

#include <stdarg.h>
#include <ucontext.h>

namespace fl {

uint64_t contextReturnsAgain;

namespace {

constexpr uint32_t kMost = 1 << 16; // as replay has it
constexpr int kArguments = 16;

// One line of control, by its number in the log: a thread as it began, or a context.
struct Strand {
  uint64_t ext, frameTop;
  uint64_t top, size; // of its frame stack
  bool fresh;         // has not run yet: THREAD is due
  bool made;          // by makecontext
  uint32_t nextFree;
  ucontext_t* home;
  ucontext_t* link;
  void (*function)();
  long arguments[kArguments];
};

struct Note {
  unsigned long long magic, number;
  unsigned long long site; // where it was taken by getcontext; else 0
};
constexpr unsigned long long kMagic = 0x666c2d636f6e7478ull;

Strand* strands;
uint32_t firstFree; // 0: none

bool start() {
  if (strands) return true;
  void* at = mmap(nullptr, kMost * sizeof(Strand), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  strands = static_cast<Strand*>(at);
  return true;
}

bool isRecorded() { return self && holds(self) && !off() && start() && self->number < kMost; }

void note(ucontext_t* context, uint32_t number, uint64_t site) {
  Note note{kMagic, number, site};
  memcpy(context->__ssp, &note, sizeof note);
}

bool noteOf(const ucontext_t* context, Note& note) {
  memcpy(&note, context->__ssp, sizeof note);
  return note.magic == kMagic && note.number < kMost;
}

// The thread that the log goes on with, from inside a call that is about to switch.
void enterStrand(const ucontext_t* context) {
  Note to;
  if (!noteOf(context, to)) return;
  enterBusy(self);
  uint32_t from = self->number;
  if (to.number != from) {
    Strand& left = strands[from];
    Strand& entered = strands[to.number];
    left.ext = FL_STATE.ext;
    left.frameTop = FL_STATE.frame_top;
    if (entered.fresh) logThread(uint32_t(to.number), entered.frameTop);
    entered.fresh = false;
    logSwitch(uint32_t(to.number), left.ext);
    self->number = FL_STATE.thread = uint32_t(to.number);
    FL_STATE.ext = entered.ext;
    FL_STATE.frame_top = entered.frameTop;
  }
  contextReturnsAgain = to.site;
  leaveBusy(self);
}

// A number whose context is over, or of which no trace is left, or a new one.
uint32_t numberFor(const ucontext_t* context) {
  uint64_t size = context->uc_stack.ss_size;
  Note old;
  if (noteOf(context, old) && old.number != self->number && strands[old.number].made &&
      strands[old.number].home == context && old.site == 0 && strands[old.number].nextFree == 0 &&
      strands[old.number].size >= size)
    return uint32_t(old.number);
  if (uint32_t number = firstFree; number && strands[number].size >= size) {
    firstFree = strands[number].nextFree - 1;
    strands[number].nextFree = 0;
    return number;
  }
  uint32_t number = newThreadNumber();
  if (number >= kMost) return 0;
  strands[number].top = mapFrameStack(size);
  strands[number].size = size;
  return strands[number].top ? number : 0;
}

void runContext(Strand* strand) {
  const long* a = strand->arguments;
  using Function = void (*)(long, long, long, long, long, long, long, long, long, long, long, long, long,
                            long, long, long);
  reinterpret_cast<Function>(strand->function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                                               a[10], a[11], a[12], a[13], a[14], a[15]);
  if (!strand->link || !isRecorded()) return; // libc ends the program
  enterStrand(strand->link);
  strand->nextFree = firstFree + 1; // from 1: 0 is "not free"
  firstFree = uint32_t(strand - strands);
  // libc goes on with the link.
}

} // namespace
} // namespace fl

using namespace fl;

FL_EXPORT void makecontext(ucontext_t* context, void (*function)(), int count, ...) {
  long arguments[kArguments] = {};
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count && i < kArguments; ++i) arguments[i] = va_arg(list, long);
  va_end(list);
  uint32_t number = isRecorded() && count <= kArguments ? numberFor(context) : 0;
  if (number == 0) {
    if (!off() && self)
      fail("a context cannot be recorded", "there are more than 65,536, or it takes over 16 arguments");
    using Function = void (*)();
    REAL(makecontext)(context, Function(function), 6, arguments[0], arguments[1], arguments[2], arguments[3],
                      arguments[4], arguments[5]);
    return;
  }
  Strand& strand = strands[number];
  strand = {.ext = FL_EXT_ROOT,
            .frameTop = strand.top,
            .top = strand.top,
            .size = strand.size,
            .fresh = true,
            .made = true,
            .nextFree = 0,
            .home = context,
            .link = context->uc_link,
            .function = function,
            .arguments = {}};
  memcpy(strand.arguments, arguments, sizeof arguments);
  REAL(makecontext)(context, reinterpret_cast<void (*)()>(runContext), 1, &strand);
  note(context, number, 0);
}

// These return more than once, or not to us: libc must see our caller's frame as its own.
FL_EXPORT int getcontext(ucontext_t* context) {
  if (isRecorded()) note(context, self->number, FL_STATE.ext);
  auto* real = REAL(getcontext);
  __attribute__((musttail)) return real(context);
}

FL_EXPORT int setcontext(const ucontext_t* context) {
  if (isRecorded()) {
    handlersWereLeft(self); // the context has a mask of its own
    enterStrand(context);
  }
  auto* real = REAL(setcontext);
  __attribute__((musttail)) return real(context);
}

FL_EXPORT int swapcontext(ucontext_t* from, const ucontext_t* to) {
  if (isRecorded()) {
    note(from, self->number, 0);
    handlersWereLeft(self);
    enterStrand(to);
  }
  auto* real = REAL(swapcontext);
  __attribute__((musttail)) return real(from, to);
}
