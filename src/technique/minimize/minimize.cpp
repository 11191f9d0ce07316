#include "technique/minimize/minimize.h"

#include "technique/minimize/cuts.h"

#include <algorithm>
#include <chrono>

namespace faultline::technique {
namespace {

constexpr unsigned kDeepestItems = 16;
// Beyond single bytes: so many runs of a few of them are tried at most, the shorter the more there is left;
// more where the search took long anyway.
constexpr size_t kMostRuns = 400;
constexpr uint64_t kShareOfRuns = 2;
constexpr size_t kLongestRun = 40, kLongestTokens = 8;
// Trials that a search takes however soon it comes to its end.
constexpr double kFewestTrials = 40;
constexpr uint64_t kTellingTrials = 10;
constexpr size_t kMostExpected = 2000;
// What is tried of each end with all between left out.
constexpr size_t kShareOfEnd = 16;

class Minimizer {
public:
  Minimizer(InputSet start, const InputExperiment& experiment, const MinimizeOptions& options)
      : best_(std::move(start)), whole_(best_), experiment_(experiment), options_(options),
        search_(searchOptions()) {}

  Result<MinimizeResult> run() {
    MinimizeResult result;
    known_.size = sizeOf(best_);
    noteBest(known_.size);
    FL_CHECK(dropUnread());
    bool isMinimal = false;
    for (bool isFirst = true; !search_.wasStopped(); isFirst = false) {
      size_t before = sizeOf(best_);
      for (const Unit& unit : coarseUnits()) {
        if (isFirst) FL_CHECK(dropIndependent(result));
        if (isFirst || unit.kind != Unit::Tokens) FL_CHECK(sweep(unit, {.untilMinimal = false}));
      }
      if (isFirst) FL_CHECK(dropIndependent(result));
      if (!isFirst) FL_CHECK(beyondSingles());
      if (!isFirst && sizeOf(best_) == before) break;
      // The second time single pieces are enough: it was minimal before something else went.
      SimplifyOptions toTheEnd{.cutsEnds = isFirst, .untilMinimal = true, .largestChunk = isFirst ? 0u : 1u};
      FL_TRY(minimal, sweep(options_.finest, toTheEnd));
      isMinimal = minimal;
    }
    result.inputs = std::move(best_);
    result.wasStopped = search_.wasStopped();
    result.isOneMinimal = isMinimal && !result.wasStopped;
    result.unit = unitName(options_.finest);
    result.stats = search_.stats();
    result.levels = std::move(levels_);
    result.timeline = std::move(timeline_);
    return result;
  }

private:
  SearchOptions searchOptions() {
    SearchOptions out = options_.search;
    auto more = out.onVerdict;
    out.onVerdict = [this, more] {
      if (progress_.left) --progress_.left;
      if (options_.onProgress) options_.onProgress(progress_);
      if (more) more();
    };
    return out;
  }

  Tester testerOf(const std::vector<Part>& parts) const {
    return [this, &parts](const Subset& kept) {
      auto inputs = std::make_shared<InputSet>(keptOf(best_, parts, kept));
      return Trial{keyOf(*inputs), [this, inputs] { return experiment_(*inputs); }};
    };
  }

  // Those that can make the finest ones fewer.
  std::vector<Unit> coarseUnits() const {
    std::vector<Unit> out = {{.kind = Unit::Whole}};
    Unit::Kind finest = options_.finest.kind;
    if (finest == Unit::Whole || finest == Unit::Paragraphs) return out;
    out.push_back({.kind = Unit::Paragraphs});
    if (finest != Unit::Bytes && finest != Unit::Tokens) return out;
    unsigned depth = 0;
    for (const InputSource& s : best_)
      if (isText(s.bytes)) depth = std::max(depth, deepest(s.bytes));
    if (depth == 0) out.push_back({.kind = Unit::Lines});
    for (unsigned k = 0; depth && k <= std::min(depth, kDeepestItems); ++k) {
      out.push_back({.kind = Unit::Items, .depth = k});
      if (k) out.push_back({.kind = Unit::Items, .depth = k, .isLeading = true});
      if (k == 0) out.push_back({.kind = Unit::Lines});
    }
    if (finest == Unit::Bytes) out.push_back({.kind = Unit::Tokens});
    return out;
  }

