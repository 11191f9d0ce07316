#include "technique/minimize/simplify.h"

#include <algorithm>

namespace faultline::technique {
namespace {

Subset withoutRange(const Subset& kept, size_t begin, size_t end) {
  Subset out;
  out.reserve(kept.size() - (end - begin));
  out.insert(out.end(), kept.begin(), kept.begin() + ptrdiff_t(begin));
  out.insert(out.end(), kept.begin() + ptrdiff_t(end), kept.end());
  return out;
}

// Candidates, and what is left when one of them fails.
class Cutting {
public:
  virtual ~Cutting() = default;
  // Of what is kept, until something fails.
  virtual std::optional<SubsetToTry> next(const Subset& kept) = 0;
  // Goes on with the rest of the candidate with this number.
  virtual void accept(size_t number) = 0;
};

// Half of one end, as often as that fails; else a quarter, an eighth ... of it, which is never more than was
// too much before.
class EndCut : public Cutting {
public:
  explicit EndCut(bool atStart) : atStart_(atStart) {}

  std::optional<SubsetToTry> next(const Subset& kept) override {
    if (share_ > kSmallestShare || kept.size() < share_) return std::nullopt;
    size_t size = kept.size() / share_;
    share_ *= 2;
    return SubsetToTry{atStart_ ? withoutRange(kept, 0, size)
                                : withoutRange(kept, kept.size() - size, kept.size())};
  }
  // Candidates are given ahead of their turn.
  void accept(size_t number) override {
    share_ = first_ = number == 0 && first_ == 2 ? 2 : first_ << (number + 1);
  }

private:
  static constexpr size_t kSmallestShare = 16;
  bool atStart_;
  size_t first_ = 2, share_ = 2;
};

// All but a sixteenth at each end, else all but an eighth, a quarter: what a failure needs often stands at
// the start, where things are made ready, and where it happens, at the end. What is tried is small, so that
// it costs little where it is not so.
class MiddleCut : public Cutting {
public:
  std::optional<SubsetToTry> next(const Subset& kept) override {
    if (share_ < kLargestShare || kept.size() < kFewest) return std::nullopt;
    size_t end = std::max<size_t>(1, kept.size() / share_);
    share_ /= 2;
    return SubsetToTry{withoutRange(kept, end, kept.size() - end)};
  }
  void accept(size_t) override { share_ = kSmallestShare; }

private:
  static constexpr size_t kSmallestShare = 16, kLargestShare = 4, kFewest = 8;
  size_t share_ = kSmallestShare;
};

// Which chunk is tried next: [end - size, end), from the end to the start, then with half the size. Where one
// after the other can be removed, twice as much is tried each time.
struct Sweep {
  size_t base = 1, size = 1, end = 0;
  size_t inARow = 0;      // removed just before
  size_t vainSingles = 0; // single elements tried in a row, none of which could be removed
  bool isLookBack = false;

  size_t begin() const { return end > size ? end - size : 0; }
};

class Sweeper {
public:
  Sweeper(Subset start, const SimplifyOptions& options) : kept_(std::move(start)), options_(options) {
    sweep_.end = kept_.size();
    sweep_.base = sweep_.size =
        options.largestChunk ? std::min(options.largestChunk, kept_.size()) : kept_.size();
  }

  // Nothing: all has been tried.
  std::optional<SubsetToTry> next() {
    if (!settle(ahead_)) return std::nullopt;
    given_.push_back(ahead_);
    SubsetToTry out{withoutRange(kept_, ahead_.begin(), ahead_.end)};
    ahead_.inARow = 0;
    if (ahead_.size > ahead_.base) {
      ahead_.size = ahead_.base;
      return out;
    }
    if (ahead_.base == 1) ++ahead_.vainSingles;
    ahead_.end = ahead_.begin();
    return out;
  }
  // As if only the candidates up to this one had been given.
  void accept(size_t number, Subset subset) {
    sweep_ = given_[number];
    sweep_.end = sweep_.begin();
    sweep_.vainSingles = 0;
    sweep_.isLookBack = false;
    if (++sweep_.inARow >= 2) sweep_.size *= 2;
    kept_ = std::move(subset);
    triedSince_ += number + 1;
    if (triedSince_ >= kLookBackAfter && sweep_.base < kept_.size() / kFinestBack) lookBack();
  }
  void begin() {
    ahead_ = sweep_;
    given_.clear();
  }
  uint64_t left() const {
    uint64_t chunks = (sweep_.end + sweep_.base - 1) / std::max<size_t>(1, sweep_.base);
    for (size_t size = sweep_.base; size > 1; size = (size + 1) / 2)
      chunks += (kept_.size() * 2 + size) / size;
    return chunks;
  }
  const Subset& kept() const { return kept_; }

private:
  // A small removal may allow a large one: what was held together by what is gone. From time to time large
  // chunks are tried again; if none can go, the sweep goes on where it was.
  void lookBack() {
    triedSince_ = 0;
    interrupted_ = sweep_;
    sweep_ = {.base = (kept_.size() + 1) / 2, .size = (kept_.size() + 1) / 2, .end = kept_.size()};
    sweep_.isLookBack = true;
  }

  // Goes on to the next sweep where this one has come to the start.
  bool settle(Sweep& s) const {
    if (s.isLookBack && s.end == 0 && s.base <= kept_.size() / kFinestBack) s = interrupted_;
    if (kept_.empty() || s.vainSingles >= kept_.size()) return false;
    if (s.end > 0) return true;
    if (s.base == 1 && !options_.untilMinimal) return false;
    s.base = s.size = std::min((s.base + 1) / 2, kept_.size());
    s.end = kept_.size();
    s.inARow = 0;
    return true;
  }

  // Of candidates, of which looking back costs 2 + 4 + ... + kFinestBack; of what is left, in the finest
  // chunks then.
  static constexpr size_t kLookBackAfter = 200, kFinestBack = 8;

  Subset kept_;
  const SimplifyOptions& options_;
  Sweep sweep_, ahead_, interrupted_;
  size_t triedSince_ = 0; // candidates since the last look back
  std::vector<Sweep> given_;
};

} // namespace

Result<Simplified> simplify(Search& search, const Tester& tester, Subset start,
                            const SimplifyOptions& options) {
  auto reduced = [&](const Subset& kept) {
    if (options.onReduced) options.onReduced(kept);
  };
  auto cutAll = [&](Cutting&& cutting) -> Result<bool> {
    for (bool hasCut = false;; hasCut = true) {
      FL_TRY(found, search.first(tester, [&] { return cutting.next(start); }));
      if (!found) return hasCut;
      cutting.accept(found->number);
      start = std::move(found->subset);
      reduced(start);
    }
  };
  for (bool isMore = options.cutsEnds; isMore && !search.wasStopped();) {
    FL_CHECK(cutAll(EndCut(false))); // what is needed last stands at the end then
    FL_TRY(between, cutAll(MiddleCut()));
    FL_CHECK(cutAll(EndCut(true)));
    isMore = between;
  }
  if (search.wasStopped()) return Simplified{std::move(start), false};
  Sweeper sweeper(std::move(start), options);
  while (true) {
    if (options.onLeft) options.onLeft(sweeper.left());
    sweeper.begin();
    FL_TRY(found, search.first(tester, [&] { return sweeper.next(); }));
    if (!found) break;
    sweeper.accept(found->number, std::move(found->subset));
    reduced(sweeper.kept());
  }
  return Simplified{sweeper.kept(), !search.wasStopped() && options.untilMinimal};
}

} // namespace faultline::technique
