// Which of the program's streams a call writes to: by descriptor, FILE or std::ostream, also after dup, dup2,
// fdopen and freopen. What shares one buffer is one queue (output_align.h).
#pragma once

#include "replay/output_call.h"

#include <map>
#include <optional>

namespace faultline::replay {

struct OutputTarget {
  uint32_t stream = 0; // 1 or 2
  uint64_t queue = 0;  // 0: not buffered; else tells one buffer from another
  auto operator<=>(const OutputTarget&) const = default;
};

class OutputStreams {
public:
  OutputStreams(const MemoryView& memory, const SymbolView& symbols) : memory_(memory), symbols_(symbols) {}

  // Nothing: some file or pipe that is none of the program's streams.
  std::optional<OutputTarget> targetOf(const OutputFunction& function, const VariableArguments& arguments);

  // Of functions that change what a descriptor or a FILE stands for.
  static bool changesStreams(std::string_view linkerName);
  void onCall(std::string_view linkerName, const VariableArguments& arguments);
  void onReturn(std::string_view linkerName, const VariableArguments& arguments, uint64_t result);

private:
  uint32_t streamOfFd(uint64_t fd) const; // 0: none
  std::optional<OutputTarget> unbuffered(uint64_t fd) const;
  std::optional<OutputTarget> ofFile(uint64_t file);
  std::optional<OutputTarget> ofOstream(uint64_t ostream);
  std::optional<OutputTarget> standard(uint32_t stream) const;
  void refreshSymbols();

  const MemoryView& memory_;
  const SymbolView& symbols_;
  size_t modules_ = 0;
  uint64_t stdout_ = 0, stderr_ = 0, cout_ = 0, cerr_ = 0, clog_ = 0; // addresses of the variables
  std::map<uint64_t, uint32_t> fds_ = {{1, 1}, {2, 2}};
  std::map<uint64_t, uint64_t> files_; // FILE -> descriptor, beyond stdout and stderr
  bool isReopened_[3] = {};            // stdout, stderr: by freopen
  bool ownBuffer_ = false;             // cout no longer writes to stdout's
};

} // namespace faultline::replay
