#include "technique/changes/copies.h"

#include "program/variable_types.h"
#include "technique/batches.h"
#include "technique/changes/insertion_trials.h"
#include "technique/changes/statement_steps.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <span>
#include <tuple>

namespace faultline::technique {

using fir::kNone;
using fir::Op;

namespace {

constexpr size_t kMostFunctions = 24; // in which a statement may be missing
constexpr size_t kMostNear = 60;      // other functions whose statements are tried there
constexpr size_t kMostForeign = 120;  // statements of these
constexpr size_t kMostTried = 30'000; // statements and places
constexpr size_t kMostPlaces = 4;     // that are told of one statement
constexpr size_t kMostTold = 12;      // that are told
constexpr double kFunctionsAlike = 3; // the first ones are as likely as each other

// How much less likely it is that a statement of this kind is missing than the likeliest.
constexpr double kSetsWhatIsRead = 1, kCalls = 1.2, kSetsAnything = 2.5, kOfAnother = 2, kSimplest = 1.5,
                 kCounts = 2, kOfVariable = 2, kMoved = 1.5;

struct Target { // a function
  const replay::LoadedModule* module = nullptr;
  uint32_t function = 0;
  uint64_t epoch = 1;
};

struct Place {
  enum Kind { Before, Behind, Instead };
  Kind kind = Before;
  uint32_t local = 0; // instruction before which it is made
  uint32_t line = 0;
  uint32_t shown = 0; // instruction of the statement before, behind or instead of which it stands
};

struct Donor {
  MadeStatement statement;
  uint32_t local = kNone; // none: made up
  std::string text = {};
  double unlikely = 1;
  bool isExecuted = false; // in the function itself
};

struct Try {
  double order;
  uint32_t target, donor, place;
  bool isMoved = false; // it is not executed where it stands
};

class CopySearch {
public:
  CopySearch(depend::History& history, experiment::Trials& trials, const ChangeOptions& options,
             const std::function<bool(uint32_t)>& isOwn, ChangeResult& result)
      : history_(history), trials_(trials, options, result), options_(options), isOwn_(isOwn) {}

  Result<void> run(const depend::Slice& slice, const std::vector<Changeable>& places, FirstEpochs& first) {
    noteReads(slice);
    FL_CHECK(findTargets(places, first));
    for (uint32_t k = 0; k < targets_.size(); ++k) propose(k, first);
    std::ranges::sort(
        tries_, {}, [](const Try& t) { return std::tuple(t.order, t.target, t.donor, t.isMoved, t.place); });
    if (tries_.size() > kMostTried) tries_.resize(kMostTried);
    FL_CHECK(tryAll());
    return addPassed();
  }

private:
  // What is known about what the failure depends on: nothing else is worth setting.
  void noteReads(const depend::Slice& slice) {
    for (const auto& [id, count] : slice.instructions) {
      depend::RunCode::Where at = history_.code().where(id);
      if (!at) continue;
      const fir::Image& image = *at.module->image;
      const Op op = image.instructions[at.local].op;
      if (op != Op::Load && op != Op::LoadVar) continue;
      StatementSteps& steps = stepsOf(image);
      if (const fir::Variable* v = steps.variableAt(at.function, at.local)) {
        read_.insert(v);
        continue;
      }
      uint32_t field = kNone, symbol = kNone;
      if (op == Op::Load) steps.findTarget(at.function, at.local, field, symbol);
      if (field != kNone) read_.insert(&image.fields[field]);
      if (symbol != kNone) read_.insert(&image.symbols[symbol]);
    }
  }

  StatementSteps& stepsOf(const fir::Image& image) {
    auto& known = steps_[&image];
    if (!known) known = std::make_unique<StatementSteps>(image);
    return *known;
  }

  Result<void> findTargets(std::vector<Changeable> places, FirstEpochs& first) {
    std::ranges::sort(places, {}, [](const Changeable& c) { return std::pair(c.order, c.id); });
    std::set<std::pair<const void*, uint32_t>> known;
    for (const Changeable& place : places) {
      depend::RunCode::Where at = history_.code().where(place.id);
      if (!at || !known.insert({at.module, at.function}).second) continue;
      const fir::Image& image = *at.module->image;
      // From where it is first called on: what its variables hold has to be seen.
      FL_TRY(epoch, first.before(at.module->base + image.functions[at.function].firstInstruction));
      targets_.push_back({at.module, at.function, epoch});
      if (targets_.size() == kMostFunctions) break;
    }
    return {};
  }

