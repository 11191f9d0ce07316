// Numbers, sizes, durations and commands as a person reads them.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace faultline {

// 1234567 → "1,234,567".
std::string withThousands(uint64_t number);

// 999 → "999 B", 1234567 → "1.2 MB". Powers of 1000.
std::string humanSize(uint64_t bytes);

// "500", "64K", "1.5M", "2G" → bytes. Powers of 1000, as humanSize prints them.
Result<uint64_t> parseSize(std::string_view text);

// 0.0042 → "4.2 ms", 1.44 → "1.4 s", 75 → "1 min 15 s", 3720 → "1 h 02 min".
std::string humanDuration(double seconds);

// "word" where a shell would take it as it stands, else 'quoted', so that it can be pasted.
std::string shellWord(std::string_view word);
std::string shellCommand(std::span<const std::string> argv);

} // namespace faultline
