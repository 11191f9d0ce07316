// What a backward walk finds: the instances that a value depends on, each with the one that needed it. Up to
// a limit every instance is a node of its own; behind that, instances of an instruction share its first node,
// and only the counts go on.
#pragma once

#include "depend/wanted_memory.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace faultline::depend {

enum class Why : uint8_t {
  Criterion, // the question starts here
  Value,     // made the value that was used
  Address,   // made the address that was used
  Control,   // decided that it was executed
  Call,      // called the function it is in
  Potential, // decided otherwise, it might have changed the value
  Callback,  // what outside code called back returned this
  Thrown,    // threw, or jumped, to where it goes on
};

inline constexpr uint32_t kNoConsumer = 0x0fffffffu;
constexpr Wanter makeWanter(uint32_t node, Why why) { return node | uint32_t(why) << 28; }
constexpr uint32_t nodeOf(Wanter w) { return w & kNoConsumer; }
constexpr Why whyOf(Wanter w) { return Why(w >> 28); }

struct Node {
  uint64_t time = 0;
  uint32_t id = 0;                 // global id of the instruction
  uint32_t consumer = kNoConsumer; // the node that needed it
  Why why = Why::Value;
  uint32_t thread = 0;
};

// Where values come from that no instruction of the program made.
struct Leaf {
  enum Kind : uint8_t {
    Input,         // bytes from..from+size of what the call at `time` read
    World,         // time, a new address, ...: by the call at `time`
    BlackBox,      // by the call at `time`, of which no model is known
    Initial,       // memory as the program was loaded: a global's initial value
    ProgramStart,  // arguments of the function that outside code called first: argc, argv
    SignalHandler, // arguments of a handler
    Unseen,        // memory that outside code wrote, nobody knows which
    Stopped,       // the walk was told to stop at this function
  };
  Kind kind;
  uint64_t time = 0;
  uint32_t id = 0;             // of the call
  uint64_t from = 0, size = 0; // Input; Initial, Unseen: address
  uint32_t consumer = kNoConsumer;
};

struct InstructionCount {
  uint64_t instances = 0;
  uint32_t node = kNoConsumer; // the instance closest to the criterion
};

struct Slice {
  std::vector<Node> nodes; // latest first
  std::vector<Leaf> leaves;
  std::unordered_map<uint32_t, InstructionCount> instructions; // by global id
  std::unordered_map<std::string, uint64_t> blackBoxes;        // functions without a model: calls
  bool isBounded = false;                                      // the walk stopped at its limit
  bool hasAllNodes = true;
  uint64_t start = 0;    // time at which the walk ended
  uint64_t walked = 0;   // instructions
  uint64_t repeated = 0; // pieces of segments that the walk knew from before
  uint64_t joined = 0;   // instructions at the start of the run that it left to an earlier walk
};

// Of each node: how many dependences lie between it and the criterion.
inline std::vector<uint32_t> depthsOf(const Slice& slice) {
  std::vector<uint32_t> depths(slice.nodes.size());
  for (size_t k = 0; k < depths.size(); ++k)
    if (uint32_t consumer = slice.nodes[k].consumer; consumer < k) depths[k] = depths[consumer] + 1;
  return depths;
}

} // namespace faultline::depend
