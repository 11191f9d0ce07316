#include "explain/fuse.h"

#include "explain/likelihood.h"
#include "explain/refusals.h"
#include "finding/describe_stop.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace faultline::explain {

using finding::CauseNodeInfo;
using finding::CausesReport;
using finding::CauseStatement;
using finding::ChainStep;
using finding::Evidence;
using finding::Place;
using finding::Suspect;

namespace {

constexpr size_t kShown = 4; // lines of a node that a person reads before the rest folds

std::string valueText(const CauseStatement& s) {
  return s.value ? finding::valueText(*s.value, s.isCondition) : "";
}

class Fuser {
public:
  Fuser(const Found& found, const Weights& weights)
      : found_(found), w_(weights), isAnyQuiet_(isAnyQuiet(found)),
        ofFailure_(isNoticedLate(found) ? weights.noticed : 1), refusals_(found) {}

  std::vector<Suspect> rank(size_t most) {
    if (found_.critical) addCritical();
    if (found_.changes) addChanges();
    if (found_.memory) addMemory();
    addStack();
    addComplaints();
    for (const Chosen& c : found_.chosen)
      addDecided(withoutGuards(withoutAsking(c.decided)), w_.chose / double(found_.chosen.size()), "origin",
                 fmt::format("decided that line {} was executed, which set the failing value", c.place.line));
    addTexts();
    if (found_.causes) addCauses();
    if (found_.invariants) addInvariants();
    addSlice();
    std::vector<Suspect> all;
    for (auto& [line, suspect] : suspects_) {
      std::sort(suspect.evidence.begin(), suspect.evidence.end(),
                [](const Evidence& a, const Evidence& b) { return a.weight > b.weight; });
      suspect.score = scoreOf(suspect);
      if (isFailure(suspect.place)) suspect.score = atFailure(suspect);
      suspect.reason = suspect.evidence.front().text;
      all.push_back(std::move(suspect));
    }
    sortByScore(all);
    discountAgain(all);
    if (all.size() > most) all.resize(most);
    for (Suspect& s : all) s.chain = chainOf(s.place);
    return all;
  }

private:
  static void sortByScore(std::vector<Suspect>& all) {
    std::ranges::sort(all, [](const Suspect& a, const Suspect& b) {
      if (a.score != b.score) return a.score > b.score;
      return std::tie(a.place.file, a.place.line) < std::tie(b.place.file, b.place.line);
    });
  }

  // The same change of one line after the other tells nothing new: other places come before all but the
  // first.
  void discountAgain(std::vector<Suspect>& sorted) const {
    constexpr uint32_t kNear = 3;                                              // lines
    std::map<std::pair<std::string, std::string>, std::vector<uint32_t>> told; // function and change: lines
    for (Suspect& s : sorted) {
      if (s.evidence.front().technique != "changes") continue;
      std::vector<uint32_t>& lines = told[{s.place.function, s.reason}];
      const auto near = std::ranges::count_if(lines, [&](uint32_t line) {
        return std::max(line, s.place.line) - std::min(line, s.place.line) <= kNear;
      });
      s.score /= 1 + double(near) * w_.again;
      lines.push_back(s.place.line);
    }
    sortByScore(sorted);
  }

  // A change that turns a decision round and the decision taken the other way are one fact: the better
  // counts.
  double scoreOf(const Suspect& suspect) const {
    double sum = 0, change = 0, decision = 0; // each technique stands there once
    for (const Evidence& e : suspect.evidence)
      (e.technique == "changes" ? change : e.technique == "critical" ? decision : sum) += e.weight;
    const bool isSame = flips_.contains({suspect.place.file, suspect.place.line});
    return sum + (isSame ? std::max(change, decision) : change + decision);
  }

  // That it fails is known; that a guard is missing there is not.
  double atFailure(const Suspect& suspect) const {
    double guard = 0;
    if (auto known = guarded_.find({suspect.place.file, suspect.place.line}); known != guarded_.end())
      guard = known->second;
    return guard + w_.atFailure * (suspect.score - guard);
  }

  using Line = SourceLine;

