// What outside code did to memory: found by comparing memory with its shadow, logged, and put into the
// shadow.
#pragma once

#include "abi/models.h"

#include <stddef.h>
#include <stdint.h>

namespace fl {

// Logs an EFFECT for each run of bytes in which memory and shadow differ, and brings the shadow up to date.
// The range must have a shadow; memory is read before the shadow changes, since it may fault.
void syncRange(const void* address, size_t size, uint32_t id);

// The same for all that the modelled function wrote, given its arguments and its result (zero-extended).
void applyModel(uint32_t model, uint64_t result, const uint64_t* arguments, uint32_t id);

} // namespace fl
