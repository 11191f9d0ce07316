// What `stream << value` writes. How a std::ostream formats is told by its own members. The program writes
// them through inline functions (std::hex, cout.width(8)), which the replay sees, or through outside calls
// (std::setw), which a Manipulators is told of; not seen are values that nobody has set or read, and a width
// that the library took back after its use. Where that leaves a doubt there are several answers, the
// likeliest first; what was really written decides.
#pragma once

#include "replay/views.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::replay {

struct OstreamState {
  std::vector<uint64_t> precisions = {6}, widths = {}; // that may be in force
  uint32_t flags = 0;
  char fill = ' ';
};

class Manipulators {
public:
  // std::setw and its like, as outside functions; null: another function.
  static const char* kindOf(std::string_view linkerName);
  void onCall(const char* kind, uint64_t stream, uint64_t argument);
  // A width is used once.
  void onOutput(uint64_t stream) { set_[stream].width = 0; }
  // Of one of the library's own streams (cout, cerr, clog).
  OstreamState stateOf(const MemoryView& memory, uint64_t stream) const;

private:
  struct Set {
    std::optional<uint64_t> precision = {};
    uint64_t width = 0;
    std::optional<char> fill = {};
    uint32_t on = 0, off = 0; // flags
  };
  std::map<uint64_t, Set> set_;
};

// `type` as mangled names have it: b s t i j l m x y f d e, P for a pointer.
std::vector<std::string> ostreamNumber(char type, const uint64_t* words, const OstreamState& state);

// Each text padded to each width, then the texts themselves.
std::vector<std::string> ostreamPadded(const std::vector<std::string>& texts, const OstreamState& state);

} // namespace faultline::replay