  void add(const Place& place, Evidence evidence) {
    if (!place.isKnown() || finding::isLibraryFrame(place) || !hasCode(place)) return;
    Suspect& s = suspects_[{place.file, place.line}];
    if (!s.place.isKnown()) s.place = place;
    for (Evidence& known : s.evidence) // the same technique counts once, with its best
      if (known.technique == evidence.technique) {
        if (evidence.weight > known.weight) known = std::move(evidence);
        return;
      }
    s.evidence.push_back(std::move(evidence));
  }

  bool hasCode(const Place& place) const { return !found_.hasCode || found_.hasCode(place); }

  bool isFailure(const Place& place) const {
    return found_.failure && place.file == found_.failure->file && place.line == found_.failure->line;
  }

  // In the order they were found: from the failure backwards, those that it depends on first.
  void addCritical() {
    const auto& decisions = found_.critical->decisions;
    for (size_t k = 0; k < decisions.size(); ++k) {
      const finding::CriticalDecision& d = decisions[k];
      const double kind = ofDecision(d);
      if (isFailure(d.place)) continue; // that it fails is decided there
      std::string was =
          d.condition && !d.condition->name.empty()
              ? fmt::format("{} was {}{}", finding::codeText(d.condition->name), d.condition->text,
                            d.condition->with.empty() ? "" : " (" + d.condition->with + ")")
              : "it was decided so";
      double weight = std::max(0.5, w_.repairs - w_.furtherRepair * double(k)) * (d.verified ? 1 : 0.5) *
                      (d.isAround ? w_.around : 1) * (d.executions > 1 ? w_.several : 1) * kind;
      if (refusals_.isRefusal(d) && d.verified) weight = std::max(weight, w_.repairs * w_.refusal);
      if (refusals_.isAsking(d.place)) weight *= w_.asksOnly;
      weight = std::max(weight, ofMissingCondition(d));
      add(d.place, {"critical",
                    fmt::format("{}; {}, {}{}", was, finding::otherwiseText(d), finding::effectText(d.effect),
                                finding::wayText(d.effect)),
                    weight});
      if (k < found_.under.size()) addUnder(d, found_.under[k], weight);
      if (k < found_.led.size()) addLed(d, found_.led[k], weight);
      if (k >= found_.feeds.size()) continue;
      size_t read = 0;
      for (const CauseStatement& s : found_.feeds[k].statements) {
        if (s.isLibrary || (s.place.file == d.place.file && s.place.line == d.place.line)) continue;
        double feeds = kind * w_.feedsRepair / (1 + double(k)) / (1 + double(read++) / w_.halfFeeds);
        std::string value = valueText(s);
        add(s.place, {"feeds",
                      fmt::format("{}{}made what line {} decided by, which {}", value,
                                  value.empty() ? "" : ": ", d.place.line, helpText(d.effect)),
                      feeds});
      }
    }
  }

  // What led to the crash as well is told as that.
  std::vector<Place> withoutGuards(std::vector<Place> places) const {
    std::erase_if(places, [&](const Place& p) { return isAmong(found_.guards, p); });
    return places;
  }

  std::vector<Place> withoutAsking(std::vector<Place> places) const {
    std::erase_if(places, [&](const Place& p) { return refusals_.isAsking(p); });
    return places;
  }

  static bool isAmong(const std::vector<Place>& places, const Place& place) {
    return std::ranges::any_of(places,
                               [&](const Place& p) { return p.file == place.file && p.line == place.line; });
  }

  bool isDecision(const Place& place) const {
    return std::ranges::any_of(found_.critical->decisions, [&](const finding::CriticalDecision& d) {
      return d.place.file == place.file && d.place.line == place.line;
    });
  }

  // Either the decision is wrong, or what it leads to; if that is another decision that repairs, it is told
  // so.
  void addUnder(const finding::CriticalDecision& d, const std::vector<Place>& lines, double weight) {
    size_t read = 1;
    for (const Place& place : lines)
      if (!isFailure(place) && !isDecision(place))
        add(place,
            {"under",
             fmt::format("executed because line {} decided so, which {}", d.place.line, helpText(d.effect)),
             weight * w_.under / (1 + double(read++) / w_.halfUnder)});
  }

