// One record of the log, decoded. abi/log.h says what each tag means and how it is laid out.
#pragma once

#include "abi/log.h"

#include <cstdint>
#include <cstring>

namespace faultline::recording {

using Tag = fl_log_tag;

// Which fields hold something:
//   LOAD1..8         epoch id value size            LOADN    epoch id bytes size
//   RET0..8          id value (size: bytes logged)  RETN, VALUE  id bytes size
//   EFFECT           epoch id address bytes size
//   ENTER            epoch id site words size (in words)
//   LAND             epoch id address (exception) value (selector) site
//   REJUMP           epoch id value site
//   FAULT            epoch signal where address value (code) write pc site
//   SIGNAL           epoch signal where site
//   SMASHED          epoch id
//   THREAD           thread address (frame top)
//   SWITCH           epoch thread site
//   MODULE           address (hash) id (base) value (instructions) total (symbols) words size (in words)
//   SYMBOLS          id (base) words size (in words)
//   FORK             value (pid)
//   EXIT             epoch value (status) site      EXEC     epoch site
//   FINAL            words size (in words: address, hash, address, hash ...)
struct Record {
  Tag tag = FL_LOG_PAD;
  uint32_t id = 0;
  uint64_t epoch = 0;
  uint64_t value = 0;
  uint64_t address = 0;
  uint64_t site = 0;
  uint64_t pc = 0;
  uint64_t total = 0;
  // Bytes or unaligned words inside the chunk; valid until the record is popped.
  const uint8_t* bytes = nullptr;
  uint64_t size = 0;
  uint32_t thread = 0;
  uint8_t signal = 0;
  uint8_t where = 0; // enum fl_log_where
  bool write = false;

  bool hasEpoch() const;
  uint64_t word(uint64_t index) const {
    uint64_t word;
    std::memcpy(&word, bytes + index * 8, 8);
    return word;
  }
};

inline bool Record::hasEpoch() const {
  switch (tag) {
  case FL_LOG_LOAD1:
  case FL_LOG_LOAD2:
  case FL_LOG_LOAD4:
  case FL_LOG_LOAD8:
  case FL_LOG_LOADN:
  case FL_LOG_EFFECT:
  case FL_LOG_ENTER:
  case FL_LOG_LAND:
  case FL_LOG_REJUMP:
  case FL_LOG_FAULT:
  case FL_LOG_SIGNAL:
  case FL_LOG_SMASHED:
  case FL_LOG_SWITCH:
  case FL_LOG_EXIT:
  case FL_LOG_EXEC:
    return true;
  default:
    return false;
  }
}

const char* tagName(Tag tag);

} // namespace faultline::recording
