// The decisions and the calls that led to an instance, and where a decision led.
#pragma once

#include "cli/cause_question.h"

namespace faultline::cli {

// Times of the decisions in its own function, from inside out. Whether memory could be had is no decision of
// the program's: what asks that is passed over.
Result<std::vector<uint64_t>> decisionTimesTo(ValueRun& run, CauseRun& causes, uint64_t at, size_t most);

Result<std::vector<finding::Place>> decisionsTo(ValueRun& run, CauseRun& causes, uint64_t at,
                                                size_t most = 2);

// Whether the branch is what a loop asks before, or behind, each round.
bool isLoopTest(depend::RunCode& code, uint32_t id);

// Where functions were called that the instance is in, from inside out; at most so many, of the user's code.
Result<std::vector<finding::Place>> callsTo(ValueRun& run, depend::Instances& instances, uint64_t at,
                                            size_t most);

// The lines of its own function that were executed because of a decision, in that order, without its own.
Result<std::vector<finding::Place>> linesUnder(ValueRun& run, CauseRun& causes, uint64_t decision,
                                               size_t most);

} // namespace faultline::cli
