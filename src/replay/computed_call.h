// What an outside function gives that only reads memory, from the memory of replay (abi/computed.h).
#pragma once

#include "replay/memory.h"

#include <cstdint>

namespace faultline::replay {

// Of a call with the arguments; zero-extended. Garbage in, garbage out: a recording that is damaged may ask
// for anything, and gets an answer after at most a bounded number of bytes.
uint64_t computedResult(Memory& memory, uint32_t kind, uint64_t a0, uint64_t a1, uint64_t a2);

} // namespace faultline::replay
