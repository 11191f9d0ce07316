#include "logic/validated_solver.h"

namespace faultline::logic {

namespace {

class ValidatedSolver : public Solver {
public:
  ValidatedSolver(Terms& terms, std::unique_ptr<Solver> inner, std::unique_ptr<Solver> second)
      : t_(terms), inner_(std::move(inner)), second_(std::move(second)) {}
  std::string name() const override { return inner_->name(); }

  Answer check(const Request& request) override {
    Request withModel = request;
    withModel.wantsModel = true;
    Answer answer = inner_->check(withModel);
    if (answer.kind == Answer::Satisfiable && !holds(request, answer))
      return {Answer::Unknown, {}, {}, inner_->name() + " gave values for which the conditions do not hold"};
    if (answer.kind == Answer::Unsatisfiable && second_) return confirmed(request, std::move(answer));
    return answer;
  }

private:
  bool holds(const Request& request, const Answer& answer) {
    for (Term condition : request.conditions) {
      Term value = t_.evaluate(condition, [&](Term x) {
        auto at = answer.model.find(x);
        return at == answer.model.end() ? t_.zeroExtend(t_.no(), t_.width(x)) : at->second;
      });
      if (!t_.isTrue(value)) return false;
    }
    return true;
  }

  Answer confirmed(const Request& request, Answer answer) {
    std::vector<Term> core;
    for (uint32_t n : answer.core) core.push_back(request.conditions[n]);
    Answer other = second_->check({core, false, request.milliseconds});
    if (other.kind == Answer::Satisfiable)
      return {Answer::Unknown, {}, {}, inner_->name() + " and " + second_->name() + " contradict each other"};
    if (other.kind == Answer::Unknown)
      answer.reason = second_->name() + " did not confirm it: " + other.reason;
    return answer;
  }

  Terms& t_;
  std::unique_ptr<Solver> inner_, second_;
};

} // namespace

std::unique_ptr<Solver> makeValidated(Terms& terms, std::unique_ptr<Solver> inner,
                                      std::unique_ptr<Solver> second) {
  return std::make_unique<ValidatedSolver>(terms, std::move(inner), std::move(second));
}

} // namespace faultline::logic
