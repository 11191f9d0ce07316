// What one call of the printf family makes, byte by byte: taken when the call begins, laid over its target
// when it has returned.
//
//   sprintf(d, "%s: %d", name, n)    the bytes at `name`, bytewise; ": " from the format, bytewise; the rest
//                                    from argument 3; the NUL from nothing
#pragma once

#include "depend/call_model_state.h"
#include "depend/outside_flow.h"

namespace faultline::depend {

class FormattedText {
public:
  // `first`: argument that the format's own arguments begin with. `list`: or the va_list they are in.
  FormattedText(const CallState& state, uint64_t format, uint32_t first,
                std::optional<uint32_t> listArgument);

  // Of at most `limit` bytes at the target, the NUL included. `total`: what the call says it made.
  std::vector<OutsideFlow> flows(const replay::MemoryView& memory, uint64_t target, uint64_t limit,
                                 std::optional<uint64_t> total) const;
  // What %n stored.
  std::vector<OutsideFlow> counts() const;
  // All that it is made of.
  std::vector<FlowSource> sources() const;

private:
  struct Part {
    std::string text;
    bool isKnown = true;
    uint64_t copiedFrom = 0; // address, or 0: computed
    uint64_t lead = 0, copied = 0;
    bool isString = false; // %s: replay may know less of it than was written
    std::vector<FlowSource> arguments;
    uint64_t countAt = 0, countSize = 0; // of %n
  };
  void add(const CallState& state, const replay::FormatPart& from);
  FlowSource argument(uint32_t number) const;
  void lay(const Part& part, uint64_t at, uint64_t room, std::vector<OutsideFlow>& out) const;
  // The parts as they must have been to give this text: strings may differ from what replay knew of them.
  std::optional<std::vector<Part>> fitted(std::string_view written, bool isCut) const;
  bool fit(std::vector<Part>& parts, size_t part, std::string_view rest, bool isCut, uint32_t& tries) const;

  uint64_t format_ = 0, formatSize_ = 0;
  uint32_t first_ = 0, frame_ = 0;
  std::optional<uint32_t> list_; // all that is known of the arguments
  replay::VariableArguments words_;
  std::vector<Part> parts_;
  bool isReadable_ = true;
};

void addSource(std::vector<FlowSource>& sources, const FlowSource& source);

} // namespace faultline::depend