  void note(const Unit& unit, uint64_t verdictsBefore, size_t sizeBefore) {
    if (search_.stats().verdicts == verdictsBefore) return;
    levels_.push_back({unitName(unit), search_.stats().verdicts - verdictsBefore, sizeBefore, sizeOf(best_)});
  }

  void noteBest(size_t size) {
    progress_.best = size;
    if (!timeline_.empty() && timeline_.back().bytes <= size) return;
    timeline_.push_back(
        {std::chrono::duration<double>(Clock::now() - options_.start).count(), search_.stats().runs, size});
  }

  // The pieces at the start and at the end, a sixteenth of all each. Nothing: there are too few of them.
  std::optional<std::string> bothEnds(const std::string& bytes) const {
    bool isFine = options_.finest.kind == Unit::Bytes || options_.finest.kind == Unit::Tokens;
    std::vector<Piece> pieces = cutInto(bytes, isFine ? Unit{.kind = Unit::Lines} : options_.finest);
    if (pieces.size() < 2 * kShareOfEnd || !isText(bytes)) return std::nullopt;
    size_t count = pieces.size() / kShareOfEnd;
    return bytes.substr(0, pieces[count - 1].end) + bytes.substr(pieces[pieces.size() - count].begin);
  }

  // A program may behave otherwise where its input ends, so it is tried; with little of the rest, too, which
  // takes no time.
  Result<void> dropUnread() {
    if (options_.read == 0 || best_.empty()) return {};
    const std::string& bytes = best_[0].bytes;
    size_t end = 0;
    if (options_.finest.kind == Unit::Bytes)
      end = options_.read;
    else
      for (const Piece& piece : cutInto(bytes, options_.finest))
        if (piece.begin < options_.read) end = piece.end;
    if (end == 0 || end >= bytes.size()) return {};
    std::vector<std::string> less;
    if (auto little = bothEnds(bytes.substr(0, end))) less.push_back(std::move(*little));
    less.push_back(bytes.substr(0, end));
    std::vector<InputSet> choices(less.size(), best_);
    for (size_t k = 0; k < less.size(); ++k) choices[k][0].bytes = std::move(less[k]);
    progress_ = {"what was not read", sizeOf(best_), choices.size()};
    FL_CHECK(firstOf(choices));
    return {};
  }

  // Goes on with the first of these that fails. False: there is none.
  Result<bool> firstOf(const std::vector<InputSet>& choices) {
    uint32_t next = 0;
    Tester tester = [&](const Subset& which) {
      auto inputs = std::make_shared<InputSet>(choices[which[0]]);
      return Trial{keyOf(*inputs), [this, inputs] { return experiment_(*inputs); }};
    };
    uint64_t verdicts = search_.stats().verdicts;
    size_t before = sizeOf(best_);
    FL_TRY(found, search_.first(tester, [&]() -> std::optional<SubsetToTry> {
      if (next == choices.size()) return std::nullopt;
      return SubsetToTry{{next++}};
    }));
    if (found) best_ = choices[found->subset[0]];
    if (found) noteBest(sizeOf(best_));
    levels_.push_back({progress_.unit, search_.stats().verdicts - verdicts, before, sizeOf(best_)});
    return found.has_value();
  }