  // What serves many does as it is told: by whoever called it then.
  void addLed(const finding::CriticalDecision& d, const LedTo& led, double weight) {
    weight *= led.isOfMany ? w_.calledOfMany : w_.called;
    for (const Place& place : led.calls) {
      if (!isFailure(place) && !isDecision(place))
        add(place,
            {"led", fmt::format("called what decided, at line {}, what {}", d.place.line, helpText(d.effect)),
             weight});
      weight /= 2;
    }
  }

  double ofDecision(const finding::CriticalDecision& d) const {
    return ofWay(d.effect) * ofShare(d.effect.share) *
           rarity(found_.critical->tried, likes(d.effect, *found_.critical, found_.critical->decisions),
                  w_.leastRareDecision);
  }

  // A decision that led to the crash and that keeps it away if taken the other way: where a condition is
  // missing, as a guard may be (addChanges).
  double ofMissingCondition(const finding::CriticalDecision& d) const {
    if (!found_.isCrash || !d.verified || d.effect.share < 1) return 0;
    auto isThere = [&](const Place& p) { return p.file == d.place.file && p.line == d.place.line; };
    auto guard = std::ranges::find_if(found_.guards, isThere);
    if (guard == found_.guards.end()) return 0;
    const double further = 1 + double(guard - found_.guards.begin()) / w_.halfGuards;
    const bool isLoop = found_.loopTests.contains({d.place.file, d.place.line});
    return ofFailure_ * w_.change * explain::likelihood("guard") * w_.untold *
           (d.effect.status ? w_.orderly : 1) * (isLoop ? w_.loopTest : 1) / further;
  }

  // What leads around the failure is worth less than what leads through where it was.
  double ofWay(const finding::Effect& effect) const {
    const double quiet = effect.complains && isAnyQuiet_ ? w_.complains : 1;
    if (found_.knowsOutput) return quiet;
    const double way = quiet * (effect.leadsAround() ? w_.leadsAround : 1) * (effect.status ? w_.orderly : 1);
    if (!effect.strays) return way * (found_.isCrash || found_.isHang ? w_.crash : 1);
    return way * w_.untold * std::pow(1 - *effect.strays, w_.stray);
  }

  // Of those that helped: how many are of this kind, or of a better one. Where the right output is not known,
  // and it was seen of some how far they stray: as large a part as strays no further.
  template <typename Report, typename Helping>
  double likes(const finding::Effect& effect, const Report& report, const Helping& helping) const {
    const uint64_t around = effect.reaches.value_or(0) >= 1 ? std::min(report.around, report.passed) : 0;
    const double all = double(effect.status ? report.passed + report.orderly : report.passed - around);
    if (found_.knowsOutput || !effect.strays) return all;
    size_t seen = 0, alike = 0;
    for (const auto& h : helping) {
      const bool isLeftOut = (around > 0 && h.effect.leadsAround()) || (!effect.status && h.effect.status);
      if (!h.effect.strays || isLeftOut) continue;
      ++seen;
      alike += *h.effect.strays <= *effect.strays;
    }
    return seen ? std::max(1.0, all * double(alike) / double(seen)) : all;
  }

  static const char* helpText(const finding::Effect& effect) {
    if (effect.passes()) return "repairs the run";
    return effect.status ? "keeps it from failing so" : "makes more of the output right";
  }

  // What is worth less than a repair.
  double ofShare(double share) const { return share >= 1 ? 1 : w_.partial * share; }

  // Where the program calls its own malloc or free, and, less so, that function.
  void addAround(const Place& place, const std::optional<Place>& within, finding::Evidence evidence) {
    add(place, evidence);
    evidence.weight *= w_.accessWithin;
    if (within) add(*within, evidence);
  }

  // What some code reads by intent and never uses (a word at a time, a set that is never cleared) is wrong,
  // but made nothing fail.
  double ofAccess(const finding::MemoryErrorInfo& e) const {
    return (e.kind == "uninitialised" ? w_.unwritten : 1) * (e.isIdle ? w_.idleAccess : 1);
  }

