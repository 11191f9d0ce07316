// What a part of the run did, as far as replay cannot tell it from the program alone: which segments
// (program/segments.h) were executed, one after the other, and with which addresses. The dependence analysis
// reads it backwards or forwards without executing anything again.
//
// `events` has, in two top bits and a number:
//   Segment  the segment with this number was executed from its first to its last instruction
//   Return   the function that was called at the end of this segment has returned to it
//   Other    others[number]
// `words` has for each executed segment the frame words that its instructions need (traceWords), in order.
#pragma once

#include "program/segments.h"

#include <cstdint>
#include <vector>

namespace faultline::replay {

enum class TraceEvent : uint32_t { Segment = 0, Return = 1, Other = 2 };
inline constexpr uint32_t kTraceNumber = 0x3fffffffu;
constexpr uint32_t makeEvent(TraceEvent kind, uint32_t number) { return (uint32_t(kind) << 30) | number; }
constexpr TraceEvent eventKind(uint32_t event) { return TraceEvent(event >> 30); }
constexpr uint32_t eventNumber(uint32_t event) { return event & kTraceNumber; }

struct TraceOther {
  enum Kind : uint8_t {
    Part,    // of segment: `count` instructions from the `from`-th on
    Outside, // the outside call at the end of segment is over; number: as the listener gave it
    Enter,   // outside code called function; from = 1: a signal handler
    Leave,   // the function that outside code had called has returned there
    Unwound, // a frame of function was left, by longjmp or an exception
    Land,    // control arrived at the landing pad of the call at the end of segment
    Jumped,  // the setjmp at the end of segment returned again
    Switch,  // from thread `from` to thread `count`
    // va_start: registers were saved at address, from byte `from` (general) and `count` (floating) on;
    // further arguments are at `size`; the list itself is at `number`.
    VariableArguments,
    OutsideWrite, // outside code had written `size` bytes at address; noticed by instruction `from` of
                  // segment
  };
  Kind kind;
  uint32_t segment = 0;
  uint32_t from = 0, count = 0;
  uint32_t module = 0, function = 0; // Enter, Unwound
  uint64_t address = 0, size = 0;
  uint64_t number = 0;
};

struct Trace {
  uint64_t start = 0, end = 0; // time
  std::vector<uint32_t> events;
  std::vector<uint64_t> words;
  std::vector<TraceOther> others;
  size_t bytes() const { return events.size() * 4 + words.size() * 8 + others.size() * sizeof(TraceOther); }
};

// The segment that was executed before this event; the trace may have only a part of it.
inline uint32_t segmentBefore(const Trace& trace, size_t event) {
  uint32_t number = eventNumber(trace.events[event - 1]);
  bool isPart = eventKind(trace.events[event - 1]) == TraceEvent::Other;
  return isPart ? trace.others[number].segment : number;
}

// visit(operand) for each frame word of the instruction that goes to the trace, in order: what an access has
// as its addresses and sizes, what a Select chose by, whether a CmpXchg has stored, where an Alloca lies.
// Constants stay out.
template <class Visit> void traceWords(const fir::Image& image, const fir::Instruction& i, Visit&& visit) {
  using fir::Op;
  std::span<const fir::Operand> operands = image.operandsOf(i);
  auto word = [&](uint32_t k) {
    if (fir::operandKind(operands[k]) == fir::OperandKind::Word) visit(fir::operandIndex(operands[k]));
  };
  switch (i.op) {
  case Op::Load:
  case Op::Store:
  case Op::AtomicRMW:
  case Op::VaStart:
  case Op::Select:
    return word(0);
  case Op::CmpXchg:
    word(0);
    if (i.dst != fir::kNone) visit(i.dst + uint32_t(i.imm / 8));
    return;
  case Op::Alloca:
    if (i.dst != fir::kNone) visit(i.dst);
    return;
  case Op::AllocaDyn:
    word(0);
    if (i.dst != fir::kNone) visit(i.dst);
    return;
  case Op::VaCopy:
    return word(0), word(1);
  case Op::Copy:
    return word(0), word(1), word(2);
  case Op::Fill:
    return word(0), word(2);
  default:
    return;
  }
}

} // namespace faultline::replay
