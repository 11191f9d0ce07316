// What each instruction does to data, in a form that a walk over a trace can follow without looking at the
// instruction again. Made once for each function, when the walk first meets it; or by hand, in tests.
//
// A *flow* says which bits of an operand a wanted bit of the result depends on. So the bits of a bit-field
// stay apart although they are loaded, masked and shifted together:
//
//   w5 = And w4, 0xf0     wanted bits m of w5    wanted of w4: m & 0xf0
//   w6 = LShr w5, 4       wanted bits m of w6    wanted of w5: m << 4
//   w7 = Add w6, w2       wanted bits m of w7    wanted of w6, w2: all up to the highest of m
#pragma once

#include "program/control_dependence.h"
#include "program/segments.h"

#include <memory>

namespace faultline::depend {

enum class Flow : uint8_t {
  All,   // any bit of the result: all of the operand
  Same,  // bit by bit
  Carry, // bits up to the highest one wanted
  Mask,  // those in `parameter`
  Up,    // the operand was shifted to the right by `parameter`: its bits lie higher
  UpSigned,
  Down,   // it was shifted to the left
  Extend, // the low `parameter` bits
  ExtendSigned,
  Piece,  // the result is the piece at byte `parameter` of the operand
  Inside, // the operand is the piece at byte `parameter` of the result, `bytes` long
  Around, // all but that piece
  Chosen, // a Select's: Same if it was chosen, else nothing
};

enum class Role : uint8_t { Value, Address, Condition };

// How a variable argument gets to the function: where va_arg looks for it.
enum class Passed : uint8_t { General, Floating, Memory };

struct Use {
  uint32_t word = 0;
  uint16_t words = 1;
  Flow flow = Flow::All;
  Role role = Role::Value;
  uint32_t bytes = 0;
  uint64_t parameter = 0; // Chosen: 1 or 0, the condition that chooses it
};

enum class StepKind : uint8_t {
  Nothing,
  Compute, // words dst.. <- uses
  Phi,     // the same; `value` of each use is for one predecessor
  Load,
  Store,
  Copy, // memcpy, memmove, va_copy
  Fill,
  Update,   // atomic read and write
  Exchange, // compare and exchange
  Branch,   // of a block with several successors
  Call,
  Return,
  LandingPad,
  VariableList, // va_start
};

// A word or a constant. A word's value is in the trace, `traced` words behind the segment's first.
struct Place {
  uint32_t traced = 0;
  bool isConstant = true;
  uint64_t constant = 0;
};

// The words of a trace that belong to a segment, or to the part of it that begins behind `skipped` of them.
struct StepWords {
  const uint64_t* first = nullptr;
  uint32_t skipped = 0;
  uint64_t operator[](uint32_t traced) const { return first[traced - skipped]; }
};

struct Step {
  StepKind kind = StepKind::Nothing;
  uint32_t dst = 0;
  uint16_t dstWords = 0;
  uint16_t useCount = 0;
  uint32_t firstUse = 0; // Store, Update, Exchange: the first use is the address, if that is a word
  uint32_t bytes = 0;    // of an access
  uint32_t traced = 0;   // words of the trace before this step, from the segment's first
  Place address, source, size;
  uint64_t parameter = 0;
  uint64_t kept = 0;   // of a store: bits that it writes back as they were (written_back.h)
  uint64_t unread = 0; // bits of a result that no one makes anything of: only other bits of it are looked at
};

struct SegmentCode {
  uint32_t module = 0, function = 0, block = 0;
  uint32_t firstId = 0; // global id of its first instruction
  uint32_t count = 0;
  uint32_t traceWords = 0;
  bool beginsFunction = false, beginsBlock = false, endsBlock = false;
  bool hasVariableList = false;
  std::vector<Step> steps;
  std::vector<Use> uses;
  std::vector<uint32_t> predecessors;                 // Phi: of each use
  std::vector<std::pair<uint32_t, uint64_t>> defined; // word / 64, bits: what the segment may define
  std::vector<uint32_t> writes;                       // steps that write memory
};

// Of the part from..to of a segment, whose words end before `end`.
inline StepWords partWords(const SegmentCode& code, uint32_t from, uint32_t to, const uint64_t* end) {
  uint32_t before = code.steps[from].traced;
  uint32_t behind = to < code.count ? code.steps[to].traced : code.traceWords;
  return {end - (behind - before), before};
}

struct FunctionCode {
  uint32_t module = 0, function = 0;
  uint32_t words = 0, blocks = 0;
  std::vector<std::pair<uint32_t, uint32_t>> arguments; // first word, words
  std::unique_ptr<fir::ControlDependence> control;
};

// Where the images of a run stand: what turns numbers of segments into code.
struct ModuleCode {
  const fir::Image* image = nullptr;
  const fir::Segments* segments = nullptr;
  uint32_t segmentBase = 0;
  uint32_t idBase = 0;
  std::span<const uint64_t> constants; // as numbers
};

class Code {
public:
  virtual ~Code() = default;
  // By the number that a trace has.
  const SegmentCode& segment(uint32_t number) {
    if (number < segments_.size() && segments_[number]) [[likely]]
      return *segments_[number];
    return decode(number);
  }
  const FunctionCode& function(uint32_t module, uint32_t number);
  // The numbers that a module's segments have in traces; none: there is no such module.
  struct Numbers {
    uint32_t first = 0, count = 0;
  };
  virtual Numbers segmentsOf(uint32_t module) { return {}; }
  virtual bool hasFunction(uint32_t module, uint32_t number) { return false; }

protected:
  virtual std::unique_ptr<SegmentCode> makeSegment(uint32_t number) = 0;
  virtual std::unique_ptr<FunctionCode> makeFunction(uint32_t module, uint32_t number) = 0;

private:
  const SegmentCode& decode(uint32_t number);

  std::vector<std::unique_ptr<SegmentCode>> segments_;
  std::vector<std::vector<std::unique_ptr<FunctionCode>>> functions_;
};

std::unique_ptr<SegmentCode> decodeSegment(const ModuleCode& module, uint32_t moduleNumber,
                                           const fir::Segment& segment);
std::unique_ptr<FunctionCode> decodeFunction(const fir::Image& image, uint32_t moduleNumber,
                                             uint32_t function);

} // namespace faultline::depend
