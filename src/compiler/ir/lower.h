// Prepared IR to FIR: one FIR instruction for each IR instruction, in the same order, so that an
// instruction's number is the same on both sides.
#pragma once

#include "compiler/ir/plan.h"
#include "program/image.h"

namespace faultline::compiler {

fir::ImageBuilder lowerModule(ModulePlan& plan, const InsideNames& inside);

} // namespace faultline::compiler