  // What has a fixed size is rarely too small: more often nobody asks whether there is room.
  double ofSize(const finding::MemoryErrorInfo& e) const {
    const bool isFirst = &e == &found_.memory->errors.front();
    return e.object->kind != "heap" || (isFirst && found_.isSizeConstant) ? w_.constantObject : 1;
  }

  // The first is where memory began to be wrong: what follows may be its consequence.
  void addMemory() {
    double weight = w_.illegalAccess;
    for (const finding::MemoryErrorInfo& e : found_.memory->errors) {
      const double kind = ofAccess(e);
      const char* idle = e.access == "write" ? "; it fell on nothing there"
                                             : "; the failure does not depend on what it reads";
      add(e.place, {"memory", e.text + (e.isIdle ? idle : ""), weight * kind});
      const auto& o = e.object;
      std::string at = fmt::format("line {}", e.place.line);
      // No block is large enough for a negative size, nor for what lies before its start.
      const bool isBelow = (e.size && int64_t(*e.size) < 0) || e.offset.value_or(0) < 0;
      if (o && o->made && e.kind == "out-of-bounds" && !isBelow) {
        finding::Evidence made{"memory-object",
                               fmt::format("{} {} bytes, and {} goes beyond them",
                                           o->kind == "heap" ? "allocates" : o->name + " has", o->size, at),
                               weight * kind * w_.accessObject * ofSize(e)};
        addAround(*o->made, o->madeWithin, made);
        made.text = fmt::format("led to the allocation of {}, which {} goes beyond", o->text, at);
        for (const Place& place : o->madeFor) {
          made.weight *= w_.allocationCaller;
          add(place, made);
        }
      }
      if (o && o->ended && o->kind == "heap") {
        finding::Evidence ended{"memory-object",
                                fmt::format("gives back {}, which {} still uses", o->text, at),
                                weight * kind * w_.accessObject};
        addAround(*o->ended, o->endedWithin, ended);
        ended.text = fmt::format("led to the giving back of {}, which {} still uses", o->text, at);
        for (const Place& place : o->endedFor) {
          ended.weight *= w_.accessCaller;
          add(place, ended);
        }
      }
      if (&e == &found_.memory->errors.front()) weight *= w_.furtherAccess;
    }
    if (found_.memory->errors.empty()) return;
    const finding::MemoryErrorInfo& first = found_.memory->errors.front();
    weight = w_.illegalAccess * ofAccess(first);
    addDecided(found_.decided, weight * w_.allowedAccess, "memory-decision",
               fmt::format("decided that line {} was executed, whose access is wrong", first.place.line));
    addDecided(
        found_.allocated, weight * w_.allowedBlock, "memory-decision",
        fmt::format("decided how much memory was asked for, which line {} goes beyond", first.place.line));
    double led = weight * w_.ledToAccess;
    for (const Place& place : found_.calls) {
      add(place,
          {"memory-call",
           fmt::format("called what led to the access at line {}, which is wrong", first.place.line), led});
      led /= 2;
    }
    addMade(found_.address, weight * w_.madeAddress, w_.halfAddress, "memory-address",
            fmt::format("made the address or the size of the access at line {}, which is wrong",
                        first.place.line));
    addMade(found_.blockSize, weight * w_.madeAddress * (first.object ? ofSize(first) : 1), w_.halfAddress,
            "memory-size",
            fmt::format("made the size of the block that line {} goes beyond", first.place.line));
    addMade(found_.freedSize, weight * w_.madeNothing, w_.halfNothing, "memory-size",
            fmt::format("made the size of 0, for which realloc() gave back what line {} still uses",
                        first.place.line));
  }

  // From inside out: where a test is missing, it is missing beside those that are there.
  void addDecided(const std::vector<Place>& places, double weight, const std::string& technique,
                  const std::string& text) {
    for (const Place& place : places) {
      add(place, {technique, text, weight});
      weight /= 2;
    }
  }

  void addMade(const std::vector<Place>& places, double weight, double half, const std::string& technique,
               const std::string& text) {
    size_t read = 0;
    for (const Place& place : places) add(place, {technique, text, weight / (1 + double(read++) / half)});
  }

