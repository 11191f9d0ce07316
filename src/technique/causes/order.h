// In which order the lines of a cause tree are best read: across its nodes, what is likely to be wrong first.
// A person looks for a wrong operator, constant or condition, not for a line that only passes a value on;
// near the failure rather than far from it; rather where something was done once than where a loop did it
// often.
#pragma once

#include "finding/causes_report.h"

namespace faultline::technique {

// What a line costs: the cheapest are read first. Tuned on the faults of the `tune` set (docs/causes.md).
struct ReadingWeights {
  double level = 0.9;                // of the node
  double distance = 0.7;             // logarithm of the steps from the failure
  double gap = 0.4;                  // logarithm of the instructions executed until the failure
  double often = 1.5;                // logarithm of how many instances the line has in the cause
  double alike = 5;                  // logarithm of how many executions of the condition are one node
  double place = -0.6, decided = -2; // kinds of nodes
  double sameFile = -1.7;            // as the failing line
  // What the line does there, by finding::Does; what only passes a value on comes after all others.
  double does[7] = {20, 0, 0, -1.5, -2, -3, -3};
};

// Each line once, with the node that makes it most suspicious. Lines of system headers are left out.
std::vector<finding::CauseLine> readingOrder(const std::vector<finding::CauseNodeInfo>& nodes,
                                             const ReadingWeights& weights = {});

// A change of one line that was tried on the program itself.
struct TriedChange {
  finding::Place place = {};
  std::string text = {};
  finding::Effect effect = {};
};

// Lines of which a change makes the run pass come before all others, then those of which one makes more of
// the output right, the most first; else the order stays. One that only leads around where the run failed
// counts half, and so does one after which it ends with another status. The likeliest change of a line is the
// first.
void preferRepairs(const std::vector<TriedChange>& changes, std::vector<finding::CauseLine>& order);

} // namespace faultline::technique
