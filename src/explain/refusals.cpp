#include "explain/refusals.h"

#include <algorithm>

namespace faultline::explain {

using finding::CriticalDecision;
using finding::Place;

namespace {

bool isElsewhere(const Place& place, const Chosen& c) {
  return place.file != c.place.file || place.function != c.place.function;
}

// They differ where both sides are equal alone.
bool isNearest(const std::string& from, const std::string& to) {
  return from.size() != to.size() && from[0] == to[0] && (from[0] == '<' || from[0] == '>');
}

} // namespace

Refusals::Refusals(const Found& found) : found_(found) {
  if (!isPossible()) return;
  asking_ = asking();
  thrower_ = thrower();
}

bool Refusals::isRefusal(const CriticalDecision& decision) const {
  return isPossible() && ((decision.isAsked && !decision.isPassedOn) || &decision == thrower_);
}

// Who asks whether it is `> 0` where 0 is as good asks wrongly.
std::set<SourceLine> Refusals::asking() const {
  std::set<SourceLine> lines;
  for (const CriticalDecision& d : decisions())
    if (d.isPassedOn) lines.insert({d.place.file, d.place.line});
  if (found_.changes)
    for (const finding::CodeChange& c : found_.changes->changes)
      if (c.form == "comparison" && isNearest(c.from, c.to)) lines.erase({c.place.file, c.place.line});
  for (const Chosen& c : found_.chosen) {
    const bool isAsked = !c.decided.empty() && lines.contains({c.decided[0].file, c.decided[0].line});
    const bool isTold = isDecidedElsewhere(c);
    if (isAsked || isTold) lines.insert({c.place.file, c.place.line});
    if (isTold)
      for (const Place& p : c.decided) lines.insert({p.file, p.line});
  }
  return lines;
}

std::span<const CriticalDecision> Refusals::decisions() const {
  return found_.critical ? std::span(found_.critical->decisions) : std::span<CriticalDecision>();
}

const CriticalDecision* Refusals::lastThatRepairs() const {
  const CriticalDecision* last = nullptr;
  for (const CriticalDecision& d : decisions())
    if (d.verified && d.effect.passes() && (!last || d.time > last->time)) last = &d;
  return last;
}

// What failed was set in one function, and the last decision that repairs, or a complaint, is one of
// another: it was told there that something is wrong, by an exception, say.
bool Refusals::isDecidedElsewhere(const Chosen& chosen) const {
  if (const CriticalDecision* last = lastThatRepairs()) return isElsewhere(last->place, chosen);
  return std::ranges::any_of(found_.complaints,
                             [&](const Complaint& c) { return isElsewhere(c.place, chosen); });
}

// That decision, where none asks what another decided.
const CriticalDecision* Refusals::thrower() const {
  auto asks = [](const CriticalDecision& d) { return d.isAsked || d.isPassedOn; };
  if (std::ranges::none_of(found_.chosen, [&](const Chosen& c) { return isDecidedElsewhere(c); }))
    return nullptr;
  return std::ranges::any_of(decisions(), asks) ? nullptr : lastThatRepairs();
}

} // namespace faultline::explain