  static bool isGuard(const finding::CodeChange& c) { return c.form == "guard" || c.form == "limit"; }

  // What searches for missing statements find (technique::InsertionTrials).
  static bool isMissing(const finding::CodeChange& c) {
    return c.form == "inserted" || c.form == "replaced" || c.form == "moved" || c.form == "once";
  }

  // What helped in one search.
  struct Search {
    uint64_t passed = 0, around = 0, orderly = 0;
  };

  double rarity(uint64_t tried, double passed, double least) const {
    if (passed == 0) return 1;
    double odds = std::max(1.0, double(tried) / passed);
    return std::clamp(std::log(odds) / std::log(w_.rare), least, 1.0);
  }

  void addChanges() {
    // Guards are counted apart, and so are statements that are missing: where nothing that is written repairs
    // as it should, hundreds of them may.
    Search written, missing;
    missing.passed = found_.changes->missing.passed;
    missing.around = found_.changes->missing.around;
    written.passed = found_.changes->passed - missing.passed;
    written.around = found_.changes->around - missing.around;
    written.orderly = found_.changes->orderly;
    std::vector<finding::CodeChange> ofWritten, ofMissing;
    for (const finding::CodeChange& c : found_.changes->changes)
      if (!isGuard(c)) (isMissing(c) ? ofMissing : ofWritten).push_back(c);
    auto rareness = [&](const finding::CodeChange& c) {
      if (isGuard(c)) return 1.0;
      const uint64_t ofThese = found_.changes->missing.tried;
      return isMissing(c)
                 ? rarity(ofThese, likes(c.effect, missing, ofMissing), w_.leastRare)
                 : rarity(found_.changes->tried - ofThese, likes(c.effect, written, ofWritten), w_.leastRare);
    };
    auto weightOf = [&](const finding::CodeChange& c) {
      const double rare = rareness(c);
      const double kind = ofWay(c.effect) * rare;
      return w_.change * explain::likelihood(c, w_) * (c.verified ? 1 : 0.3) * kind * ofShare(c.effect.share);
    };
    std::map<Line, std::pair<const finding::CodeChange*, double>>
        told;                               // what is told of the line, its weight
    std::map<std::string, size_t> inserted; // statements: places
    for (const finding::CodeChange& c : found_.changes->changes) {
      double weight = weightOf(c);
      if (refusals_.isAsking(c.place)) weight *= w_.asksOnly;
      // There may be many places for the same statement, the likeliest first.
      if (isMissing(c) && c.form != "once") {
        const size_t places = inserted[c.to]++;
        weight /= 1 + double(inserted.size() - 1 + places) / w_.halfInserted;
      }
      // From the failure backwards: the value is as bad at each read of it.
      if (isGuard(c)) {
        weight /= 1 + double(guarded_.size()) / w_.halfGuards;
        weight = guarded_.try_emplace({c.place.file, c.place.line}, weight).first->second;
      }
      auto [known, isNew] = told.try_emplace({c.place.file, c.place.line}, &c, weight);
      if (isNew) continue;
      known->second.second = std::max(known->second.second, weight);
      if (isToldRather(c, *known->second.first)) known->second.first = &c;
    }
    for (auto& [line, what] : told)
      if (what.first->form == "comparison" || what.first->form == "always") flips_.insert(line);
    for (auto& [line, what] : told) {
      double led = what.second * w_.calledOfMany;
      for (const Place& place : what.first->calls) {
        if (!isFailure(place) && !told.contains({place.file, place.line}))
          add(place, {"led",
                      fmt::format("called {}(), where a change of line {} repairs the run",
                                  what.first->place.function, what.first->place.line),
                      led});
        led /= 2;
      }
    }
    for (auto& [line, what] : told)
      add(what.first->place, {"changes",
                              fmt::format("{} {}{}", finding::effectText(what.first->effect),
                                          what.first->text, finding::wayText(what.first->effect)),
                              what.second, what.first->edit});
  }

