// The functions that write to a stream, and what one call of them hands over: its bytes, split into fields by
// the argument that each comes from. Knows nothing of engines, so that it can be tried on arguments made by
// hand.
//
//   fprintf(stderr, "%s: %d\n", name, n)      "main"  argument 3, %s, a copy of the bytes at `name`
//                                             ": "    argument 2, the format
//                                             "7"     argument 4, %d
//                                             "\n"    argument 2
#pragma once

#include "replay/ostream_format.h"
#include "replay/printf_format.h"

namespace faultline::replay {

struct OutputFunction {
  enum Kind : uint8_t {
    Bytes,     // `data`, `size` bytes of it
    Items,     // `data`, items of size `size`, as many as the next argument says
    Vector,    // `data`: array of iovec, `size`: how many
    Text,      // the string at `data`
    Line,      // the same and a newline
    Character, // `data`
    Format,    // printf: format in `data`, its arguments behind it
    List,      // vprintf: format in `data`, a va_list behind it
    Error,     // perror: the string at `data`, and what the error is called
    Unseen,    // writes something, but only it knows what
    Value,     // ostream << number of the type `type`
    Padded,    // ostream << text: `type` c: a character, s: a string, o: std::string, n: `size` bytes
    Manipulator,
    Newline, // std::endl
  };
  enum Target : uint8_t { Output, Errors, Fd, File, Ostream };
  Kind kind;
  Target target;
  uint8_t to = 0; // argument, from 0, that names the target
  uint8_t data = 0;
  uint8_t size = 0;
  char type = 0; // as mangled names have it
};

// Null: writes nothing, or is not known to us.
const OutputFunction* outputFunction(std::string_view linkerName);

struct OutputField {
  std::string text = {};
  bool isKnown = true;
  uint32_t argument = 0; // from 1; 0: the function's own, such as the newline of puts
  uint32_t frame = 0;    // whose call has the argument: 0 the call itself, 1 that of the frame around it ...
  std::string spec = {}; // of printf
  uint64_t address = 0;  // `text` without `lead` is a copy of the bytes here; 0: computed
  uint32_t lead = 0;
  std::vector<std::string> others = {}; // what it may be instead, if the stream's state is not known
};

// Arguments behind a va_list: those that a variadic function was called with.
struct ListArguments {
  VariableArguments words;
  uint32_t frame = 0;
  uint32_t first = 0; // argument, from 1, of that call that variable argument 0 is
};

struct OutputArguments {
  VariableArguments words; // of argument n, from 0
  const MemoryView* memory = nullptr;
  std::function<ListArguments(uint64_t list)> list = nullptr;
  std::function<std::string(uint64_t address)> nameOf = nullptr; // linker name of a function
  std::function<OstreamState(uint64_t stream)> ostream = nullptr;
};

std::vector<OutputField> outputFields(const OutputFunction& function, const OutputArguments& arguments);

} // namespace faultline::replay
