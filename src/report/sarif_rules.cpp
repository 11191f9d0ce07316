#include "report/sarif_rules.h"

namespace faultline::report {
namespace {

constexpr SarifRule kRules[] = {
    {kRuleFailure, "RunFailed", "A run of the program failed here",
     "The run was recorded and replayed, and it failed here. Nothing was found that could have led to it.",
     "error"},
    {kRuleSuspect, "FaultSuspect", "The fault that made a run fail may be here",
     "A run of the program failed, and this line is a suspect: the message says what speaks for it, and the "
     "code flow is the way from here to the failure with the values that were seen. It is evidence from one "
     "run, not a proof: look at the line, and at what the code flow passes.",
     "warning"},
    {kRuleCause, "PotentialCause", "A condition that may have come out wrongly",
     "Had this condition come out otherwise, the run would not have failed in this way. The code flow has "
     "the "
     "statements that made it come out as it did.",
     "warning"},
    {kRuleCritical, "CriticalDecision", "Taken the other way, this decision makes the run pass",
     "The run was repeated with this one decision turned round, and passed. The fault is often in the "
     "condition, or in what its operands were made of.",
     "warning"},
    {kRuleChange, "SmallChange", "A small change here makes the run pass",
     "The run was repeated with this expression computing otherwise in every execution, and passed. It was "
     "tried on one input: the change points at the fault, it need not be the right repair.",
     "warning"},
    {kRuleSlice, "InSlice", "This statement influenced the failing value",
     "The statement is in the dynamic slice of the failure: what it computed, or that it was executed, had "
     "an "
     "influence on the value that failed.",
     "note"},
    {kRuleChop, "CarriesInput", "This statement carries the failing input to the failure",
     "The statement depends on the part of the input without which the run does not fail, and the failure "
     "depends on it.",
     "note"},
    {kRuleInvariant, "ErrorInvariant", "What had to hold for the failure to follow",
     "The code flow has the statements that matter for the failure and, between them, what had to hold.",
     "warning"},
};

} // namespace

std::span<const SarifRule> sarifRules() { return kRules; }

} // namespace faultline::report
