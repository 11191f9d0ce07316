// How likely a change is to be the right one, where it makes the run pass: by its form, and by whether
// anybody would write, or mistake, what it changes.
//
//   `<=` in the place of `<`      1: that is what people mistake
//   `==` in the place of `<=`     0.4
#pragma once

#include "explain/weights.h"
#include "finding/changes_report.h"

#include <string>

namespace faultline::explain {

double likelihood(const std::string& form);
double likelihood(const finding::CodeChange& change, const Weights& weights);

} // namespace faultline::explain
