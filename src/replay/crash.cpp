#include "replay/crash.h"

#include "abi/state.h"
#include "base/text.h"
#include "replay/call_view.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace faultline::replay {

using fir::Op;

namespace {

constexpr uint64_t kFirstPage = 0x1000; // an address in it is a null pointer and an offset
constexpr uint64_t kNearStackEnd = 0x20000;
constexpr uint64_t kFrameStacks = 0x700000000000; // they lie above
constexpr size_t kManyFrames = 200;

struct Accessed {
  uint32_t operand = fir::kNone; // that holds the address
  uint64_t size = 0;
};

// Operands that hold an address which the instruction reads or writes.
std::vector<Accessed> accesses(const FrameView& frame, const fir::Instruction& i, const SymbolView& symbols) {
  switch (i.op) {
  case Op::Load:
  case Op::Store:
    return {{0, i.imm}};
  case Op::AtomicRMW:
  case Op::CmpXchg: // its imm is a member's offset; the type tells the size
    return {{0, i.type < frame.image->types.size() ? frame.image->types[i.type].bytes : 0}};
  case Op::Copy: {
    uint64_t size = operandValue(frame, symbols, frame.image->operandsOf(i)[2]).value_or(0);
    return {{0, size}, {1, size}};
  }
  case Op::Fill:
    return {{0, operandValue(frame, symbols, frame.image->operandsOf(i)[2]).value_or(0)}};
  case Op::VaStart:
  case Op::VaCopy:
    return {{0, 24}};
  default:
    return {};
  }
}

std::string numberText(uint64_t value, unsigned bits) {
  if (bits < 64 && bits > 0) value &= (uint64_t(1) << bits) - 1;
  int64_t asSigned =
      bits < 64 && bits > 0 && (value >> (bits - 1)) ? int64_t(value | ~uint64_t(0) << bits) : int64_t(value);
  return fmt::format("{}", asSigned);
}

std::string pointerText(uint64_t value, const fir::Image& image) {
  if (value == 0) return isPlainC(image) ? "NULL" : "nullptr";
  return fmt::format("{:#x}", value);
}

bool isPlainNumber(const std::string& text) {
  return !text.empty() && text.find_first_not_of("-0123456789") == text.npos;
}

// "where n is NULL and i is 40".
std::string ingredientsText(const SourceAccess& access, const FrameView& frame, const SymbolView& symbols) {
  std::string text;
  for (const Ingredient& from : access.from) {
    auto value = operandValue(frame, symbols, from.operand);
    if (!value || from.text == "?" || isPlainNumber(from.text)) continue;
    text += text.empty() ? "where " : " and ";
    text += fmt::format("{} is {}", from.text,
                        from.isPointer ? pointerText(*value, *frame.image) : numberText(*value, from.bits));
  }
  return text;
}

class CrashReader {
public:
  CrashReader(const RunEnd& end, const StoppedProgram& program)
      : end_(end), program_(program), frame_(program.frames.front()), symbols_(*program.symbols),
        instruction_(frame_.image->instructions[frame_.instruction]) {
    out_.signal = end.signal;
  }

  Failure run() {
    if (isStackOverflow()) {
      stackOverflow();
    } else if (!end_.isInside && instruction_.op == Op::Call) {
      outsideCall();
    } else if (end_.signal == SIGFPE) {
      division();
    } else if (end_.signal == SIGILL || end_.signal == SIGTRAP) {
      illegal();
    } else if (instruction_.op == Op::Call) {
      badCallee();
    } else {
      access();
    }
    return std::move(out_);
  }

private:
  void set(FailureKind kind, std::string message) {
    out_.kind = kind;
    out_.message = std::move(message);
  }
  void criterion(uint32_t operand, std::string text) {
    fir::Operand o = frame_.image->operandsOf(instruction_)[operand];
    out_.criterion = Criterion{0, frame_.instruction, operand, operandValue(frame_, symbols_, o).value_or(0),
                               std::move(text)};
  }
  fir::Operand operand(uint32_t number) const { return frame_.image->operandsOf(instruction_)[number]; }

  // The access that the fault is about: the operand whose range holds the address.
  std::optional<Accessed> accessed() const {
    auto all = accesses(frame_, instruction_, symbols_);
    if (end_.address == ~uint64_t(0)) return all.empty() ? std::nullopt : std::optional(all[0]);
    for (const Accessed& a : all) {
      auto start = operandValue(frame_, symbols_, operand(a.operand));
      bool isRightWay = all.size() == 1 || end_.isWrite == (a.operand == 0);
      if (start && isRightWay && end_.address - *start < std::max<uint64_t>(a.size, 1)) return a;
    }
    return std::nullopt;
  }