  // The first instruction of each line that asks whether to be altered, and the end of each block.
  std::vector<Place> placesIn(const Target& target, FirstEpochs& first) {
    const fir::Image& image = *target.module->image;
    const fir::Function& f = image.functions[target.function];
    StatementSteps& steps = stepsOf(image);
    std::vector<Place> out;
    for (const fir::Block& block : image.blocksOf(f)) {
      std::set<uint32_t> lines;
      Place last; // statement
      for (uint32_t k = block.first; k < block.first + block.count; ++k) {
        const fir::Instruction& i = image.instructions[k];
        if (!first.wasExecuted(target.module->base + k)) continue;
        if (last.line && endsBlock(i)) out.push_back({Place::Behind, k, last.line, last.shown});
        if (!asks(image, i) || i.location == 0 || !isOwn_(target.module->base + k)) continue;
        const uint32_t line = image.locations[i.location].line;
        if (isStatement(i.op)) last = {Place::Before, k, line, k};
        if (isStatement(i.op) && i.op != Op::Call) out.push_back({Place::Instead, k, line, k});
        if (steps.readsNameless(target.function, k)) continue;
        if (lines.insert(line).second) out.push_back({Place::Before, k, line, k});
      }
    }
    std::ranges::sort(out, {}, [](const Place& p) { return std::tuple(p.line, p.local); });
    return out;
  }

  static bool endsBlock(const fir::Instruction& i) {
    return i.op == Op::Br || (i.op == Op::Ret && i.operandCount == 0);
  }

  static bool isStatement(Op op) { return op == Op::Call || op == Op::Store || op == Op::StoreVar; }

  static bool asks(const fir::Image& image, const fir::Instruction& i) {
    switch (i.op) {
    case Op::Call:
      return !(image.calls[i.aux].flags & fir::kNoReturn);
    case Op::Store:
    case Op::StoreVar:
    case Op::CondBr:
    case Op::Switch:
      return true;
    case Op::Load:
    case Op::LoadVar:
      return image.types[i.type].words == 1;
    default:
      return false;
    }
  }

  void propose(uint32_t number, FirstEpochs& first) {
    const Target& target = targets_[number];
    const fir::Image& image = *target.module->image;
    const std::vector<Place> places = placesIn(target, first);
    const double cost =
        kGoingBack + double(options_.epochs > target.epoch ? options_.epochs - target.epoch : 0);
    places_.push_back(places);
    donors_.emplace_back();
    std::vector<Donor>& donors = donors_.back();
    if (places.empty()) return;
    addOwn(target, first, donors);
    addForeign(target, donors);
    addSimple(target, donors);
    for (uint32_t d = 0; d < donors.size(); ++d)
      for (uint32_t p = 0; p < places.size(); ++p) {
        const fir::Instruction& at = image.instructions[places[p].shown];
        if (places[p].kind == Place::Instead ? !replaces(target, donors[d], places[p])
                                             : isSameLine(image, donors[d].local, places[p]))
          continue;
        const bool isSeen = std::ranges::all_of(
            donors[d].statement.uses, [&](const fir::Variable* v) { return fir::isSeenFrom(image, *v, at); });
        if (!isSeen) continue;
        const double order = (kFunctionsAlike + number) * donors[d].unlikely * cost;
        tries_.push_back({order, number, d, p});
        if (donors[d].isExecuted && places[p].kind != Place::Instead)
          tries_.push_back({order * kMoved, number, d, p, true});
      }
  }

  // Whether it assigns something else to the same.
  bool replaces(const Target& target, const Donor& donor, const Place& place) {
    if (donor.statement.kind != MadeStatement::Assignment || donor.local == place.local) return false;
    StatementSteps& steps = stepsOf(*target.module->image);
    auto own = steps.copy(target.function, place.local, target.function);
    if (own && contentOf(*own) == contentOf(donor.statement)) return false;
    const MadeStatement& s = donor.statement;
    if (s.variable) return steps.variableAt(target.function, place.local) == s.variable;
    uint32_t field = kNone, symbol = kNone;
    if (target.module->image->instructions[place.local].op == Op::Store)
      steps.findTarget(target.function, place.local, field, symbol);
    return (field != kNone && field == s.field) || (symbol != kNone && symbol == s.symbol);
  }

