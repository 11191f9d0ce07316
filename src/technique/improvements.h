// Experiments that do not make the run pass, but make more of its output right than it was: where a fault
// shows in several places, one decision repairs only one of them. Of each instruction the best is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace faultline::technique {

struct Improvement {
  uint32_t id = 0;   // of the instruction that was altered
  size_t number = 0; // of the experiment
  double share = 0;  // of the wrong output that is right now
};

class Improvements {
public:
  void note(Improvement one) {
    if (one.share <= 0) return;
    ++count_;
    auto [known, isNew] = best_.try_emplace(one.id, one);
    if (!isNew && isBetter(one, known->second)) known->second = one;
  }
  uint64_t count() const { return count_; }
  // The largest first; those that are alike in the order of their experiments.
  std::vector<Improvement> best(size_t most) const {
    std::vector<Improvement> out;
    for (const auto& [id, one] : best_) out.push_back(one);
    std::ranges::sort(out, isBetter);
    if (out.size() > most) out.resize(most);
    return out;
  }

private:
  // Also where they come in another order.
  static bool isBetter(const Improvement& a, const Improvement& b) {
    return a.share != b.share ? a.share > b.share : a.number < b.number;
  }

  std::unordered_map<uint32_t, Improvement> best_;
  uint64_t count_ = 0;
};

} // namespace faultline::technique
