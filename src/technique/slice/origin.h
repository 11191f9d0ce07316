// `origin`: where a value came from, through every copy and computation, to constants, input and calls.
//
//   b = a[i]; c = b + k; f(c)        c  <- assigned c = 7 (line 3)
//                                         <- assigned b = 5 (line 2) <- a[1] = 5 (line 1)
//                                         <- k = 2, initial value
#pragma once

#include "technique/slice/slice.h"

namespace faultline::technique {

struct OriginQuestion {
  depend::Question from = {};
  std::string text = {};
  std::optional<finding::Value> value = {};
  size_t mostSteps = 40;
  finding::ProgramInfo program = {};
};

Result<finding::OriginReport> findOrigin(depend::History& history, const OriginQuestion& question,
                                         const depend::Inputs* inputs = nullptr);

} // namespace faultline::technique