  // Of several changes of a line that repair the run: what a person would write. `*` instead of `+` in `n +
  // 1` repairs where there should be no `+ 1`. Of two that are alike, the one that is done later: `a->b`
  // reads b last.
  static bool isToldRather(const finding::CodeChange& a, const finding::CodeChange& b) {
    static constexpr std::string_view kOrder[] = {
        "comparison", "next-to",  "operand",  "index",    "off-by-one", "guard",    "variable",
        "sign",       "operator", "left-out", "replaced", "moved",      "constant", "returned",
        "always",     "limit",    "read",     "inserted", "once"};
    auto rank = [&](const finding::CodeChange& c) {
      return std::tuple(!c.verified, -c.effect.reaches.value_or(1), c.effect.status.has_value(),
                        std::ranges::find(kOrder, c.form) - std::begin(kOrder), -int64_t(c.place.column));
    };
    return rank(a) < rank(b);
  }

  // In the order that a person best reads the tree's lines.
  void addCauses() {
    size_t made = 0, below = 0;
    for (const finding::CauseLine& line : found_.causes->order) {
      const CauseNodeInfo* n = nodeById(line.node);
      if (!n) continue;
      std::string value = valueAt(*n, line.place);
      if (n->level == 0) {
        double weight =
            ofFailure_ * ofPassing(line.place) * w_.madeFailure / (1 + double(made++) / w_.halfMade);
        add(line.place,
            {"causes", value.empty() ? "part of what failed" : value + ": part of what failed", weight});
      } else {
        double weight = ofFailure_ * w_.inTree / (1 + double(below++) / w_.halfTree);
        add(line.place,
            {"causes", fmt::format("{}{}{}", value, value.empty() ? "" : ": ", n->relation), weight});
      }
    }
  }

  const CauseNodeInfo* nodeById(uint32_t id) const {
    for (const CauseNodeInfo& n : found_.causes->nodes)
      if (n.id == id) return &n;
    return nullptr;
  }

  static std::string valueAt(const CauseNodeInfo& node, const Place& place) {
    for (const CauseStatement& s : node.statements)
      if (s.place.file == place.file && s.place.line == place.line) return valueText(s);
    return "";
  }

  void addStack() {
    if (found_.isCrash && found_.failure)
      addDecided(found_.guards, ofFailure_ * w_.guard, "guard",
                 fmt::format("decided that line {} was executed, which crashed", found_.failure->line));
    size_t calls = 0;
    for (const Place& place : found_.recursion)
      add(place, {"stack", "calls itself again by way of this, until there was no stack left",
                  w_.recursion / (1 + double(calls++) / w_.halfRecursion)});
    double weight = ofFailure_ * w_.onStack * (found_.isAssertion ? w_.broken : 1);
    for (const Place& place : found_.stack) {
      add(place, {"stack", "called what failed", weight});
      weight /= 2;
    }
  }

  void addComplaints() {
    size_t read = 0;
    for (const Complaint& c : found_.complaints) {
      double weight = w_.complaint / (1 + double(read++) / w_.halfComplaint);
      if (found_.isCrash) weight *= w_.beforeCrash;
      add(c.place, {"complaint", "complained on standard error", weight});
      addDecided(
          c.decided, weight, "complaint",
          fmt::format("decided that line {} was executed, which complained on standard error", c.place.line));
      if (c.ignored)
        add(*c.ignored,
            {"ignored",
             fmt::format("gives {} after line {} has complained on standard error, and nobody looks at it",
                         c.ignoredValue, c.place.line),
             weight * w_.ignored});
      addDecided(c.calls, weight / 2, "complaint",
                 fmt::format("called what complained on standard error, at line {}", c.place.line));
    }
  }

  double ofPassing(const Place& place) const {
    const Line line{place.file, place.line};
    return refusals_.isAsking(place) ? w_.asksOnly : found_.passedOn.contains(line) ? w_.passesOn : 1;
  }

