// Asks whether conditions can all hold at once. Back ends and what is put around them (a cache, a log,
// limits, a second opinion) have the same interface. "Unknown" is an answer, with its reason.
#pragma once

#include "base/result.h"
#include "logic/term.h"

namespace faultline::logic {

struct Answer {
  enum Kind : uint8_t { Satisfiable, Unsatisfiable, Unknown } kind = Unknown;
  std::vector<uint32_t> core = {};                     // Unsatisfiable: numbers of conditions that suffice
  std::unordered_map<Term, Term, TermHash> model = {}; // Satisfiable: values of variables, if asked for
  std::string reason = {};                             // Unknown: timeout, too large, not in the theory
};

struct Request {
  std::span<const Term> conditions; // width 1 each
  bool wantsModel = false;
  uint32_t milliseconds = 1000;
};

class Solver {
public:
  virtual ~Solver() = default;
  virtual Answer check(const Request& request) = 0;
  virtual std::string name() const = 0;
};

// Back ends. One Terms for all requests. They lie in a shared object of their own, made of the folder
// solvers/, which is opened when the first is asked for: an error if it is not there.
Result<std::unique_ptr<Solver>> makeZ3(Terms& terms);
Result<std::unique_ptr<Solver>> makeCvc5(Terms& terms);

// A subset of the conditions that cannot all hold, of which none can be left out (deletion, with the solver's
// own core to begin with); checked again by `checker`. Those of `kept` are tried last, so that they stay
// where there is a choice. Nothing: the conditions can hold, or it was not decided in time.
struct Core {
  std::vector<uint32_t> conditions = {}; // numbers, in order
  bool isMinimal = false;                // else some check was not decided in time
  bool isChecked = false;                // the second solver agrees
  std::string doubt = {};
};
std::optional<Core> minimalCore(Solver& solver, Solver* checker, Terms& terms,
                                std::span<const Term> conditions, uint32_t milliseconds,
                                std::span<const uint32_t> kept = {});

} // namespace faultline::logic
