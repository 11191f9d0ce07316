#include "experiment/compare_logs.h"

#include "recording/log_decode.h"

#include <algorithm>
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
  const bool isSameEpoch = a.epoch == b.epoch || !a.hasEpoch(); // else it has that of some record before
  return kindOf(a) == kindOf(b) && a.id == b.id && isSameEpoch && a.site == b.site && a.thread == b.thread &&
         a.signal == b.signal;
}

// False: there is none. `bytes`: all of it, as it stands in the log.
bool next(const uint8_t*& at, const uint8_t* end, uint64_t& epoch, Record& record,
          std::span<const uint8_t>& bytes) {
  const uint8_t* start = at;
  if (recording::decodeRecord(at, end, epoch, record) != Decoded::Record) return false;
  bytes = {start, at};
  return true;
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
    std::span<const uint8_t> bytesOne, bytesOther;
    if (!next(a, endA, epochA, one, bytesOne)) return out;
    bool isThere = next(b, endB, epochB, other, bytesOther);
    while (isThere && one.tag == FL_LOG_EFFECT && other.tag != FL_LOG_EFFECT) {
      out.otherValues.push_back({epochA, one.id});
      if (!next(a, endA, epochA, one, bytesOne)) return out;
    }
    while (isThere && other.tag == FL_LOG_EFFECT && one.tag != FL_LOG_EFFECT) {
      out.otherValues.push_back({epochA, other.id});
      isThere = next(b, endB, epochB, other, bytesOther);
    }
    if (!isThere) {
      out.difference = fmt::format("{} instead of the end", text(one));
      return out;
    }
    if (!isSamePlace(one, other)) {
      out.difference = fmt::format("{} instead of {}", text(one), text(other));
      return out;
    }
    if (!std::ranges::equal(bytesOne, bytesOther)) out.otherValues.push_back({epochA, one.id});
  }
}

} // namespace faultline::experiment
