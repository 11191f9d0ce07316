// A model of one outside function: which bytes it makes of which, in terms of its arguments, its result and
// the memory that they point to. models.h makes them from text; docs/models.md describes that.
//
//   strcat(d, s): (d + len(d))[z(s)] <= s[]; result <= d
//
// is two clauses over the nodes  d  len(d)  d + len(d)  s  z(s)  d.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::depend {

inline constexpr uint32_t kNoNode = ~0u;

// A part of an expression; its operands stand before it in CallModel::nodes.
struct ModelNode {
  enum Kind : uint8_t {
    Number,   // value
    Argument, // number `value`
    Result,
    Unknown, // [?]
    Add,
    Subtract,
    Multiply,
    Equal,
    NotEqual,
    Less, // signed
    AtMost,
    And,
    Or,
    Function, // `function` of the operands
  };
  Kind kind = Number;
  uint8_t function = 0; // ModelFunction
  bool isLate = false;  // needs the result, or memory as it is when the call has returned
  uint32_t operands[3] = {kNoNode, kNoNode, kNoNode};
  uint64_t value = 0;
};

// What an expression can say of numbers and of memory.
enum class ModelFunction : uint8_t {
  Minimum,     // min(a, b)
  Maximum,     // max(a, b)
  Length,      // len(p), len(p, n): bytes before the NUL, at most n
  WithNul,     // z(p): the NUL as well
  Word,        // *p: the 8 bytes there
  Word4,       // u32(p)
  Signed,      // int(x): x as a 32-bit number with a sign
  Difference,  // diff(a, b, n): bytes up to the first that differs, this one included; at most n
  DifferenceZ, // diffz(a, b, n): the same, ends behind a NUL
  DifferenceI, // diffi(a, b, n): the same without regard to case
  Span,        // span(s, set): leading bytes that are in the set
  SpanNot,     // cspan(s, set): leading bytes that are not, and not NUL
  Integer,     // integer(s, base): what strtol looks at, the byte that ends the number included
  Decimal,     // decimal(s): the same of strtod
  BlockSize,   // block(p): size of the block that an allocator gave
  Data,        // data(p): where the object at p keeps its bytes, as an earlier call said; else *p
  Global,      // global(name): address of that variable of the program or a library
  Sum,         // iovec(p, n): bytes in all
};

struct ModelTerm {
  enum Kind : uint8_t {
    Argument,  // number `node`
    Memory,    // at node `address`, node `size` bytes; no size: as many as the target has
    Input,     // node `size` bytes, or all
    World,     // nothing that the program made
    Arguments, // all that were passed, and what they point to
    Format,    // what printf makes: format at node `address`, `list`: argument with a va_list
  };
  Kind kind = World;
  uint32_t argument = 0;
  uint32_t address = kNoNode, size = kNoNode;
  uint32_t list = kNoNode;
};

struct ModelClause {
  enum Kind : uint8_t {
    Flow,     // target from terms
    Scan,     // scanf: terms[0] is read by the format at node `address`
    Takes,    // the call took node `size` bytes of input
    Remember, // data(node `address`) is node `size` from now on
    Counts,   // printf to somewhere else: only what %n stores. terms[0] is the format
  };
  Kind kind = Flow;
  bool toResult = false;
  bool isBytewise = false;
  uint32_t address = kNoNode, size = kNoNode; // of the target; no size: as long as the source
  uint32_t condition = kNoNode;
  bool ifNoticed = false; // d[?n]
  std::vector<ModelTerm> terms = {};
};

struct CallModel {
  std::string name; // linker name
  uint32_t parameters = 0;
  bool isVariadic = false;
  bool mayNotReturn = false;
  bool prints = false; // its result, used or not, comes from what decides how much it prints
  std::vector<ModelNode> nodes = {};
  std::vector<std::string> globals = {}; // that nodes name, by number
  std::vector<ModelClause> clauses = {};
};

} // namespace faultline::depend
