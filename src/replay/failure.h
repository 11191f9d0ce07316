// What went wrong, from how a run ended: the kind of failure, one sentence about it, and the criterion, the
// value that every question about the failure starts from.
//
//   signal 11 at `Store w17 <- w18`, w17 = 8      Crash, "Segmentation fault: write to 0x8 (n->next, where n
//   is
//                                                 NULL)"; criterion: operand 0 of the store
//   abort within the call of __assert_fail        Assertion, "Assertion `n > 0' failed"; criterion: the call
#pragma once

#include "replay/source_expression.h"

namespace faultline::replay {

enum class FailureKind {
  None,
  Crash,
  DivisionByZero,
  IllegalInstruction,
  StackOverflow,
  Assertion,
  Abort,
  HeapCorruption,
  StackSmashing,
  UncaughtException,
  ExitStatus,
  Hang,
  Killed,
  WrongOutput,
  WrongStatus, // another one than the user expects
  Rejected,    // by the user's oracle
};
inline bool isOfStatus(FailureKind kind) {
  return kind == FailureKind::ExitStatus || kind == FailureKind::WrongStatus;
}
// "crash", "division-by-zero" ...: what documents and scripts use.
std::string_view kindName(FailureKind kind);

struct RunEnd {
  int signal = 0;                  // that ended the run, 0: none
  uint32_t signalCode = 0;         // si_code
  uint64_t address = ~uint64_t(0); // that the fault names; ~0: none
  bool isWrite = false;
  bool isInside = false;  // raised by the instruction itself, not within an outside call
  bool isSmashed = false; // a frame's guard word was overwritten (SMASHED)
  bool timedOut = false;
  bool isBeyond = false; // the run went on to this end, but the log was cut off before it
  std::optional<int> exitStatus = {};
  uint32_t thread = 0;
  uint64_t machineStackEnd = 0;        // lowest address of the thread's machine stack, if known
  std::string_view standardError = {}; // if it was captured
};

// Everything about the stopped program. Frames are innermost first; the first one stands at the instruction
// that failed, or at the outside call that the run ended in.
struct StoppedProgram {
  std::span<const FrameView> frames;
  const MemoryView* memory = nullptr;
  const SymbolView* symbols = nullptr;
  const ObjectNames* names = nullptr; // optional
};

struct Criterion {
  size_t frame = 0;
  uint32_t instruction = fir::kNone;
  uint32_t operand = fir::kNone; // number within the instruction; kNone: whether it is executed at all
  uint64_t value = 0;
  std::string text; // the operand as the source has it: &n->next, count; or the condition that guards it
  std::optional<uint64_t> memory = {}; // address of the byte meant, if the operand points to a text
  // The wrong byte is the first of its call, or missing: something may be wrong with what was printed before.
  bool isPosition = false;
  std::optional<uint64_t> before = {}; // time of the call that wrote the byte before, if there is one
};

struct Failure {
  FailureKind kind = FailureKind::None;
  int signal = 0;
  std::string message; // one sentence, without the place
  size_t frame = 0;    // whose place is the failure's
  std::optional<Criterion> criterion;
  std::string callee; // the outside call that it happened in
};

Failure diagnose(const RunEnd& end, const StoppedProgram& program);

// The signal as a person calls it: "Segmentation fault".
std::string signalName(int signal);

} // namespace faultline::replay