  static bool isSameLine(const fir::Image& image, uint32_t local, const Place& place) {
    return local != kNone && image.locations[image.instructions[local].location].line == place.line;
  }

  void addOwn(const Target& target, FirstEpochs& first, std::vector<Donor>& donors) {
    StatementSteps& steps = stepsOf(*target.module->image);
    std::set<std::string> known;
    for (uint32_t local : steps.statementsOf(target.function)) {
      if (!isOwn_(target.module->base + local)) continue;
      auto statement = steps.copy(target.function, local, target.function);
      if (!statement || !known.insert(contentOf(*statement)).second) continue;
      if (auto unlikely = unlikelihood(*target.module->image, *statement))
        donors.push_back(
            {std::move(*statement), local, "", *unlikely, first.wasExecuted(target.module->base + local)});
    }
  }

  // What is often written is likely to be forgotten once.
  void addForeign(const Target& target, std::vector<Donor>& donors) {
    const fir::Image& image = *target.module->image;
    StatementSteps& steps = stepsOf(image);
    std::set<std::string> own;
    for (const Donor& d : donors) own.insert(contentOf(d.statement));
    std::map<std::string, size_t> known;
    std::vector<std::pair<size_t, Donor>> found; // how often it is written
    for (uint32_t from : functionsNear(target)) {
      for (uint32_t local : steps.statementsOf(from)) {
        if (!isOwn_(target.module->base + local)) continue;
        auto statement = steps.copy(from, local, target.function);
        if (!statement || (statement->kind == MadeStatement::Assignment && statement->variable)) continue;
        std::string content = contentOf(*statement);
        if (own.contains(content)) continue;
        auto [at, isNew] = known.try_emplace(std::move(content), found.size());
        if (!isNew) {
          ++found[at->second].first;
          continue;
        }
        auto unlikely = unlikelihood(image, *statement);
        found.push_back(
            {unlikely ? 1u : 0u, {std::move(*statement), local, "", unlikely.value_or(1) * kOfAnother}});
        if (!unlikely) found.back().second.local = kNone; // not wanted
      }
    }
    std::erase_if(found, [](const auto& f) { return f.second.local == kNone; });
    std::ranges::sort(found, {}, [](const auto& f) { return std::pair(~f.first, f.second.local); });
    if (found.size() > kMostForeign) found.resize(kMostForeign);
    for (size_t k = 0; k < found.size(); ++k) {
      found[k].second.unlikely *= 1 + double(k) / 20;
      donors.push_back(std::move(found[k].second));
    }
  }

  static std::vector<uint32_t> functionsNear(const Target& target) {
    std::vector<uint32_t> out;
    const auto count = uint32_t(target.module->image->functions.size());
    for (uint32_t distance = 1; distance < count && out.size() < kMostNear; ++distance) {
      if (target.function >= distance) out.push_back(target.function - distance);
      if (target.function + distance < count) out.push_back(target.function + distance);
    }
    return out;
  }

  static std::string contentOf(const MadeStatement& s) {
    std::string out(reinterpret_cast<const char*>(s.steps.data()), s.steps.size() * sizeof(fl_step));
    out.append(reinterpret_cast<const char*>(s.kept.data()), s.kept.size() * sizeof s.kept[0]);
    return out;
  }

  // Nothing: it sets what the failure does not depend on.
  std::optional<double> unlikelihood(const fir::Image& image, const MadeStatement& s) const {
    if (s.kind == MadeStatement::Call) return kCalls;
    auto ofRead = [&](const void* what) {
      return read_.contains(what) ? std::optional(kSetsWhatIsRead) : std::nullopt;
    };
    if (s.variable) return ofRead(s.variable);
    if (s.field != kNone) return ofRead(&image.fields[s.field]);
    if (s.symbol != kNone) return ofRead(&image.symbols[s.symbol]);
    return kSetsAnything;
  }

