#include "technique/invariants/describe.h"

#include "technique/instance_text.h"
#include "technique/invariants/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::technique {

namespace {

std::string inputText(const logic::TermLeaf& leaf, const depend::Inputs& inputs) {
  std::optional<depend::InputRange> range;
  if (leaf.kind == logic::TermLeaf::Input)
    range = inputs.at(leaf.call, leaf.from, leaf.size);
  else if (leaf.kind == logic::TermLeaf::Initial)
    range = inputs.inMemory(leaf.from);
  if (!range || range->stream >= inputs.streams().size()) return "";
  std::string name = inputs.streams()[range->stream].text();
  if (!range->offset || !range->size || leaf.kind != logic::TermLeaf::Input) return name;
  uint64_t first = *range->offset;
  return *range->size <= 1 ? fmt::format("{}:{}", name, first)
                           : fmt::format("{}:{}-{}", name, first, first + *range->size - 1);
}

std::vector<std::string> inputsOf(const InvariantStep& step, const depend::Inputs* inputs) {
  std::vector<std::string> out;
  constexpr size_t kMost = 4;
  for (const logic::TermLeaf& leaf : step.leaves) {
    if (!inputs || out.size() >= kMost) break;
    std::string text = inputText(leaf, *inputs);
    if (!text.empty() && std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out;
}

std::string calleeOf(const depend::Executed& call) {
  const fir::CallInfo& info = call.image->calls[call.instruction->aux];
  return info.symbol == fir::kNone
             ? ""
             : std::string(call.image->string(call.image->symbols[info.symbol].displayName));
}

} // namespace

std::vector<KeptStep> withoutRepetitions(std::span<const uint64_t> keys) {
  constexpr size_t kLongest = 16;
  std::vector<KeptStep> kept;
  auto same = [&](size_t a, size_t b, size_t n) {
    return b + n <= keys.size() &&
           std::equal(keys.begin() + long(a), keys.begin() + long(a + n), keys.begin() + long(b));
  };
  for (size_t at = 0; at < keys.size();) {
    size_t best = 0, rounds = 1;
    for (size_t period = 1; period <= kLongest && at + 3 * period <= keys.size(); ++period) {
      size_t n = 1;
      while (same(at, at + n * period, period)) ++n;
      if (n >= 3 && n * period > best * rounds) best = period, rounds = n;
    }
    if (!best) {
      kept.push_back({at++});
      continue;
    }
    for (size_t k = 0; k < best; ++k) kept.push_back({at + k});
    size_t last = at + (rounds - 1) * best;
    for (size_t k = 0; k < best; ++k) kept.push_back({last + k});
    kept[kept.size() - best].omittedRounds = rounds - 2;
    kept[kept.size() - best].omittedSteps = (rounds - 2) * best;
    at = last + best;
  }
  return kept;
}

Result<void> describeInvariants(logic::InstanceTerms& terms, const InvariantTrace& trace,
                                const depend::Inputs* inputs, std::string_view cwd,
                                finding::InvariantsReport& report) {
  InvariantNames names(terms);
  depend::RunCode& code = terms.instances().history().code();
  FL_TRY(failed, terms.instances().at(trace.time));
  report.place = placeOf(code, failed.id, cwd);
  FL_TRY(holds, names.texts(trace.failure, trace.time));
  report.holds = holds;

  std::vector<uint64_t> keys;
  std::vector<depend::Executed> at;
  for (const InvariantStep& step : trace.steps) {
    FL_TRY(x, terms.instances().at(step.time));
    keys.push_back(uint64_t(x.image->locations[x.instruction->location].line) << 33 |
                   uint64_t(x.module) << 20 | uint64_t(step.passesArguments) << 19 | x.function);
    at.push_back(x);
  }
  // Within the function of a statement, what held before it; what holds after it is what held before the
  // next.
  for (const KeptStep& kept : withoutRepetitions(keys)) {
    const InvariantStep& step = trace.steps[kept.step];
    const depend::Executed& x = at[kept.step];
    finding::InvariantStepInfo info;
    info.place = placeOf(code, x.id, cwd);
    info.kind = step.passesArguments ? "call" : "statement";
    if (x.instruction->op == fir::Op::Call) info.statement = calleeOf(x);
    FL_TRY(before, names.texts(step.before, step.time));
    bool isLast = kept.step + 1 == trace.steps.size();
    uint64_t next = isLast ? trace.time : trace.steps[kept.step + 1].time;
    FL_TRY(after, names.texts(isLast ? trace.failure : trace.steps[kept.step + 1].before, next));
    info.before = before;
    info.after = after;
    info.opaque = step.opaque;
    info.sources = inputsOf(step, inputs);
    info.isImplied = step.isImplied;
    info.isEnough = step.isEnough;
    info.isAsked = step.isAsked;
    info.doubt = step.doubt;
    info.time = step.time;
    info.count = step.count;
    info.omittedRounds = kept.omittedRounds;
    info.omittedSteps = kept.omittedSteps;
    report.steps.push_back(std::move(info));
  }
  return {};
}

} // namespace faultline::technique