  // True: no piece can be left out.
  Result<bool> sweep(const Unit& unit, SimplifyOptions simplifying) {
    if (search_.wasStopped()) return false;
    std::vector<Part> parts = partsOf(best_, unit, simplifying.untilMinimal);
    if (parts.empty()) return true;
    if (!simplifying.untilMinimal && unit.kind != Unit::Whole && parts.size() < 2) return false;
    uint64_t verdicts = search_.stats().verdicts;
    size_t size = sizeOf(best_);
    progress_.unit = unitName(unit);
    simplifying.onLeft = [&](uint64_t left) { progress_.left = left; };
    simplifying.onReduced = [&](const Subset& kept) { noteBest(sizeOf(keptOf(best_, parts, kept))); };
    progress_.best = size;
    FL_TRY(found, simplify(search_, testerOf(parts), allOf(parts.size()), simplifying));
    best_ = keptOf(best_, parts, found.kept);
    note(unit, verdicts, size);
    return found.isOneMinimal;
  }

  // Of one source, as cuts of its bytes.
  using Cuts = std::function<std::vector<Cut>(const std::string& bytes)>;

  // Leaves out each of these in turn if it can be.
  Result<void> tryCuts(const Cuts& cutsOf, bool onlyText) {
    for (size_t next = 0; !search_.wasStopped();) {
      std::vector<Part> parts = partsOf(best_, {.kind = Unit::Bytes});
      std::vector<Subset> all = removals(parts, cutsOf, onlyText);
      size_t first = next;
      progress_.left = all.size() - std::min(first, all.size());
      FL_TRY(found, search_.first(testerOf(parts), [&]() -> std::optional<SubsetToTry> {
        if (next >= all.size()) return std::nullopt;
        return SubsetToTry{without(allOf(parts.size()), all[next++])};
      }));
      if (!found) break;
      // Goes on with what comes behind: those before it are tried again in the next round.
      next = first + found->number;
      best_ = keptOf(best_, parts, found->subset);
      noteBest(sizeOf(best_));
    }
    return {};
  }

  // The numbers of the parts that each cut takes away.
  std::vector<Subset> removals(const std::vector<Part>& parts, const Cuts& cutsOf, bool onlyText) const {
    std::vector<Subset> out;
    std::vector<uint32_t> firstPart(best_.size(), 0); // of a source's bytes, which follow each other
    for (uint32_t k = uint32_t(parts.size()); k-- > 0;)
      if (!parts[k].isPresence) firstPart[parts[k].source] = k;
    for (uint32_t s = 0; s < best_.size(); ++s) {
      const InputSource& source = best_[s];
      if (!source.isPresent || source.isFixed || (onlyText && !isText(source.bytes))) continue;
      for (const Cut& cut : cutsOf(source.bytes)) {
        Subset gone;
        for (const Piece& piece : {cut.first, cut.second})
          for (size_t k = piece.begin; k < piece.end; ++k) gone.push_back(firstPart[s] + uint32_t(k));
        out.push_back(std::move(gone));
      }
    }
    return out;
  }

  // What no single piece shows.
  Result<void> beyondSingles() {
    if (options_.finest.kind != Unit::Bytes) return {};
    uint64_t verdicts = search_.stats().verdicts;
    size_t size = sizeOf(best_);
    progress_.unit = "pairs and runs";
    FL_CHECK(tryCuts([](const std::string& bytes) { return bracketCuts(bytes); }, true));
    size_t tokens = 0;
    for (const InputSource& s : best_)
      if (isText(s.bytes)) tokens += cutInto(s.bytes, {.kind = Unit::Tokens}).size();
    for (size_t length = runsOf(tokens, kLongestTokens); length >= 2; --length)
      FL_CHECK(tryCuts([&](const std::string& bytes) { return tokenRuns(bytes, length); }, true));
    for (size_t length = runsOf(sizeOf(best_), kLongestRun); length >= 2; --length)
      FL_CHECK(tryCuts(
          [&](const std::string& bytes) {
            std::vector<Cut> out;
            for (size_t end = bytes.size(); end >= length; --end) out.push_back({{end - length, end}});
            return out;
          },
          false));
    if (search_.stats().verdicts != verdicts)
      levels_.push_back({progress_.unit, search_.stats().verdicts - verdicts, size, sizeOf(best_)});
    return {};
  }

