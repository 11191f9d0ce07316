// The cause tree in the words of the source.
#pragma once

#include "depend/inputs.h"
#include "finding/causes_report.h"
#include "technique/causes/tree.h"

namespace faultline::technique {

// Fills in nodes: places, values, reasons. Values of at most `mostValues` statements are looked up.
Result<void> describeCauses(logic::InstanceTerms& terms, const CauseTree& tree, const depend::Inputs* inputs,
                            std::string_view workingDirectory, finding::CausesReport& report,
                            size_t mostValues = 2000);

} // namespace faultline::technique
