// Whether two logs tell of the same run: the same records at the same instances. Values that came from
// outside may differ (the number of a file, a time), and so may be what a call left in memory, of which
// there is a record only if it was not there before: where they do not change the way the run takes, it is
// the same way; how many there are is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace faultline::experiment {

// An instance that got something from outside. Records without an epoch have that of the one before them in
// their buffer.
struct OutsideValue {
  uint64_t epoch = 0;
  uint32_t id = 0;
};

struct LogComparison {
  std::optional<std::string> difference; // the first record that is another one
  std::vector<OutsideValue> otherValues = {};
};

// Both from the start of a buffer; `second` may go on beyond the end of `first`.
LogComparison compareLogs(std::span<const uint8_t> first, std::span<const uint8_t> second);

} // namespace faultline::experiment
