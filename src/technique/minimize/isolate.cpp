#include "technique/minimize/isolate.h"

#include <algorithm>

namespace faultline::technique {
namespace {

// The candidates for one pair: at each granularity each part of the difference, added to the passing one and
// taken from the failing one; then at twice the granularity, down to single elements.
class Halves {
public:
  Halves(const Isolated& pair, size_t parts) : pair_(pair), difference_(pair.difference()), parts_(parts) {}

  std::optional<SubsetToTry> next() {
    if (part_ == parts_) {
      if (parts_ >= difference_.size()) return std::nullopt;
      parts_ = std::min(parts_ * 2, difference_.size());
      part_ = 0;
    }
    Subset chunk(difference_.begin() + ptrdiff_t(difference_.size() * part_ / parts_),
                 difference_.begin() + ptrdiff_t(difference_.size() * (part_ + 1) / parts_));
    given_.push_back({parts_, isAdding_});
    SubsetToTry out{isAdding_ ? together(pair_.passing, chunk) : without(pair_.failing, chunk),
                    uint8_t(wanted(TrialOutcome::Fail) | wanted(TrialOutcome::Pass))};
    if (!isAdding_) ++part_;
    isAdding_ = !isAdding_;
    return out;
  }

  struct Given {
    size_t parts;
    bool isAdding;
  };
  const Given& given(size_t number) const { return given_[number]; }

private:
  const Isolated& pair_;
  Subset difference_;
  size_t parts_;
  size_t part_ = 0;
  bool isAdding_ = true;
  std::vector<Given> given_;
};

} // namespace

Result<Isolated> isolate(Search& search, const Tester& tester, Subset passing, Subset failing,
                         const std::function<void(const Isolated&)>& onCloser) {
  Isolated pair{std::move(passing), std::move(failing), false};
  size_t parts = 2;
  while (true) {
    size_t size = pair.failing.size() - pair.passing.size();
    if (size <= 1) break;
    Halves halves(pair, std::min(parts, size));
    FL_TRY(found, search.first(tester, [&] { return halves.next(); }));
    if (!found) break;
    auto [partsThen, isAdding] = halves.given(found->number);
    bool fails = found->outcome == TrialOutcome::Fail;
    // A part alone decides: what is left is that part. Otherwise the rest is left.
    parts = isAdding == fails ? 2 : std::max<size_t>(partsThen - 1, 2);
    (fails ? pair.failing : pair.passing) = std::move(found->subset);
    if (onCloser) onCloser(pair);
  }
  pair.isMinimal = !search.wasStopped();
  return pair;
}

} // namespace faultline::technique
