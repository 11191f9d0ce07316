// The cause tree in the words of the source.
#pragma once

#include "depend/inputs.h"
#include "finding/causes_report.h"
#include "technique/causes/tree.h"

namespace faultline::technique {

struct DescribeOptions {
  size_t mostValues = 2000; // of statements, that are looked up
  // Nodes are shown, in the order of reading and with those above them, while they hold no more than this
  // share of the run until the failure; the others are left open. A dozen is always shown.
  double mostShare = 1;
};

// Fills in nodes: places, values, reasons.
Result<void> describeCauses(logic::InstanceTerms& terms, const CauseTree& tree, const depend::Inputs* inputs,
                            std::string_view workingDirectory, finding::CausesReport& report,
                            const DescribeOptions& options = {});

// Again, after the order of lines has changed: what a reader meets first is shown, the rest left open.
void arrange(const CauseTree& tree, double mostShare, finding::CausesReport& report);

} // namespace faultline::technique
