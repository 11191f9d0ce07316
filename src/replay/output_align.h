// Lays what the calls of a run should have written along what was really written, and so finds the call and
// argument behind each byte.
//
// A stream is fed by one or more queues: its FILE's buffer, calls of write, a second FILE. Within a queue the
// order is that of the calls; between queues it depends on when buffers were flushed, so at each byte the
// queue goes on whose next field is there. If none is, because a field was not known or not as we thought,
// the nearest place is looked for at which the fields behind it are found again:
//
//   fields     "name: "  ?  "\n"  "size: "  "12"  "\n"
//   written    name: Anna\nsize: 12\n               "\nsize: 12" is found 4 bytes on, so "Anna" is the field
//   ?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::replay {

inline constexpr uint32_t kNoField = 0xffffffffu;

struct QueuedField {
  uint64_t begin = 0; // in the queue's text
  uint32_t length = 0;
  uint32_t call = 0;
  uint32_t others = kNoField; // index in the queue's `others`
  uint16_t spec = 0;
  uint8_t argument = 0;
  uint8_t frame = 0;
  bool isKnown = true;
};

struct OutputQueue {
  uint32_t stream = 0;
  std::string text = {};
  std::vector<QueuedField> fields = {};
  std::vector<std::vector<std::string>> others = {};

  std::string_view textOf(const QueuedField& f) const {
    return std::string_view(text).substr(f.begin, f.length);
  }
};

struct OutputSpan {
  uint64_t begin, end; // of what was written
  uint32_t queue = 0;
  uint32_t field = kNoField; // kNoField: nobody knows
  bool isVerified = false;   // the field's text is what was written
  bool operator==(const OutputSpan&) const = default;
};

struct UnwrittenField {
  uint32_t queue, field;
  uint32_t from; // so many of its bytes were written
  bool operator==(const UnwrittenField&) const = default;
};

struct Alignment {
  std::vector<OutputSpan> spans; // all bytes from `start` on, in order
  std::vector<UnwrittenField> unwritten;
};

// Bytes before `start` are not looked at.
Alignment alignOutput(std::string_view written, uint64_t start, std::span<const OutputQueue> queues,
                      uint32_t stream);

} // namespace faultline::replay
