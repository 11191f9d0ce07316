#include "base/log.h"

namespace faultline {

void Log::write(std::string_view prefix, Style style, std::string_view text) const {
  // A warning paints its prefix and leaves the text readable; a detail is dim as a whole.
  std::string line =
      prefix.empty() ? terminal_.paint(style, text) : terminal_.paint(style, prefix) + std::string(text);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stream_);
  std::fflush(stream_);
}

} // namespace faultline