  size_t runsOf(size_t pieces, size_t longest) const {
    size_t most = std::max(kMostRuns, size_t(search_.stats().verdicts / kShareOfRuns));
    return std::min(longest, most / std::max<size_t>(1, pieces));
  }

  // Keeps of each source the pieces of that kind that the failure depends on, of all there was at the start.
  InputSet dependentOnly(const Dependence& dependence, const Unit& unit) const {
    InputSet out = whole_;
    for (size_t s = 0; s < whole_.size(); ++s) {
      if (whole_[s].canBeAbsent()) continue;
      const std::vector<Piece>& needed = dependence[s];
      std::string kept;
      for (const Piece& piece : cutInto(whole_[s].bytes, unit)) {
        auto at = std::ranges::upper_bound(needed, piece.begin, {}, &Piece::end);
        if (at != needed.end() && at->begin < piece.end)
          kept.append(whole_[s].bytes, piece.begin, piece.size());
      }
      out[s].bytes = std::move(kept);
    }
    return out;
  }

  // At the end nearly each byte is tried alone; how much the coarse levels leave is not known before. A trial
  // takes less with less input, but not in proportion.
  MinimizeState state() {
    size_t size = sizeOf(best_);
    uint64_t runs = search_.stats().runs - known_.runs;
    if (runs < kTellingTrials) {
      bool isBegun = known_.each > 0;
      double each = isBegun ? known_.each : options_.secondsOfOne / options_.search.workers;
      return {size, each * (isBegun ? double(std::min(size, kMostExpected)) : kFewestTrials)};
    }
    double each = std::chrono::duration<double>(Clock::now() - known_.at).count() / double(runs);
    each *= std::max(0.1, double(size) / double(std::max<size_t>(1, known_.size)));
    known_ = {search_.stats().runs, size, Clock::now(), each};
    return {size, each * double(std::min(size, kMostExpected))};
  }

  Result<void> dropIndependent(MinimizeResult& result) {
    if (!options_.dependence || isDependenceKnown_ || search_.wasStopped()) return {};
    FL_TRY(known, options_.dependence(state()));
    if (!known) return {};
    isDependenceKnown_ = true;
    // Rarely just those bytes, more often the tokens or lines that they are in: what is around them holds the
    // input together.
    std::vector<Unit> units = {options_.finest};
    if (options_.finest.kind == Unit::Bytes) units.push_back({.kind = Unit::Tokens});
    if (options_.finest.kind == Unit::Bytes || options_.finest.kind == Unit::Tokens)
      units.push_back({.kind = Unit::Lines});
    std::vector<InputSet> choices;
    for (const Unit& unit : units)
      if (InputSet choice = dependentOnly(*known, unit); sizeOf(choice) < sizeOf(best_))
        choices.push_back(std::move(choice));
    if (choices.empty()) return {};
    progress_ = {"what the failure depends on", sizeOf(best_), choices.size()};
    size_t before = sizeOf(best_);
    FL_TRY(isTaken, firstOf(choices));
    result.dependenceTaken = isTaken;
    result.dependenceRemoved = before - sizeOf(best_);
    return {};
  }

  using Clock = std::chrono::steady_clock;
  InputSet best_;
  const InputSet whole_;
  struct { // what trials took, when it was last asked
    uint64_t runs = 0;
    size_t size = 0;
    Clock::time_point at = Clock::now();
    double each = 0; // 0: there were too few
  } known_;
  bool isDependenceKnown_ = false;
  const InputExperiment& experiment_;
  const MinimizeOptions& options_;
  MinimizeProgress progress_;
  std::vector<LevelStats> levels_;
  std::vector<MinimizeStep> timeline_;
  Search search_;
};

} // namespace

Result<MinimizeResult> minimizeInputs(InputSet start, const InputExperiment& experiment,
                                      const MinimizeOptions& options) {
  return Minimizer(std::move(start), experiment, options).run();
}

} // namespace faultline::technique
