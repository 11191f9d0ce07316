#include "replay/termination.h"

#include "replay/call_view.h"
#include "replay/symbol_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::replay {
namespace {

struct Cause {
  FailureKind kind;
  std::string message;
  std::string condition = {}; // that guards the call, where the call says it
};

// The last line of the text that has `part` in it, without blanks around.
std::optional<std::string> lastLineWith(std::string_view text, std::string_view part) {
  size_t at = text.rfind(part);
  if (at == std::string_view::npos) return std::nullopt;
  size_t start = text.rfind('\n', at);
  start = start == std::string_view::npos ? 0 : start + 1;
  std::string_view line = text.substr(start, std::min(text.find('\n', at), text.size()) - start);
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  return std::string(line.substr(0, 400));
}

std::string assertionText(std::string_view condition) {
  return fmt::format("Assertion `{}' failed", condition);
}

std::optional<Cause> assertion(const CallView& call) {
  size_t condition;
  if (call.linkerName() == "__assert_fail" || call.linkerName() == "__assert")
    condition = 0;
  else if (call.linkerName().starts_with("_ZSt21__glibcxx_assert_fail"))
    condition = 3;
  else
    return std::nullopt;
  auto text = call.textArgument(condition);
  return Cause{FailureKind::Assertion, text ? assertionText(*text) : "Assertion failed", text.value_or("")};
}

std::string exceptionText(const std::string& type, const std::string& what) {
  return fmt::format("Uncaught exception {}{}{}", type, what.empty() ? "" : ": ", what);
}

// What the C++ runtime writes before it gives up.
//   terminate called after throwing an instance of 'std::runtime_error'
//     what():  bad input
std::optional<Cause> toldException(std::string_view text) {
  constexpr std::string_view kThrown = "terminate called after throwing an instance of '",
                             kWhat = "  what():  ";
  if (lastLineWith(text, "pure virtual method called"))
    return Cause{FailureKind::Abort, "A pure virtual function was called"};
  size_t at = text.rfind(kThrown);
  if (at == std::string_view::npos) {
    if (!lastLineWith(text, "terminate called without an active exception")) return std::nullopt;
    return Cause{FailureKind::UncaughtException,
                 "std::terminate without an exception: a running std::thread destroyed, or noexcept broken"};
  }
  std::string_view rest = text.substr(at + kThrown.size());
  std::string type = plainTemplateName(rest.substr(0, rest.find('\'')));
  size_t what = rest.find(kWhat);
  std::string_view message = what == std::string_view::npos ? "" : rest.substr(what + kWhat.size());
  return Cause{FailureKind::UncaughtException,
               exceptionText(type, std::string(message.substr(0, message.find('\n'))))};
}

bool hasMessage(std::string_view type) {
  constexpr std::string_view kTypes[] = {
      "std::runtime_error",    "std::logic_error",    "std::out_of_range",
      "std::invalid_argument", "std::length_error",   "std::domain_error",
      "std::range_error",      "std::overflow_error", "std::underflow_error"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

// __cxa_throw(object, type_info, destructor). A standard error holds a pointer to its text behind the virtual
// table's; any class derived from one begins with it.
std::optional<Cause> thrown(const CallView& call, const StoppedProgram& program) {
  if (call.linkerName() != "__cxa_throw") return std::nullopt;
  std::string type = "of unknown type", what;
  if (auto info = call.argument(1))
    if (auto found = symbolAt(*program.symbols, *info)) {
      const fir::Image& image = program.symbols->image(found->module);
      type = demangled(std::string(image.string(image.symbols[found->symbol].name)));
      if (constexpr std::string_view kPrefix = "typeinfo for "; type.starts_with(kPrefix))
        type.erase(0, kPrefix.size());
    }
  auto object = call.argument(0);
  auto text = object && hasMessage(type) ? readWord(*program.memory, *object + 8) : std::nullopt;
  if (text) what = textAt(*program.memory, *program.symbols, *text, 400).value_or("");
  return Cause{FailureKind::UncaughtException, exceptionText(type, what)};
}

// std::__throw_out_of_range and its kin, called by the library's headers.
std::optional<Cause> libraryThrow(const CallView& call) {
  std::string name = call.shownName();
  constexpr std::string_view kPrefix = "std::__throw_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  std::string type = name.substr(kPrefix.size());
  if (type.ends_with("_fmt")) type.resize(type.size() - 4);
  return Cause{FailureKind::UncaughtException,
               exceptionText("std::" + type, call.textArgument(0).value_or(""))};
}

std::optional<Cause> byName(const CallView& call) {
  const std::string& name = call.linkerName();
  if (name == "__stack_chk_fail") return Cause{FailureKind::StackSmashing, "Stack smashing detected"};
  if (name == "__cxa_pure_virtual") return Cause{FailureKind::Abort, "A pure virtual function was called"};
  if (name == "__cxa_rethrow")
    return Cause{FailureKind::UncaughtException, "Uncaught exception, thrown again"};
  if (name == "_ZSt9terminatev") return Cause{FailureKind::UncaughtException, "std::terminate was called"};
  if (name == "longjmp" || name == "_longjmp" || name == "__longjmp_chk")
    return Cause{FailureKind::Abort, "longjmp to a frame that is gone"};
  return std::nullopt;
}

// Checks of the C library's, by what they write.
std::optional<Cause> libraryCheck(std::string_view text) {
  struct Check {
    std::string_view part;
    FailureKind kind;
  };
  constexpr Check kChecks[] = {
      {"stack smashing detected", FailureKind::StackSmashing},
      {"buffer overflow detected", FailureKind::Abort},
      {"double free or corruption", FailureKind::HeapCorruption},
      {"free(): ", FailureKind::HeapCorruption},
      {"malloc(): ", FailureKind::HeapCorruption},
      {"malloc_consolidate(): ", FailureKind::HeapCorruption},
      {"realloc(): ", FailureKind::HeapCorruption},
      {"munmap_chunk(): ", FailureKind::HeapCorruption},
      {"corrupted size vs. prev_size", FailureKind::HeapCorruption},
      {"corrupted double-linked list", FailureKind::HeapCorruption},
      {"longjmp causes uninitialized stack frame", FailureKind::Abort},
  };
  for (const Check& c : kChecks)
    if (auto line = lastLineWith(text, c.part)) return Cause{c.kind, *line};
  return std::nullopt;
}

bool usesHeap(const std::string& name) {
  constexpr std::string_view kNames[] = {
      "free",          "malloc", "calloc",  "realloc", "reallocarray", "memalign", "posix_memalign",
      "aligned_alloc", "strdup", "strndup", "fclose",  "fopen",        "getline"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         name.starts_with("_Zdl") || name.starts_with("_Zda") || name.starts_with("_Znw") ||
         name.starts_with("_Zna");
}

Cause outsideAbort(const CallView& call) {
  std::string name = call.shownName();
  if (call.linkerName() == "abort") return {FailureKind::Abort, "abort() called"};
  if (call.linkerName() == "raise" || call.linkerName() == "kill")
    return {FailureKind::Abort, fmt::format("{}() of SIGABRT", name)};
  if (usesHeap(call.linkerName()))
    return {FailureKind::HeapCorruption, fmt::format("{}() found the heap damaged", name)};
  if (name.ends_with("_chk"))
    return {FailureKind::Abort, fmt::format("Buffer overflow detected in {}()", name)};
  return {FailureKind::Abort, name.empty() ? "Abort" : fmt::format("Abort within {}()", name)};
}

Cause causeOf(const RunEnd& end, const StoppedProgram& program, const std::optional<CallView>& call) {
  if (end.isSmashed)
    return {FailureKind::StackSmashing, "Stack smashing detected: a local array was written past its end"};
  if (call)
    if (auto cause = assertion(*call)) return *cause;
  // What the runtime itself says is surer than what we find in memory, which outside code may have written.
  if (auto cause = toldException(end.standardError)) return *cause;
  if (call) {
    if (auto cause = thrown(*call, program)) return *cause;
    if (auto cause = libraryThrow(*call)) return *cause;
    if (auto cause = byName(*call)) return *cause;
    if (call->linkerName() == "abort") return outsideAbort(*call);
  }
  if (auto cause = libraryCheck(end.standardError)) return *cause;
  return call ? outsideAbort(*call) : Cause{FailureKind::Abort, "Abort"};
}

} // namespace

Failure diagnoseTermination(const RunEnd& end, const StoppedProgram& program) {
  Failure out;
  out.signal = end.signal;
  std::optional<CallView> call;
  if (!program.frames.empty()) {
    call = CallView::of(program.frames.front(), *program.memory, *program.symbols);
    out.criterion = Criterion{0, program.frames.front().instruction, fir::kNone, 0, ""};
  }
  Cause cause = causeOf(end, program, call);
  out.kind = cause.kind;
  out.message = std::move(cause.message);
  if (out.criterion) out.criterion->text = std::move(cause.condition);
  if (call) out.callee = call->shownName();
  // The heap's complaint is about a block: the one that the call was given.
  if (out.kind == FailureKind::HeapCorruption && call && call->argumentCount() > 0 && out.criterion) {
    out.criterion->operand = 1;
    out.criterion->value = call->argument(0).value_or(0);
    if (auto source = sourceValue(program.frames.front(), call->operand(0)))
      out.criterion->text = source->text;
  }
  return out;
}

} // namespace faultline::replay
