#include "logic/counted_solver.h"

#include <algorithm>
#include <chrono>

namespace faultline::logic {

namespace {

class CountedSolver : public Solver {
public:
  CountedSolver(std::unique_ptr<Solver> inner, SolverCounts& counts)
      : inner_(std::move(inner)), counts_(counts) {}
  std::string name() const override { return inner_->name(); }

  Answer check(const Request& request) override {
    auto start = std::chrono::steady_clock::now();
    Answer answer = inner_->check(request);
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    counts_.seconds += seconds;
    counts_.longest = std::max(counts_.longest, seconds);
    ++(answer.kind == Answer::Satisfiable     ? counts_.satisfiable
       : answer.kind == Answer::Unsatisfiable ? counts_.unsatisfiable
                                              : counts_.unknown);
    return answer;
  }

private:
  std::unique_ptr<Solver> inner_;
  SolverCounts& counts_;
};

} // namespace

std::unique_ptr<Solver> makeCounted(std::unique_ptr<Solver> inner, SolverCounts& counts) {
  return std::make_unique<CountedSolver>(std::move(inner), counts);
}

} // namespace faultline::logic
