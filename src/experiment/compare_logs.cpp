#include "experiment/compare_logs.h"

#include "recording/log_decode.h"

#include <cstring>
#include <fmt/format.h>

namespace faultline::experiment {
namespace {

using recording::Decoded;
using recording::Record;

// Records of results are of different lengths for different values.
int kindOf(const Record& r) {
  switch (r.tag) {
  case FL_LOG_RET0:
  case FL_LOG_RET1:
  case FL_LOG_RET4:
  case FL_LOG_RET8:
    return FL_LOG_RET0;
  default:
    return r.tag;
  }
}

std::string text(const Record& r) {
  return fmt::format("{} of instruction {} in epoch {}", recording::tagName(r.tag), r.id, r.epoch);
}

bool isSamePlace(const Record& a, const Record& b) {
  return kindOf(a) == kindOf(b) && a.id == b.id && a.epoch == b.epoch && a.site == b.site &&
         a.thread == b.thread && a.signal == b.signal;
}

bool isSameValue(const Record& a, const Record& b) {
  if (a.value != b.value || a.address != b.address || a.size != b.size) return false;
  bool words =
      a.tag == FL_LOG_ENTER || a.tag == FL_LOG_MODULE || a.tag == FL_LOG_SYMBOLS || a.tag == FL_LOG_FINAL;
  return !a.bytes || std::memcmp(a.bytes, b.bytes, a.size * (words ? 8 : 1)) == 0;
}

} // namespace

LogComparison compareLogs(std::span<const uint8_t> first, std::span<const uint8_t> second) {
  LogComparison out;
  if (first.size() <= second.size() && std::memcmp(first.data(), second.data(), first.size()) == 0)
    return out;
  const uint8_t *a = first.data(), *b = second.data();
  const uint8_t *endA = a + first.size(), *endB = b + second.size();
  uint64_t epochA = 0, epochB = 0;
  Record one, other;
  for (;;) {
    Decoded gotA = recording::decodeRecord(a, endA, epochA, one);
    if (gotA != Decoded::Record) return out;
    if (recording::decodeRecord(b, endB, epochB, other) != Decoded::Record) {
      out.difference = fmt::format("{} instead of the end", text(one));
      return out;
    }
    if (!isSamePlace(one, other)) {
      out.difference = fmt::format("{} instead of {}", text(one), text(other));
      return out;
    }
    out.otherValues += !isSameValue(one, other);
  }
}

} // namespace faultline::experiment
