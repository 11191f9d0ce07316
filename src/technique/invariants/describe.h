// The trace of error invariants in the words of the source, with rounds of loops that only repeat left out.
#pragma once

#include "depend/inputs.h"
#include "finding/invariants_report.h"
#include "technique/invariants/trace.h"

namespace faultline::technique {

Result<void> describeInvariants(logic::InstanceTerms& terms, const InvariantTrace& trace,
                                const depend::Inputs* inputs, std::string_view workingDirectory,
                                finding::InvariantsReport& report);

// Where the same places follow one another for three rounds or more, the first and the last of them stay.
// keys: of the steps. For each that stays: its number, rounds and steps left out before it.
struct KeptStep {
  size_t step = 0;
  uint64_t omittedRounds = 0, omittedSteps = 0;
  bool operator==(const KeptStep&) const = default;
};
std::vector<KeptStep> withoutRepetitions(std::span<const uint64_t> keys);

} // namespace faultline::technique