  // Who passes a text on makes nothing of it; who chose it may have chosen wrongly.
  void addTexts() {
    size_t read = 0;
    for (const NamedText& t : found_.texts) {
      if (isFailure(t.place)) continue;
      double weight = w_.namesText * (t.isSaid ? w_.saysText : 1);
      std::string what = "from which the failing value was copied";
      if (t.decision) {
        const finding::CriticalDecision& d = found_.critical->decisions.at(*t.decision);
        weight = w_.namesDecided * ofDecision(d) / (1 + double(*t.decision));
        what = fmt::format("by which line {} decided, which {}", d.place.line, helpText(d.effect));
      }
      add(t.place,
          {"text", fmt::format("names {}, {}", t.text, what), weight / (1 + double(read++) / w_.halfTexts)});
    }
  }

  void addSlice() {
    size_t read = 0;
    for (const Place& place : found_.slice)
      add(place, {"slice", "the failure depends on it, or might have",
                  ofFailure_ * w_.inSlice / (1 + double(read++) / w_.halfSlice)});
    read = 0;
    for (const Place& place : found_.chop)
      add(place, {"chop", "carries what makes the run fail from the input to the failure",
                  ofFailure_ * w_.inChop / (1 + double(read++) / w_.halfSlice)});
  }

  static bool hasAddress(std::string_view text) {
    constexpr size_t kShortest = 8; // digits
    for (size_t at = text.find("0x"); at != text.npos; at = text.find("0x", at + 2)) {
      size_t end = text.find_first_not_of("0123456789abcdef", at + 2);
      if (std::min(end, text.size()) - at - 2 >= kShortest) return true;
    }
    return false;
  }

  // "*p == 'a' && *p == 'b'", or "!(*p != 'a' || *p != 'b')": at different times, which nobody can see.
  static bool isOfSeveral(const std::vector<std::string>& conditions) {
    std::set<std::string_view> equal;
    for (std::string_view c : conditions) {
      const bool isDenied = c.starts_with("!(") && c.ends_with(")");
      const std::string_view sign = isDenied ? " != " : " == ";
      if (isDenied) c = c.substr(2, c.size() - 3);
      while (!c.empty()) {
        const size_t end = isDenied ? std::min(c.find(" || "), c.size()) : c.size();
        const std::string_view part = c.substr(0, end);
        if (size_t at = part.find(sign); at != part.npos && !equal.insert(part.substr(0, at)).second)
          return true;
        c.remove_prefix(std::min(end + 4, c.size()));
      }
    }
    return false;
  }

  // More than that nobody reads, nor what has no name in the source.
  static std::string heldText(const std::vector<std::string>& conditions) {
    constexpr size_t kMost = 80;
    std::string all = fmt::format("{}", fmt::join(conditions, " && "));
    bool isNamed = all.find("<value of") == std::string::npos &&
                   all.find(" bytes at 0x") == std::string::npos && !hasAddress(all) &&
                   !isOfSeveral(conditions);
    return isNamed && all.size() <= kMost ? fmt::format("after it, `{}` was enough for the failure", all)
                                          : "made a part of what had to hold for the failure";
  }

  // From the failure backwards.
  void addInvariants() {
    std::set<Line> seen;
    const auto& steps = found_.invariants->steps;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (finding::isLibraryFrame(step->place) || step->after.empty()) continue;
      size_t read = seen.size();
      if (!seen.insert({step->place.file, step->place.line}).second) continue;
      add(step->place,
          {"invariants", heldText(step->after),
           ofFailure_ * ofPassing(step->place) * w_.invariant / (1 + double(read) / w_.halfInvariant)});
    }
  }

  const CauseNodeInfo* nodeOf(const Place& place) const {
    auto has = [&](const CauseNodeInfo& n) {
      return std::any_of(n.statements.begin(), n.statements.end(), [&](const CauseStatement& s) {
        return s.place.file == place.file && s.place.line == place.line;
      });
    };
    if (!found_.causes) return nullptr;
    for (const CauseNodeInfo& n : found_.causes->nodes)
      if (has(n)) return &n;
    for (const CauseNodeInfo& n : found_.feeds)
      if (has(n)) return &n;
    return nullptr;
  }