  // The program's own frames end in a guard page. Machine stack: what faulted was no access of the program's.
  bool isStackOverflow() const {
    if (end_.signal != SIGSEGV || end_.address == ~uint64_t(0)) return false;
    // Each frame stack ends some strides below where the first one does at least.
    uint64_t above = end_.address + kNearStackEnd - (FL_FRAME_STACK_ADDRESS - FL_FRAME_STACK_SIZE);
    bool atFrameEnd = end_.address < FL_FRAME_STACK_ADDRESS && end_.address >= kFrameStacks &&
                      above % FL_FRAME_STACK_STRIDE < kNearStackEnd + kFirstPage;
    if (atFrameEnd && program_.frames.size() > 1) return true;
    uint64_t machine = end_.machineStackEnd;
    if (machine != 0 && end_.address + kNearStackEnd >= machine && end_.address < machine + kFirstPage)
      return true;
    bool byProgram =
        end_.isInside && (accessed() || instruction_.op == Op::Load || instruction_.op == Op::Store);
    return !byProgram && program_.frames.size() >= kManyFrames && end_.address >= kFirstPage;
  }

  void stackOverflow() {
    uint32_t most = frame_.function;
    auto count =
        size_t(std::count_if(program_.frames.begin(), program_.frames.end(), [&](const FrameView& f) {
          return f.image == frame_.image && f.function == most;
        }));
    std::string_view name = frame_.image->string(functionOf(frame_)->name);
    std::string message = fmt::format("Stack overflow: {} calls deep", withThousands(program_.frames.size()));
    if (count > 1) message += fmt::format(" ({} of {}())", withThousands(count), name);
    set(FailureKind::StackOverflow, std::move(message));
    out_.criterion = Criterion{0, frame_.instruction, fir::kNone, 0, ""};
  }

  std::string addressNote(uint64_t address) const {
    return address < kFirstPage && address != 0 ? fmt::format("NULL + {}", address) : "";
  }

  // More than any memory has, so it was negative: which page it came to is not what is wrong.
  bool movesTooMuch() {
    if (instruction_.op != Op::Copy && instruction_.op != Op::Fill) return false;
    auto size = operandValue(frame_, symbols_, operand(2));
    if (!size || *size >> 47 == 0) return false;
    auto source = sourceValue(frame_, operand(2));
    std::string text = source && !isPlainNumber(source->text) ? source->text : "";
    criterion(2, text);
    set(FailureKind::Crash,
        fmt::format("{}: {} of {} bytes{}", signalName(end_.signal),
                    instruction_.op == Op::Copy ? "copy" : "fill", int64_t(*size), note(text)));
    return true;
  }

  void access() {
    if (movesTooMuch()) return;
    auto at = accessed();
    uint64_t address = end_.address;
    if (!at && address == ~uint64_t(0)) return set(FailureKind::Crash, signalName(end_.signal));
    std::string message =
        fmt::format("{}: {} {:#x}", signalName(end_.signal), end_.isWrite ? "write to" : "read of", address);
    if (!at) return set(FailureKind::Crash, message + note(addressNote(address)));
    if (address == ~uint64_t(0)) // not canonical: the processor does not say which
      message = fmt::format("{}: {} {:#x}, which is no address", signalName(end_.signal),
                            isStore(*at) ? "write to" : "read of",
                            operandValue(frame_, symbols_, operand(at->operand)).value_or(0));
    auto source = sourceAccess(frame_, operand(at->operand));
    // What an operator of the library's returned has no name that the source would show.
    if (!source || source->text.find("operator") != std::string::npos) {
      criterion(at->operand, "");
      return set(FailureKind::Crash, message + note(addressNote(address)));
    }
    std::string detail = source->text, ingredients = ingredientsText(*source, frame_, symbols_);
    bool saysNull =
        ingredients.find(" NULL") != std::string::npos || ingredients.find(" nullptr") != std::string::npos;
    if (std::string offset = addressNote(address); !saysNull && !offset.empty())
      detail = offset + ", " + detail;
    if (!ingredients.empty()) detail += ", " + ingredients;
    std::string objects = beyondText(*source, address, at->size);
    if (!objects.empty()) detail += "; that is " + objects;
    criterion(at->operand, source->text.starts_with('*') ? source->text.substr(1) : "&" + source->text);
    set(FailureKind::Crash, message + note(detail));
  }

