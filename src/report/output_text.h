// The wrong byte of a run's output for a person: the line it is in, the line that was expected, and the
// argument that wrote it.
#pragma once

#include "finding/document.h"
#include "report/excerpt.h"

namespace faultline::report {

//   written   total 7 of 12
//   expected  total 8 of 12
//   "7" comes from argument 2 of printf(), sum (%d)
std::string renderOutput(const finding::FailureInfo& failure, const Screen& screen);

} // namespace faultline::report
