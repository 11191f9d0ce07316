#include "recording/log_decode.h"

#include <initializer_list>

namespace faultline::recording {
namespace {

// Reads fields in order. Once one is out of bounds it is bad for good, so that a decoder can read all the
// fields of a record and ask once.
class Fields {
public:
  Fields(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  uint64_t uleb() {
    if (at_ < end_ && *at_ < 0x80) return *at_++;
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= end_) break;
      uint8_t byte = *at_++;
      uint64_t part = byte & 0x7f;
      if (shift == 63 && part > 1) break; // more than 64 bits
      value |= part << shift;
      if (byte < 0x80) return value;
    }
    bad_ = true;
    return 0;
  }
  uint32_t uleb32() {
    uint64_t value = uleb();
    if (value > UINT32_MAX) bad_ = true;
    return uint32_t(value);
  }
  template <class T> T fixed() {
    T value{};
    if (size_t(end_ - at_) < sizeof(T)) {
      bad_ = true;
      return value;
    }
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  const uint8_t* span(uint64_t count, uint64_t unit) {
    const uint8_t* begin = at_;
    if (bad_ || count > uint64_t(end_ - at_) / unit) {
      bad_ = true;
      return nullptr;
    }
    at_ += count * unit;
    return begin;
  }
  bool bad() const { return bad_; }
  const uint8_t* at() const { return at_; }

private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool bad_ = false;
};

void bytes(Fields& in, Record& r) {
  r.size = in.uleb();
  r.bytes = in.span(r.size, 1);
}

void words(Fields& in, Record& r, uint64_t perEntry = 1) {
  uint64_t count = in.uleb();
  r.bytes = in.span(count, 8 * perEntry);
  r.size = count * perEntry;
}

template <class T> void scalar(Fields& in, Record& r) {
  r.id = in.uleb32();
  r.value = in.fixed<T>();
  r.size = sizeof(T);
}

// The rare records. False: no such tag.
bool decodeOther(Fields& in, Record& r) {
  switch (r.tag) {
  case FL_LOG_ENTER:
    r.site = in.uleb();
    r.id = in.uleb32();
    words(in, r);
    return true;
  case FL_LOG_LAND:
    r.id = in.uleb32();
    r.address = in.fixed<uint64_t>();
    r.value = in.fixed<uint32_t>();
    r.site = in.uleb();
    return true;
  case FL_LOG_REJUMP:
    r.id = in.uleb32();
    r.value = in.fixed<uint32_t>();
    r.site = in.uleb();
    return true;
  case FL_LOG_FAULT:
    r.signal = in.fixed<uint8_t>();
    r.value = in.fixed<uint32_t>();
    r.address = in.fixed<uint64_t>();
    r.write = in.fixed<uint8_t>() != 0;
    r.pc = in.fixed<uint64_t>();
    r.where = in.fixed<uint8_t>();
    r.site = in.uleb();
    return true;
  case FL_LOG_SIGNAL:
    r.signal = in.fixed<uint8_t>();
    r.where = in.fixed<uint8_t>();
    r.site = in.uleb();
    return true;
  case FL_LOG_SMASHED:
    r.id = in.uleb32();
    return true;
  case FL_LOG_THREAD:
    r.thread = in.uleb32();
    r.address = in.fixed<uint64_t>();
    return true;
  case FL_LOG_SWITCH:
    r.thread = in.uleb32();
    r.site = in.uleb();
    return true;
  case FL_LOG_MODULE:
    r.address = in.fixed<uint64_t>();
    r.id = in.uleb32();
    r.value = in.uleb();
    r.total = in.uleb();
    words(in, r);
    return true;
  case FL_LOG_SYMBOLS:
    r.id = in.uleb32();
    words(in, r);
    return true;
  case FL_LOG_FORK:
    r.value = in.fixed<uint32_t>();
    return true;
  case FL_LOG_EXIT:
    r.value = in.fixed<uint32_t>();
    r.site = in.uleb();
    return true;
  case FL_LOG_EXEC:
    r.site = in.uleb();
    return true;
  case FL_LOG_FINAL:
    words(in, r, 2);
    return true;
  default:
    return false;
  }
}

// A tag of a later version, or of no version, must not become a value that the enumeration does not have.
constexpr uint64_t kTags = [] {
  uint64_t set = 0;
  for (uint8_t tag :
       {FL_LOG_LOAD1,   FL_LOG_LOAD2,   FL_LOG_LOAD4,  FL_LOG_LOAD8, FL_LOG_LOADN,  FL_LOG_VALUE,
        FL_LOG_RET0,    FL_LOG_RET1,    FL_LOG_RET4,   FL_LOG_RET8,  FL_LOG_RETN,   FL_LOG_EFFECT,
        FL_LOG_ENTER,   FL_LOG_LAND,    FL_LOG_FAULT,  FL_LOG_FORK,  FL_LOG_REJUMP, FL_LOG_SIGNAL,
        FL_LOG_THREAD,  FL_LOG_SMASHED, FL_LOG_SWITCH, FL_LOG_EXIT,  FL_LOG_EXEC,   FL_LOG_MODULE,
        FL_LOG_SYMBOLS, FL_LOG_FINAL})
    set |= 1ull << tag;
  return set;
}();
constexpr bool isTag(uint8_t tag) { return tag < 64 && (kTags >> tag & 1); }

bool decodeFields(Fields& in, Record& r) {
  switch (r.tag) {
  case FL_LOG_LOAD1:
  case FL_LOG_RET1:
    scalar<uint8_t>(in, r);
    return true;
  case FL_LOG_LOAD2:
    scalar<uint16_t>(in, r);
    return true;
  case FL_LOG_LOAD4:
  case FL_LOG_RET4:
    scalar<uint32_t>(in, r);
    return true;
  case FL_LOG_LOAD8:
  case FL_LOG_RET8:
    scalar<uint64_t>(in, r);
    return true;
  case FL_LOG_RET0:
    r.id = in.uleb32();
    r.value = 0;
    r.size = 0;
    return true;
  case FL_LOG_LOADN:
  case FL_LOG_VALUE:
  case FL_LOG_RETN:
    r.id = in.uleb32();
    bytes(in, r);
    return true;
  case FL_LOG_EFFECT:
    r.id = in.uleb32();
    r.address = in.fixed<uint64_t>();
    bytes(in, r);
    return true;
  default:
    return decodeOther(in, r);
  }
}

} // namespace

Decoded decodeRecord(const uint8_t*& at, const uint8_t* end, uint64_t& epoch, Record& record) {
  if (at >= end || *at == FL_LOG_PAD) return Decoded::EndOfChunk;
  if (!isTag(*at)) return Decoded::Damaged;
  Fields in(at + 1, end);
  record.tag = Tag(*at);
  record.bytes = nullptr; // of another record, of another size
  record.size = 0;
  uint64_t now = epoch;
  if (record.hasEpoch()) now += in.uleb();
  if (now < epoch || !decodeFields(in, record) || in.bad()) return Decoded::Damaged;
  record.epoch = epoch = now;
  at = in.at();
  return Decoded::Record;
}

namespace {

// The bytes of a scalar's return after its id, or -1 for another record.
int returnedBytes(uint8_t tag) {
  switch (tag) {
  case FL_LOG_RET0:
    return 0;
  case FL_LOG_RET1:
    return 1;
  case FL_LOG_RET4:
    return 4;
  case FL_LOG_RET8:
    return 8;
  default:
    return -1;
  }
}

// Past the scalars' returns, of which there may be a million in a row; up to the last bytes, which want care.
const uint8_t* pastReturns(const uint8_t* at, const uint8_t* end) {
  constexpr ptrdiff_t kLongest = 1 + 10 + 8;
  while (end - at > kLongest) {
    int size = returnedBytes(*at);
    if (size < 0) break;
    const uint8_t* id = at + 1;
    while (id - at < 10 && *id & 0x80) ++id;
    at = id + 1 + size;
  }
  return at;
}

} // namespace

uint64_t firstEpoch(const uint8_t* at, const uint8_t* end) {
  Record record;
  uint64_t epoch = 0;
  while (decodeRecord(at = pastReturns(at, end), end, epoch, record) == Decoded::Record)
    if (record.hasEpoch()) return record.epoch;
  return 0;
}

uint64_t lastEpoch(const LogSource& log) {
  for (uint32_t chunk = log.chunkCount(); chunk-- > 0;) {
    auto bytes = log.load(chunk);
    if (!bytes) continue;
    const uint8_t *at = (*bytes)->data(), *end = at + (*bytes)->size();
    Record record;
    uint64_t epoch = 0;
    while (decodeRecord(at, end, epoch, record) == Decoded::Record) {
    }
    if (epoch) return epoch;
  }
  return 0;
}

const char* tagName(Tag tag) {
  switch (tag) {
#define FL_NAME(name)                                                                                        \
  case FL_LOG_##name:                                                                                        \
    return #name
    FL_NAME(PAD);
    FL_NAME(LOAD1);
    FL_NAME(LOAD2);
    FL_NAME(LOAD4);
    FL_NAME(LOAD8);
    FL_NAME(LOADN);
    FL_NAME(VALUE);
    FL_NAME(RET0);
    FL_NAME(RET1);
    FL_NAME(RET4);
    FL_NAME(RET8);
    FL_NAME(RETN);
    FL_NAME(EFFECT);
    FL_NAME(ENTER);
    FL_NAME(LAND);
    FL_NAME(REJUMP);
    FL_NAME(FAULT);
    FL_NAME(SIGNAL);
    FL_NAME(SMASHED);
    FL_NAME(THREAD);
    FL_NAME(SWITCH);
    FL_NAME(MODULE);
    FL_NAME(SYMBOLS);
    FL_NAME(FORK);
    FL_NAME(EXIT);
    FL_NAME(EXEC);
    FL_NAME(FINAL);
#undef FL_NAME
  }
  return "?";
}

} // namespace faultline::recording
