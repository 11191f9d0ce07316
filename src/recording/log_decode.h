// Decodes one record from bytes that may be damaged. Never reads outside [at, end).
#pragma once

#include "recording/log_record.h"
#include "recording/log_source.h"

namespace faultline::recording {

enum class Decoded { Record, EndOfChunk, Damaged };

// Reads the record at `at` and moves `at` behind it. `epoch` is that of the last record before it in the
// chunk that carries one (0 at the chunk's start), and is brought up to date. PAD and `end` end the chunk;
// after Damaged, `at` is where it was.
Decoded decodeRecord(const uint8_t*& at, const uint8_t* end, uint64_t& epoch, Record& record);

// Epoch of the first record of a chunk that carries one; 0 if none does.
uint64_t firstEpoch(const uint8_t* at, const uint8_t* end);

// Epoch of the last record of a log that carries one, as far as its last chunks can be read; 0 if none does.
uint64_t lastEpoch(const LogSource& log);

} // namespace faultline::recording
