#include "technique/minimize/difference.h"

#include <algorithm>

namespace faultline::technique {
namespace {

// Beyond so many steps between two sequences all of what differs goes, and all of the other comes.
constexpr int64_t kMostSteps = 1000;

using Pieces = std::vector<std::string_view>;

Pieces piecesOf(std::string_view text, const Unit& unit) {
  Pieces out;
  for (const Piece& p : cutInto(text, unit)) out.push_back(text.substr(p.begin, p.size()));
  return out;
}

// A longest common subsequence (Myers 1986): pairs of positions, ascending. Nothing: too far apart.
std::optional<std::vector<std::pair<size_t, size_t>>> common(const Pieces& a, const Pieces& b) {
  int64_t n = int64_t(a.size()), m = int64_t(b.size());
  int64_t most = std::min(n + m, kMostSteps);
  std::vector<std::vector<int64_t>> rounds; // of each, the furthest place on each diagonal
  std::vector<int64_t> furthest(size_t(2 * most + 3), 0);
  auto at = [&](int64_t diagonal) -> int64_t& { return furthest[size_t(diagonal + most + 1)]; };
  for (int64_t d = 0; d <= most; ++d) {
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      while (x < n && x - k < m && a[size_t(x)] == b[size_t(x - k)]) ++x;
      at(k) = x;
      if (x < n || x - k < m) continue;
      std::vector<std::pair<size_t, size_t>> pairs;
      int64_t y = x - k;
      for (int64_t r = d; r > 0; --r) {
        const std::vector<int64_t>& before = rounds[size_t(r - 1)];
        auto was = [&](int64_t diagonal) { return before[size_t(diagonal + most + 1)]; };
        int64_t here = x - y;
        int64_t from = here == -r || (here != r && was(here - 1) < was(here + 1)) ? here + 1 : here - 1;
        int64_t oldX = was(from), oldY = oldX - from;
        while (x > oldX && y > oldY) pairs.emplace_back(size_t(--x), size_t(--y));
        x = oldX, y = oldY;
      }
      while (x > 0 && y > 0) pairs.emplace_back(size_t(--x), size_t(--y));
      std::ranges::reverse(pairs);
      return pairs;
    }
    rounds.push_back(furthest);
  }
  return std::nullopt;
}

} // namespace

void Difference::compare(std::string_view from, std::string_view to, const Unit& unit,
                         std::vector<Step>& steps) {
  Pieces a = piecesOf(from, unit), b = piecesOf(to, unit);
  size_t start = 0, tail = 0;
  while (start < a.size() && start < b.size() && a[start] == b[start]) ++start;
  while (tail < a.size() - start && tail < b.size() - start &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  auto same = [&](size_t k) { steps.push_back({Step::Same, a[k]}); };
  for (size_t k = 0; k < start; ++k) same(k);
  Pieces middleA(a.begin() + ptrdiff_t(start), a.end() - ptrdiff_t(tail));
  Pieces middleB(b.begin() + ptrdiff_t(start), b.end() - ptrdiff_t(tail));
  auto pairs = common(middleA, middleB).value_or(std::vector<std::pair<size_t, size_t>>());
  pairs.emplace_back(middleA.size(), middleB.size());
  size_t i = 0, j = 0;
  for (auto [x, y] : pairs) {
    for (; i < x; ++i) steps.push_back({Step::Goes, middleA[i], size_++});
    for (; j < y; ++j) steps.push_back({Step::Comes, middleB[j], size_++});
    if (x < middleA.size()) steps.push_back({Step::Same, middleA[x]}), ++i, ++j;
  }
  for (size_t k = a.size() - tail; k < a.size(); ++k) same(k);
}

Difference::Difference(const InputSet& from, const InputSet& to, const Unit& unit) : from_(from), to_(to) {
  steps_.resize(from_.size());
  presence_.resize(from_.size());
  for (size_t k = 0; k < from_.size(); ++k) {
    if (from_[k].isPresent != to_[k].isPresent) presence_[k] = size_++;
    compare(from_[k].bytes, to_[k].bytes, unit, steps_[k]);
  }
}

std::vector<DifferenceStep> Difference::steps() const {
  std::vector<DifferenceStep> out;
  for (size_t k = 0; k < steps_.size(); ++k) {
    size_t offset = 0;
    for (const Step& s : steps_[k]) {
      if (s.kind != Step::Same) out.push_back({k, s.kind == Step::Comes, s.text, offset});
      if (s.kind != Step::Goes) offset += s.text.size();
    }
  }
  return out;
}

InputSet Difference::with(const Subset& chosen) const {
  InputSet out = from_;
  std::vector<bool> taken(size_, false);
  for (uint32_t e : chosen) taken[e] = true;
  for (size_t k = 0; k < out.size(); ++k) {
    if (presence_[k] && taken[*presence_[k]]) out[k].isPresent = to_[k].isPresent;
    out[k].bytes.clear();
    for (const Step& s : steps_[k])
      if (s.kind == Step::Same || (s.kind == Step::Comes) == taken[s.number]) out[k].bytes += s.text;
  }
  return out;
}

} // namespace faultline::technique