  // `n = 0`, `n++`, `n = m` for the variables of the function that were read.
  void addSimple(const Target& target, std::vector<Donor>& donors) {
    using enum StatementSteps::With;
    const fir::Image& image = *target.module->image;
    const fir::Function& f = image.functions[target.function];
    std::set<std::string> known;
    for (const Donor& d : donors) known.insert(contentOf(d.statement));
    auto add = [&](std::optional<MadeStatement> s, std::string text, double unlikely) {
      if (s && known.insert(contentOf(*s)).second)
        donors.push_back({std::move(*s), kNone, std::move(text), unlikely});
    };
    StatementSteps& steps = stepsOf(image);
    auto variables = image.variables.subspan(f.firstVariable, f.variableCount);
    for (const fir::Variable& v : variables) {
      if (!read_.contains(&v)) continue;
      const std::string name(image.string(v.name));
      const fir::DebugKind kind = kindOf(image, v);
      if (!isScalar(kind)) continue;
      const bool isBool = kind == fir::DebugKind::Bool, isPointer = kind == fir::DebugKind::Pointer;
      add(steps.assign(target.function, v, Zero),
          fmt::format("{} = {}", name,
                      isBool      ? "false"
                      : isPointer ? "NULL"
                                  : "0"),
          kSimplest);
      if (!isPointer)
        add(steps.assign(target.function, v, One), fmt::format("{} = {}", name, isBool ? "true" : "1"),
            kSimplest);
      if (!isBool && !isPointer) {
        add(steps.assign(target.function, v, Increment), name + "++", kCounts);
        add(steps.assign(target.function, v, Decrement), name + "--", kCounts);
      }
      for (const fir::Variable& other : variables) {
        if (&other == &v || !hasHome(other)) continue;
        const std::string_view its = image.string(other.name);
        if (fir::areAlike(image, v, other))
          add(steps.assign(target.function, v, Other, &other), fmt::format("{} = {}", name, its),
              kOfVariable);
        else if (pointsTo(image, other, v))
          add(steps.assign(target.function, v, Pointee, &other), fmt::format("{} = *{}", name, its),
              kOfVariable);
      }
    }
  }

  static bool hasHome(const fir::Variable& v) {
    return v.home == fir::Home::Word || v.home == fir::Home::Frame;
  }

  static fir::DebugKind kindOf(const fir::Image& image, const fir::Variable& v) {
    const uint32_t plain = fir::plainType(image, v.debugType);
    return plain < image.debugTypes.size() ? image.debugTypes[plain].kind : fir::DebugKind::Unknown;
  }

  static bool pointsTo(const fir::Image& image, const fir::Variable& pointer, const fir::Variable& v) {
    const uint32_t plain = fir::plainType(image, pointer.debugType);
    if (plain >= image.debugTypes.size() || image.debugTypes[plain].kind != fir::DebugKind::Pointer)
      return false;
    const uint32_t pointee = fir::plainType(image, image.debugTypes[plain].base);
    return pointee != kNone && pointee == fir::plainType(image, v.debugType);
  }

  static bool isScalar(fir::DebugKind kind) {
    using enum fir::DebugKind;
    return kind == Bool || kind == SignedInt || kind == UnsignedInt || kind == SignedChar ||
           kind == UnsignedChar || kind == Pointer || kind == Enum;
  }

  std::vector<experiment::Alteration> alterations(const Try& t, uint64_t epoch) {
    const Target& target = targets_[t.target];
    const Place& place = places_[t.target][t.place];
    const MadeStatement& made = donors_[t.target][t.donor].statement;
    StatementSteps::Where where{
        .function = target.function, .place = place.local, .base = target.module->base, .epoch = epoch};
    if (place.kind == Place::Instead) where.skipped = {place.local};
    if (t.isMoved) where.skipped = made.done;
    return stepsOf(*target.module->image).alterations(made, where);
  }

  Result<void> tryAll() {
    Batches batches;
    for (size_t next = 0; next < tries_.size() && !trials_.isStopped() && !isEnough();) {
      const size_t end = std::min(next + batches.next(), tries_.size());
      InsertionTrials::Batch batch;
      for (size_t k = next; k < end; ++k)
        if (auto made = alterations(tries_[k], targets_[tries_[k].target].epoch); !made.empty())
          batch.push_back({k, {.alterations = std::move(made)}});
      auto begun = std::chrono::steady_clock::now();
      const uint64_t made = trials_.made();
      FL_CHECK(trials_.run(std::move(batch), [&](size_t k, double share) {
        if (share >= 1) passed_[{tries_[k].target, tries_[k].donor, tries_[k].isMoved}].push_back(tries_[k]);
      }));
      batches.took(trials_.made() - made, std::chrono::steady_clock::now() - begun);
      next = end;
    }
    return {};
  }

