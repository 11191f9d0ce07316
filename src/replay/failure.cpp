#include "replay/failure.h"

#include "base/text.h"
#include "replay/call_view.h"
#include "replay/crash.h"
#include "replay/termination.h"

#include <csignal>
#include <cstring>
#include <fmt/format.h>

namespace faultline::replay {

std::string_view kindName(FailureKind kind) {
  constexpr std::string_view kNames[] = {
      "none",        "crash", "division-by-zero", "illegal-instruction", "stack-overflow",
      "assertion",   "abort", "heap-corruption",  "stack-smashing",      "uncaught-exception",
      "exit-status", "hang",  "killed",           "wrong-output",        "wrong-status",
      "rejected",
  };
  return kNames[size_t(kind)];
}

std::string signalName(int signal) {
  switch (signal) {
  case SIGFPE: // the C library speaks of floating point, which it hardly ever is
    return "Arithmetic error";
  case SIGABRT:
    return "Abort";
  default:
    break;
  }
  const char* text = sigdescr_np(signal);
  return text ? text : fmt::format("Signal {}", signal);
}

namespace {

// Where the program stood does not matter to it, but tells where to look.
Criterion atTop(const StoppedProgram& program) {
  return {0, program.frames.empty() ? fir::kNone : program.frames.front().instruction, fir::kNone, 0, ""};
}

Failure exitFailure(int status, const StoppedProgram& program) {
  Failure out;
  out.kind = status == 0 ? FailureKind::None : FailureKind::ExitStatus;
  out.message = fmt::format("Exit with status {}", status);
  if (program.frames.empty()) return out;
  out.criterion = atTop(program);
  const FrameView& frame = program.frames.front();
  out.criterion->value = uint64_t(status);
  auto call = CallView::of(frame, *program.memory, *program.symbols);
  if (call && call->argumentCount() == 1) {
    out.callee = call->shownName();
    out.criterion->operand = 1;
    if (auto source = sourceValue(frame, call->operand(0))) out.criterion->text = source->text;
  } else if (functionOf(frame) && frame.instruction < frame.image->instructions.size()) {
    const fir::Instruction& i = frame.image->instructions[frame.instruction];
    if (i.op != fir::Op::Ret || i.operandCount != 1) return out;
    fir::Operand value = frame.image->operandsOf(i)[0];
    out.criterion->operand = 0;
    out.criterion->value = operandValue(frame, *program.symbols, value).value_or(out.criterion->value);
    if (auto source = sourceValue(frame, value)) out.criterion->text = source->text;
  }
  return out;
}

// Nothing that is seen here explains that end.
Failure beyondTheLog(const RunEnd& end, const StoppedProgram& program) {
  Failure out;
  out.kind = end.signal ? FailureKind::Killed : FailureKind::ExitStatus;
  out.signal = end.signal;
  out.message = (end.signal ? signalName(end.signal) : fmt::format("Exit with status {}", *end.exitStatus)) +
                (program.frames.empty() ? ", of which the recording has nothing"
                                        : ", later than the recording goes: that ends");
  out.criterion = atTop(program);
  return out;
}

} // namespace

Failure diagnose(const RunEnd& end, const StoppedProgram& program) {
  Failure out;
  if (end.isBeyond) return beyondTheLog(end, program);
  switch (end.signal) {
  case SIGSEGV:
  case SIGBUS:
  case SIGFPE:
  case SIGILL:
  case SIGTRAP:
    return diagnoseCrash(end, program);
  case SIGABRT:
    return diagnoseTermination(end, program);
  case 0:
    break;
  default:
    if (end.timedOut) break;
    out.kind = FailureKind::Killed;
    out.signal = end.signal;
    out.message = fmt::format("Killed by signal {} ({})", end.signal, signalName(end.signal));
    out.criterion = atTop(program);
    return out;
  }
  if (end.timedOut) {
    out.kind = FailureKind::Hang;
    out.message = "Still running when its time was over";
    out.criterion = atTop(program);
    return out;
  }
  if (end.isSmashed) return diagnoseTermination(end, program);
  return exitFailure(end.exitStatus.value_or(0), program);
}

} // namespace faultline::replay
