#include "experiment/stability.h"

#include <cmath>

namespace faultline::experiment {

double Stability::confidence(Verdict verdict, unsigned repeats) const {
  if (verdict == Verdict::None) return 0;
  if (verdict == Verdict::SameFailure || !isFlaky()) return 1;
  double fails = double(same) / double(runs);
  return 1 - std::pow(1 - fails, double(repeats));
}

Result<Stability> checkStability(const RunFunction& run, const RunSpec& spec, const Judge& judge,
                                 unsigned times) {
  Stability stability;
  while (stability.runs < times) {
    FL_TRY(ending, run(spec));
    FL_TRY(verdict, judge.judge(ending));
    ++stability.runs;
    switch (verdict) {
    case Verdict::SameFailure:
      ++stability.same;
      break;
    case Verdict::OtherFailure:
      ++stability.other;
      break;
    case Verdict::Passed:
      ++stability.passed;
      break;
    case Verdict::None:
      ++stability.none;
      break;
    }
  }
  return stability;
}

} // namespace faultline::experiment