  // The statements of the nodes from this line's up to the failure's, as they were executed after it.
  std::vector<ChainStep> chainOf(const Place& place) const {
    const CauseNodeInfo* node = nodeOf(place);
    if (!node) return {};
    std::vector<const CauseNodeInfo*> path{node};
    while (path.back()->id != path.back()->parent && path.size() < 8) {
      const CauseNodeInfo* up = nullptr;
      for (const CauseNodeInfo& n : found_.causes->nodes)
        if (n.id == path.back()->parent) up = &n;
      if (!up) break;
      path.push_back(up);
    }
    uint64_t from = 0;
    for (const CauseStatement& s : node->statements)
      if (s.place.file == place.file && s.place.line == place.line) from = s.time;
    std::map<uint64_t, ChainStep> steps;
    // Of several executions the one that was decided wrongly is meant.
    if (const finding::CriticalDecision* d = repairAt(place)) {
      from = d->time;
      steps.try_emplace(from, ChainStep{d->place, finding::valueText(*d->condition, true), from});
    }
    for (const CauseNodeInfo* n : path) {
      size_t shown = 0;
      for (const CauseStatement& s : n->statements) {
        if (s.isLibrary || s.time < from || !hasCode(s.place)) continue;
        if (n != node && n->level != 0 && ++shown > kShown) break;
        steps.try_emplace(s.time, ChainStep{s.place, valueText(s), s.time});
      }
    }
    std::vector<ChainStep> chain;
    for (auto& [time, step] : steps) {
      bool isSame = !chain.empty() && chain.back().place.file == step.place.file &&
                    chain.back().place.line == step.place.line;
      if (!isSame) chain.push_back(step);
    }
    // Where something lies tells nothing, but at both ends.
    for (size_t k = 1; k + 1 < chain.size();)
      isPlaceOnly(chain[k].text) ? void(chain.erase(chain.begin() + ptrdiff_t(k))) : void(++k);
    return shortened(std::move(chain));
  }

  // The first found of those that make the run pass.
  const finding::CriticalDecision* repairAt(const Place& place) const {
    if (!found_.critical) return nullptr;
    for (const finding::CriticalDecision& d : found_.critical->decisions)
      if (d.verified && d.effect.passes() && d.condition && !d.condition->name.empty() &&
          d.place.file == place.file && d.place.line == place.line)
        return &d;
    return nullptr;
  }

  // "p = 0x55555575a2a0"
  static bool isPlaceOnly(std::string_view text) {
    size_t at = text.rfind(" = 0x");
    return at != text.npos && hasAddress(text.substr(at)) &&
           text.find_first_not_of("0123456789abcdef", at + 5) == text.npos;
  }

  // The beginning and the end tell most.
  static std::vector<ChainStep> shortened(std::vector<ChainStep> chain) {
    constexpr size_t kMost = 12;
    if (chain.size() <= kMost) return chain;
    chain.erase(chain.begin() + kMost / 2, chain.end() - kMost / 2);
    return chain;
  }

  // Where whatever repairs the run prints the same to standard error, that is no complaint. What goes another
  // way altogether may print nothing, and says nothing.
  static bool isAnyQuiet(const Found& found) {
    constexpr double kFar = 0.5;
    auto isQuiet = [](const auto& one) {
      return one.effect.passes() && !one.effect.complains && one.effect.strays.value_or(0) < kFar;
    };
    return (found.changes && std::ranges::any_of(found.changes->changes, isQuiet)) ||
           (found.critical && std::ranges::any_of(found.critical->decisions, isQuiet));
  }

  // What was written over is wrong from then on; who asks for memory next has nothing to do with it.
  static bool isNoticedLate(const Found& found) {
    return found.isHeapCorruption && found.memory && !found.memory->errors.empty() &&
           found.memory->errors.front().access == "write";
  }

  const Found& found_;
  const Weights& w_;
  const bool isAnyQuiet_;
  const double ofFailure_; // of what led to where the run failed
  std::map<Line, Suspect> suspects_;
  const Refusals refusals_;
  std::map<Line, double> guarded_; // the weight of the best guard there
  std::set<Line> flips_;           // lines of which a change that turns a decision round is told
};

} // namespace

std::vector<Suspect> fuse(const Found& found, size_t most, const Weights& weights) {
  return Fuser(found, weights).rank(most);
}

} // namespace faultline::explain