  bool isStore(const Accessed& a) const {
    return instruction_.op != Op::Load && !(instruction_.op == Op::Copy && a.operand == 1);
  }
  static std::string note(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

  // An access that left the object its pointer or name stands for.
  std::string beyondText(const SourceAccess& source, uint64_t address, uint64_t size) const {
    if (!program_.names || source.from.empty()) return {};
    auto base = operandValue(frame_, symbols_, source.from.front().operand);
    auto name = source.from.front().isPointer && base ? program_.names->findFrom(*base, address, size)
                                                      : program_.names->find(address, size);
    return name && name->beyond != 0 ? ObjectNames::text(*name) : "";
  }

  void division() {
    bool divides = instruction_.op == Op::SDiv || instruction_.op == Op::UDiv ||
                   instruction_.op == Op::SRem || instruction_.op == Op::URem;
    if (!divides) return set(FailureKind::Crash, signalName(end_.signal));
    uint32_t type = instruction_.type;
    unsigned bits = type < frame_.image->types.size() ? frame_.image->types[type].bits : 64;
    uint64_t value = operandValue(frame_, symbols_, operand(1)).value_or(0);
    if (bits < 64 && bits > 0) value &= (uint64_t(1) << bits) - 1;
    auto divisor = sourceValue(frame_, operand(1));
    std::string text = divisor && !isPlainNumber(divisor->text) ? divisor->text : "";
    criterion(1, text);
    if (value != 0) return set(FailureKind::Crash, "Division overflow: the quotient does not fit its type");
    set(FailureKind::DivisionByZero,
        "Division by zero" + (text.empty() ? "" : fmt::format(": {} is 0", text)));
  }

  void illegal() {
    out_.criterion = Criterion{0, frame_.instruction, fir::kNone, 0, ""};
    std::string name(frame_.image->string(functionOf(frame_)->name));
    if (instruction_.op == Op::Unreachable)
      return set(FailureKind::IllegalInstruction,
                 fmt::format("Ran past the end of {}(), or into code marked unreachable", name));
    if (instruction_.op == Op::Trap)
      return set(FailureKind::IllegalInstruction,
                 "Trap: __builtin_trap, or a check that the compiler put in, failed");
    set(FailureKind::IllegalInstruction, signalName(end_.signal));
  }

  void badCallee() {
    auto target = operandValue(frame_, symbols_, operand(0));
    auto source = sourceValue(frame_, operand(0));
    std::string message =
        fmt::format("{}: call of {:#x}", signalName(end_.signal), target.value_or(end_.address));
    if (source)
      message += fmt::format(" ({}{})", source->text, target == uint64_t(0) ? ", a null pointer" : "");
    criterion(0, source ? source->text : "");
    set(FailureKind::Crash, std::move(message));
  }

  // Blames the argument that holds the address, or the nearest pointer below it.
  void outsideCall() {
    auto call = CallView::of(frame_, *program_.memory, symbols_);
    bool unknown = !call || call->linkerName().empty();
    if (call && unknown &&
        (call->argumentCount() == 0 || operandValue(frame_, symbols_, call->callee()).value_or(1) == 0))
      return badCallee();
    out_.callee = unknown ? "" : call->shownName();
    std::string message =
        signalName(end_.signal) + (unknown ? " in a function outside" : " in " + out_.callee + "()");
    // Of other signals it is the address of the instruction.
    bool isAccess = end_.signal == SIGSEGV || end_.signal == SIGBUS;
    if (isAccess && end_.address != ~uint64_t(0))
      message += fmt::format(": {} {:#x}", end_.isWrite ? "write to" : "read of", end_.address);
    if (!isAccess) message += ", called"; // where, is said next
    std::optional<size_t> blamed;
    if (call && isAccess) blamed = blamedArgument(*call);
    if (blamed) {
      auto source = sourceValue(frame_, call->operand(*blamed));
      uint64_t value = *call->argument(*blamed);
      std::string text = source && !isPlainNumber(source->text) ? source->text : "";
      message += fmt::format(" (argument {}{}{} is {})", *blamed + 1, text.empty() ? "" : ", ", text,
                             pointerText(value, *frame_.image));
      criterion(uint32_t(*blamed) + 1, text);
    } else {
      out_.criterion = Criterion{0, frame_.instruction, fir::kNone, 0, ""};
    }
    set(FailureKind::Crash, std::move(message));
  }

  std::optional<size_t> blamedArgument(const CallView& call) const {
    std::optional<size_t> best;
    uint64_t distance = 1 << 20;
    for (size_t k = 0; k < call.argumentCount(); ++k) {
      auto value = call.argument(k);
      if (!value || end_.address == ~uint64_t(0)) continue;
      bool isPointer = *value == 0 || *value >= kFirstPage || *value == end_.address;
      if (!isPointer || end_.address < *value || end_.address - *value >= distance) continue;
      if (*value == 0 && end_.address >= kFirstPage) continue;
      distance = end_.address - *value;
      best = k;
    }
    return best;
  }

  const RunEnd& end_;
  const StoppedProgram& program_;
  const FrameView& frame_;
  const SymbolView& symbols_;
  const fir::Instruction& instruction_;
  Failure out_;
};

} // namespace

Failure diagnoseCrash(const RunEnd& end, const StoppedProgram& program) {
  bool hasCode = !program.frames.empty() && functionOf(program.frames.front()) &&
                 program.frames.front().instruction < program.frames.front().image->instructions.size();
  if (hasCode) return CrashReader(end, program).run();
  Failure out;
  out.kind = FailureKind::Crash;
  out.signal = end.signal;
  out.message = signalName(end.signal) + " in code that was not built with Faultline";
  return out;
}

} // namespace faultline::replay
