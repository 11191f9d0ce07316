// What one call of the scanf family stores, and which bytes of its text each conversion has read.
//
//   sscanf("12 ab", "%d %s", &n, s)     4 bytes at n from "12 "; 2 bytes at s bytewise from "ab", then a NUL
#pragma once

#include "depend/call_model_state.h"
#include "depend/outside_flow.h"

namespace faultline::depend {

class ScannedText {
public:
  // text: address of what is read; nothing: input, which nobody has seen. `first`: argument with the first
  // target.
  ScannedText(const CallState& state, std::optional<uint64_t> text, uint64_t format, uint32_t first,
              std::optional<uint32_t> listArgument);

  // The same of input whose bytes are known: consumed() is how many of them it takes.
  ScannedText(const CallState& state, std::string_view text, uint64_t format);
  uint64_t consumed() const { return at_; }
  // And what each conversion that stores something takes: first byte, bytes. Only as far as the text fits.
  const std::vector<std::pair<uint64_t, uint64_t>>& pieces() const { return pieces_; }

  // stored: how many conversions have stored something; nothing: not known.
  std::vector<OutsideFlow> flows(std::optional<int64_t> stored) const;
  // What decided on the result.
  std::vector<FlowSource> sources() const;

private:
  struct Conversion {
    uint64_t target = 0;
    uint64_t size = 0;           // 0: a string
    uint64_t from = 0, read = 0; // in the text
    uint64_t skipped = 0;        // blanks in front, in `read`
    bool counts = true;          // %n does not
    bool isKnown = false;        // what it read
    uint64_t number = 0;
  };
  void run(std::string_view format, const replay::VariableArguments& targets);

  std::optional<uint64_t> address_;
  std::string text_;
  bool isReadable_ = false;
  uint64_t format_ = 0, formatSize_ = 0, at_ = 0;
  std::vector<Conversion> conversions_;
  std::vector<std::pair<uint64_t, uint64_t>> pieces_;
};

} // namespace faultline::depend
