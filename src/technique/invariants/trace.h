// Error invariants: what had to hold before each statement for the failure to follow, from the failure
// backwards.
//
//   x = 0;                                  true
//   y = x + 2;       x == 0                 whatever comes before, x is 0 ...
//   assert(y != 2);  y == 2                 ... so y is 2, which fails
//
// The condition that failed is carried back over the statements that made what it speaks of (weakest
// precondition at the recorded places in memory). Where it would grow, or leave the theory, the recorded
// values of those variables that suffice take its place: a minimal set. So every statement is a piece of its
// own, whose end is the invariant of the next, and formulas stay as small as what they say. Statements that
// change no invariant are not in the trace.
#pragma once

#include "logic/instance_terms.h"
#include "logic/solver.h"

namespace faultline::technique {

struct InvariantStep {
  uint64_t time =
      0; // the instance that tells most of the statement; of a call that passes arguments: the call
  bool passesArguments = false;
  uint64_t first = 0;                   // time before which `before` holds
  size_t instances = 0;                 // of the statement that mattered
  size_t count = 0;                     // how often it was executed in a row
  size_t defined = 0;                   // instances from it to the failure that matter
  std::vector<logic::Term> before = {}; // all of them hold; none: anything leads to the failure from here
  std::vector<std::string> opaque = {}; // steps that their recorded result stands for: "strlen()"
  std::vector<logic::TermLeaf> leaves = {};
  bool isImplied = false; // the recorded state has it
  bool isEnough = false;  // what follows leads from it to the failure
  bool isAsked = false;   // two solvers were, about the way to the next invariant
  std::string doubt = {};
};

struct InvariantTrace {
  std::vector<InvariantStep> steps = {}; // in the order of time
  std::vector<logic::Term> failure = {}; // what held where it failed
  uint64_t time = 0;                     // of the failing instance
  bool isComplete = true;                // else it ended at a limit, and the first invariant is not explained
  size_t instances = 0, reductions = 0, solverCalls = 0;
  std::vector<std::pair<logic::Term, logic::Term>> definitions = {}; // of what mattered, in the order of time
  logic::Term holds = {};                                            // over them: true where it failed
  size_t dropped = 0; // statements between two points of one invariant
};

struct InvariantOptions {
  bool asValues = false;  // begin with values that imply the condition: p == NULL, not p + 8 < 4096
  bool decisions = false; // also the decisions by which its statements were executed
  bool addresses = false; // also what made the addresses of accesses what they were
  size_t mostSteps = 2000;
  size_t mostNodes = 8; // a condition of more operations is reduced to values
  uint32_t checkMilliseconds = 200;
  uint32_t checksMilliseconds = 5000; // for all of them
  size_t mostChecked = 400;           // instances; longer rests are not asked of a solver as a whole
  std::function<bool(size_t steps)> watch = nullptr; // false: stop, and answer with what there is
};

// `condition`: held where the run failed; nothing: that the instance was executed at all.
Result<InvariantTrace> traceInvariants(logic::InstanceTerms& terms, logic::Solver& solver,
                                       logic::Solver* checker, std::optional<logic::Term> condition,
                                       uint64_t time, const InvariantOptions& options);

} // namespace faultline::technique
