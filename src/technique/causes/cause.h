// Why something had to come out as it did: the instances that contradict the wish that it had not.
//
//   x = 2; x = x + 2; p[1] = x; ... assert(*pp == 3)
//   wish: *pp == 3    became  p[1] == 3, x == 3, x + 2 == 3, 2 + 2 == 3, which cannot be
//   cause: the assertion, p[1] = x, x = x + 2, x = 2
//
// The wish is carried backwards over the run, from the instance that made what it speaks of to the one
// before, together with the decisions met on the way that speak of the same things, until they cannot all
// hold. What is left of them in a minimal core names the instances.
#pragma once

#include "logic/instance_terms.h"
#include "logic/solver.h"

#include <set>

namespace faultline::technique {

struct Wish {
  logic::Term condition = {}; // width 1, over variables; false in the run
  uint64_t time = 0;          // before which it should have held
  logic::Definition passed;   // who passed on what it speaks of
};

// A step that its recorded result stands for.
struct OpaqueStep {
  uint64_t time = 0;
  logic::Term variable = {};
  std::string what = {}; // "strlen()"
};

struct Cause {
  std::vector<uint64_t> instances = {}; // that transformed the core, latest first
  std::unordered_map<uint64_t, uint32_t> distances =
      {}; // of them from the wish: assignments and returns between
  std::unordered_map<uint32_t, uint64_t> repeated = {}; // instructions: executions that are not listed
  std::vector<uint64_t> decisions = {};                 // branches whose outcome the core needs, latest first
  std::vector<logic::TermLeaf> leaves = {};
  std::vector<OpaqueStep> opaque = {};
  std::vector<logic::Term> core = {}; // conditions over what is left unexplained, that cannot all hold
  uint64_t solverCalls = 0;
  bool isEarly = false;   // the contradiction needed no more of the run than this
  bool isBounded = false; // the walk ended at its limit
  bool isMinimal = true, isChecked = true;
  std::string doubt = {};
};

struct CauseOptions {
  size_t mostInstances = 100'000;
  size_t mostRepeated = 2'000'000; // of loops, that are only followed
  // Of the run, that are looked into for one cause (depend/instances.h): one of a long run in which
  // everything depends on everything must not keep all others waiting.
  uint64_t mostWindows = 64;
  bool usesSolver = true;
  uint32_t checkMilliseconds = 20; // for one question to the solver
  size_t mostDecisions = 60;       // that are looked at beside the wish
  double solverSeconds = 1;        // for all questions; later ones are answered without
};

class CauseFinder {
public:
  CauseFinder(logic::InstanceTerms& terms, logic::Solver* solver, logic::Solver* checker,
              CauseOptions options)
      : instances_(terms), terms_(terms.terms()), solver_(solver), checker_(checker), options_(options) {}

  Result<Cause> find(const Wish& wish);
  // Causes that were followed to their end because the solver's time was over.
  uint64_t unchecked() const { return unchecked_; }

private:
  struct Walk;
  Result<void> follow(Walk& walk, size_t steps);
  bool isFar(Walk& walk); // enough of the run was looked into
  Result<bool> isRepeated(const Walk& walk, const depend::Executed& x);
  Result<void> skipRepeated(Walk& walk, uint64_t time, uint32_t distance);
  // Whether the wish, carried back to `from`, can no longer hold; if asked for, by which decisions.
  Result<bool> isContradiction(const Wish& wish, uint64_t from, bool wantsCore, Cause& cause);
  Result<std::vector<uint64_t>> decisionsNear(const Wish& wish, uint64_t from);
  struct Expansion { // definitions of everything that was made at `from` or later, as far as asked for
    uint64_t from = 0;
    logic::Terms::Map map = {};
  };
  Result<logic::Term> substitute(logic::Term t, const Expansion& expansion);
  Result<logic::Term> expand(logic::Term t, Expansion& expansion, std::set<uint64_t>* used = nullptr);
  // When the evaluation of what the branch decided by began.
  Result<uint64_t> evaluationStart(uint64_t branch);
  bool isSatisfiedByGuess(std::span<const logic::Term> conditions);

  logic::InstanceTerms& instances_;
  logic::Terms& terms_;
  logic::Solver* solver_;
  logic::Solver* checker_;
  CauseOptions options_;
  double solverSeconds_ = 0;
  uint64_t unchecked_ = 0;
};

} // namespace faultline::technique
