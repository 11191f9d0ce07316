// What one outside call made of what: the part of a dependence analysis that no instruction tells.
//
//   strcpy(d, "ab")      3 bytes at d, byte by byte from the 3 bytes at s; the result from argument 0
//   read(0, b, 16) == 5  5 bytes at b, byte by byte from the input of this call; the result from the input
//   f(p, 7), no model    what it was seen to have written, and its result, from its arguments and what they
//                        point to
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace faultline::depend {

struct AddressRange {
  uint64_t address = 0, size = 0;
};

struct FlowSource {
  enum Kind : uint8_t {
    Argument, // number `argument` of the call, from 0
    Memory,   // `size` bytes at `address`, as they were when the call began
    Input,    // what the call took from outside: from byte `address` of that on, `size` bytes
    World,    // time, environment, random numbers, a new address: nothing that the program made
  };
  Kind kind = World;
  uint32_t argument = 0;
  uint32_t frame =
      0; // whose call has the argument: 0 the call itself, 1 that of the frame around it (vprintf)
  uint64_t address = 0, size = 0; // Input: size kAllInput: nobody knows how many bytes
  bool operator==(const FlowSource&) const = default;
};
inline constexpr uint64_t kNoTime = ~uint64_t(0);
inline constexpr uint64_t kAllInput = ~uint64_t(0);

struct OutsideFlow {
  bool toResult = false; // else to memory:
  uint64_t address = 0, size = 0;
  bool isBytewise = false; // byte k comes from byte k of the only source, which has the same size
  // The call may have written there, and where exactly is not known: true only of the bytes that the program
  // later finds written from outside (TraceOther::OutsideWrite).
  bool ifNoticed = false;
  bool isSizeSeen = false;              // `size` is how far bytes were seen to change: there may be more
  std::vector<FlowSource> sources = {}; // none: a constant, such as the NUL at the end of a string
};

// The bytes that a call took from outside, and where they stand there. Which file that is, and the offset in
// it, is known only to one who has followed the run from its start (inputs.h).
struct OutsideEffect {
  uint64_t time = kNoTime;   // of the call; kNoTime: it began before the trace did
  std::string function = {}; // linker name; empty: not known
  bool isModelled = false;
  bool isPartial = false; // the model speaks of memory that replay has not seen: there may be more flows
  bool mayNotReturn = false;
  uint64_t inputBytes = 0;              // kAllInput: some, nobody knows how many
  std::vector<uint64_t> arguments = {}; // the first word of each
  std::optional<uint64_t> result = {};  // nothing: nobody uses it
  std::vector<OutsideFlow> flows = {};
  // Bytes that memory had otherwise when it had returned: it wrote them, or printed what was never looked at.
  std::vector<AddressRange> seen = {};
};

} // namespace faultline::depend
