// What an instruction computes when it is altered: another operation, other operands. Values are words,
// zero-extended; floats by their bits.
#pragma once

#include <stdint.h>

namespace fl {

struct Computation {
  uint64_t left, right;
  uint32_t operation; // fl_operation
  uint32_t bits;      // of an operand
};

uint64_t compute(const Computation& c);
// What `value` becomes by an fl_change that needs to know nothing else.
uint64_t changedResult(uint64_t value, uint32_t change, uint64_t by);
uint64_t changedComputation(Computation c, uint64_t value, uint32_t change, uint64_t by);

} // namespace fl
