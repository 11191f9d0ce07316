// Which computation of an experiment (abi/experiment.h, fl_operation) an instruction makes.
#pragma once

#include "program/fir.h"

#include <optional>

namespace faultline::technique {

// Nothing: none that an experiment can make in its place. Comparisons are FL_OPERATION_COMPARE and their
// predicate.
std::optional<uint32_t> operationOf(fir::Op op);

} // namespace faultline::technique
