// One function per kind of instruction, for every type: what handlers do not do themselves. They are the
// reference for the handlers, too.
#pragma once

#include "replay/decoded.h"

namespace faultline::replay {

// Null for instructions that change the flow of control.
Operation::Run operationFor(const fir::Instruction& instruction);

// operations_memory.cpp: they ask the engine when the log may have something to say.
Operation::Run memoryOperationFor(fir::Op op);
// operations_intrinsic.cpp
bool runIntrinsic(Machine& m, const Operation& op, uint64_t* w);

// Writes the result, zero-extended to its words; `words` may overlap the frame's.
void writeResult(const Operation& op, uint64_t* w, const uint64_t* words);

} // namespace faultline::replay
