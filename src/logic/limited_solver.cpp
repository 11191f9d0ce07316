#include "logic/limited_solver.h"

#include <algorithm>
#include <chrono>

namespace faultline::logic {

namespace {

class LimitedSolver : public Solver {
public:
  LimitedSolver(std::unique_ptr<Solver> inner, uint64_t milliseconds)
      : inner_(std::move(inner)), left_(double(milliseconds)) {}
  std::string name() const override { return inner_->name(); }

  Answer check(const Request& request) override {
    if (left_ < 1) return {Answer::Unknown, {}, {}, "the time for all questions is used up"};
    Request shorter = request;
    shorter.milliseconds = uint32_t(std::min(double(request.milliseconds), left_));
    auto start = std::chrono::steady_clock::now();
    Answer answer = inner_->check(shorter);
    left_ -= std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return answer;
  }

private:
  std::unique_ptr<Solver> inner_;
  double left_;
};

} // namespace

std::unique_ptr<Solver> makeLimited(std::unique_ptr<Solver> inner, uint64_t milliseconds) {
  return std::make_unique<LimitedSolver>(std::move(inner), milliseconds);
}

} // namespace faultline::logic
