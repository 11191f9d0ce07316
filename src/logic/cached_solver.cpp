#include "logic/cached_solver.h"

#include <algorithm>
#include <map>

namespace faultline::logic {

namespace {

class CachedSolver : public Solver {
public:
  explicit CachedSolver(std::unique_ptr<Solver> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name(); }

  Answer check(const Request& request) override {
    std::vector<uint32_t> key;
    for (Term x : request.conditions) key.push_back(x.id);
    std::sort(key.begin(), key.end());
    key.erase(std::unique(key.begin(), key.end()), key.end());
    auto at = known_.find(key);
    if (at != known_.end() && suffices(at->second, request)) return answerTo(request, at->second);
    Answer answer = inner_->check(request);
    Known known{answer, {}, request.milliseconds, request.wantsModel};
    for (uint32_t n : answer.core) known.core.push_back(request.conditions[n]);
    known_.insert_or_assign(std::move(key), std::move(known));
    return answer;
  }

private:
  struct Known {
    Answer answer;
    std::vector<Term> core; // the numbers in the answer are of another request
    uint32_t milliseconds;
    bool hasModel;
  };

  static bool suffices(const Known& known, const Request& request) {
    if (known.answer.kind == Answer::Unknown) return request.milliseconds <= known.milliseconds;
    return known.answer.kind == Answer::Unsatisfiable || known.hasModel || !request.wantsModel;
  }
  static Answer answerTo(const Request& request, const Known& known) {
    Answer answer = known.answer;
    answer.core.clear();
    for (Term x : known.core) {
      auto at = std::find(request.conditions.begin(), request.conditions.end(), x);
      answer.core.push_back(uint32_t(at - request.conditions.begin()));
    }
    std::sort(answer.core.begin(), answer.core.end());
    return answer;
  }

  std::unique_ptr<Solver> inner_;
  std::map<std::vector<uint32_t>, Known> known_;
};

} // namespace

std::unique_ptr<Solver> makeCached(std::unique_ptr<Solver> inner) {
  return std::make_unique<CachedSolver>(std::move(inner));
}

} // namespace faultline::logic