  bool isEnough() const { return passed_.size() >= 3 * kMostTold; }

  // A statement that helps at several places stands most likely at the first or the last of them.
  Result<void> addPassed() {
    std::vector<std::vector<Try>*> ordered;
    for (auto& [donor, tries] : passed_) ordered.push_back(&tries);
    std::ranges::sort(ordered, {}, [](const auto* tries) {
      return std::tuple(tries->front().order, tries->front().target, tries->front().donor);
    });
    if (ordered.size() > kMostTold) ordered.resize(kMostTold);
    for (std::vector<Try>* tries : ordered) {
      auto isInserted = [&](const Try& t) { return places_[t.target][t.place].kind != Place::Instead; };
      std::ranges::sort(*tries, {}, [&](const Try& t) { return std::pair(isInserted(t), t.place); });
      auto first = std::ranges::find_if(*tries, isInserted);
      for (auto t = tries->begin(); t != first; ++t) FL_CHECK(add(*t));
      FL_CHECK(tries->front().isMoved ? add(nearest(*tries)) : addEnds(std::span(first, tries->end())));
    }
    return {};
  }

  // The last, the first, the last but one ...
  Result<void> addEnds(std::span<const Try> tries) {
    for (size_t n = 0; n < std::min(tries.size(), kMostPlaces); ++n)
      FL_CHECK(add(tries[n % 2 ? n / 2 : tries.size() - 1 - n / 2]));
    return {};
  }

  // To where it is written.
  const Try& nearest(const std::vector<Try>& tries) {
    return *std::ranges::min_element(tries, {}, [&](const Try& t) {
      const fir::Image& image = *targets_[t.target].module->image;
      const fir::Instruction& i = image.instructions[donors_[t.target][t.donor].local];
      return std::abs(int64_t(places_[t.target][t.place].line) - int64_t(image.locations[i.location].line));
    });
  }

  Result<void> add(const Try& t) {
    const Target& target = targets_[t.target];
    const Donor& donor = donors_[t.target][t.donor];
    std::vector<experiment::Alteration> made = alterations(t, 1);
    const Place& place = places_[t.target][t.place];
    FoundChange found{target.module->base + (t.isMoved ? donor.local : place.shown),
                      {.alteration = made.front(), .form = ChangeForm::Inserted, .text = ""}};
    if (place.kind == Place::Instead) found.proposal.form = ChangeForm::Replaced;
    if (t.isMoved) {
      found.proposal.form = ChangeForm::Moved;
      found.proposal.text = fmt::format("if it came {} line {} instead",
                                        place.kind == Place::Behind ? "after" : "before", place.line);
    }
    found.proposal.isBehind = place.kind == Place::Behind;
    if (donor.local != kNone)
      found.proposal.copied = target.module->base + donor.local;
    else
      found.proposal.to = donor.text;
    found.effect.share = 1;
    return trials_.add(std::move(found), std::move(made));
  }

  static constexpr double kGoingBack = 50'000; // steps that are made in the time it takes to go back

  depend::History& history_;
  InsertionTrials trials_;
  const ChangeOptions& options_;
  const std::function<bool(uint32_t)>& isOwn_;
  std::map<const fir::Image*, std::unique_ptr<StatementSteps>> steps_;
  std::set<const void*> read_; // variables, members and symbols of the images
  std::vector<Target> targets_;
  std::vector<std::vector<Place>> places_; // of each target
  std::vector<std::vector<Donor>> donors_;
  std::vector<Try> tries_;
  std::map<std::tuple<uint32_t, uint32_t, bool>, std::vector<Try>> passed_; // by target, donor, whether moved
};

} // namespace

Result<void> searchCopies(depend::History& history, const depend::Slice& slice,
                          const std::vector<Changeable>& places, FirstEpochs& first,
                          experiment::Trials& trials, const ChangeOptions& options,
                          const std::function<bool(uint32_t)>& isOwn, ChangeResult& result) {
  return CopySearch(history, trials, options, isOwn, result).run(slice, places, first);
}

} // namespace faultline::technique
