#include "logic/logged_solver.h"

#include <chrono>
#include <fmt/format.h>
#include <fstream>

namespace faultline::logic {

namespace {

class LoggedSolver : public Solver {
public:
  LoggedSolver(Terms& terms, std::unique_ptr<Solver> inner, std::string folder)
      : t_(terms), inner_(std::move(inner)), folder_(std::move(folder)) {}
  std::string name() const override { return inner_->name(); }

  Answer check(const Request& request) override {
    std::string path = fmt::format("{}/{:04}.smt2", folder_, ++count_);
    std::ofstream(path) << smtLib(t_, request.conditions);
    auto start = std::chrono::steady_clock::now();
    Answer answer = inner_->check(request);
    double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    constexpr const char* kinds[] = {"sat", "unsat", "unknown"};
    std::ofstream(path, std::ios::app) << fmt::format("; {}: {} {} after {:.1f} ms\n", inner_->name(),
                                                      kinds[answer.kind], answer.reason, ms);
    return answer;
  }

private:
  Terms& t_;
  std::unique_ptr<Solver> inner_;
  std::string folder_;
  unsigned count_ = 0;
};

} // namespace

std::unique_ptr<Solver> makeLogged(Terms& terms, std::unique_ptr<Solver> inner, std::string folder) {
  return std::make_unique<LoggedSolver>(terms, std::move(inner), std::move(folder));
}

} // namespace faultline::logic
