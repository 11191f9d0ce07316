#include "technique/causes/conditions.h"

#include "replay/output_call.h"

#include <algorithm>
#include <unordered_set>

namespace faultline::technique {

using depend::Executed;
using depend::kNoInstance;
using fir::Op;
using logic::Definition;
using logic::Term;

namespace {

constexpr size_t kSameUse = 2;          // executions of one instruction that are asked for alternatives
constexpr size_t kMostScanned = 50'000; // branches between a use and what made it
constexpr size_t kOthers = 8;

// How much further away a condition seems for what lies between: a call whose caller decided; a branch that
// is only suspected to write the same memory; each other branch that is suspected as well; an address; a
// decision in a header of the system.
constexpr uint32_t kPerCall = 3, kMemory = 2, kPlace = 4, kSystem = 6;
constexpr size_t kMostSystem =
    4; // decisions in system headers that are asked on the way to one of the program

bool isBranch(Op op) { return op == Op::CondBr || op == Op::Switch || op == Op::IndirectBr; }

} // namespace

bool ConditionFinder::isCorrect(const Executed& x) const {
  return (scope_.isCorrectFunction && scope_.isCorrectFunction(x.module, x.function)) ||
         (scope_.isCorrectPlace && scope_.isCorrectPlace(x.id));
}

const fir::ModRef& ConditionFinder::modRef() {
  if (!modRef_) {
    std::vector<const fir::Image*> images;
    for (const auto& module : terms_.instances().history().replay().program().modules())
      images.push_back(module->image);
    modRef_ = std::make_unique<fir::ModRef>(images, fir::ModRef::Rule::None, [](std::string_view name) {
      return replay::outputFunction(name) != nullptr;
    });
  }
  return *modRef_;
}

void ConditionFinder::add(Found& found, CriticalCondition::Kind kind, const Executed& at, uint64_t concerns,
                          uint32_t distance) {
  auto [it, isNew] = found.try_emplace({kind, at.id});
  Same& c = it->second;
  c.times.insert(at.time);
  c.count = c.times.size();
  if (isNew) {
    c.kind = kind;
    c.time = at.time;
    c.id = at.id;
    c.concerns = concerns;
    c.distance = distance;
    return;
  }
  uint64_t time = at.time;
  if (time == c.time || std::find(c.others.begin(), c.others.end(), time) != c.others.end()) {
    c.distance = std::min(c.distance, distance);
    return;
  }
  if (distance < c.distance) {
    std::swap(time, c.time);
    c.concerns = concerns;
    c.distance = distance;
  }
  if (c.others.size() < kOthers) c.others.push_back(time);
}

// A branch in a function that is right is there because it was called: what decided on the call counts.
Result<ConditionFinder::Decider> ConditionFinder::decider(uint64_t time) {
  uint32_t calls = 0;
  for (uint64_t at = time; at != kNoInstance;) {
    FL_TRY(next, terms_.instances().control(at));
    if (next == kNoInstance || next >= at) break;
    FL_TRY(x, terms_.instances().at(next));
    if (isBranch(x.instruction->op) && !isCorrect(x)) return Decider{next, calls};
    if (x.instruction->op == Op::Call) ++calls;
    at = next;
  }
  return Decider{};
}

Result<void> ConditionFinder::direct(uint64_t time, uint32_t distance, Found& found) {
  uint32_t calls = 0;
  uint64_t at = time;
  for (size_t system = 0; system <= kMostSystem; ++system) {
    FL_TRY(branch, decider(at));
    if (branch.time == kNoInstance) return {};
    FL_TRY(x, terms_.instances().at(branch.time));
    calls += branch.calls;
    bool isOwn = !isSystem(x);
    add(found, CriticalCondition::Direct, x, time, distance + kPerCall * calls + (isOwn ? 0 : kSystem));
    if (isOwn) return {};
    at = branch.time;
  }
  return {};
}

// What an instance read: a variable of the frame, or memory, and since when it was what it was.
Result<ConditionFinder::Use> ConditionFinder::useOf(const Executed& x) {
  depend::Instances& instances = terms_.instances();
  const fir::Instruction& i = *x.instruction;
  Use use;
  auto since = [&](const std::vector<depend::OriginPiece>& pieces) {
    for (const depend::OriginPiece& p : pieces)
      if (p.origin.time != kNoInstance) use.from = std::max(use.from, p.origin.time + 1);
  };
  if (i.op == Op::LoadVar) {
    use.word = fir::operandIndex(x.image->operandsOf(i)[0]);
    FL_TRY(origin, instances.operand(x.time, 0));
    if (origin.time != kNoInstance) use.from = origin.time + 1;
  } else if (i.op == Op::Load || i.op == Op::Copy) {
    addAccess(use, i.op == Op::Load ? modRef().accessOf(x.module, x.local)
                                    : modRef().sourceAccessOf(x.module, x.local));
    if (!use.isMemory) return use;
    FL_TRY(pieces, instances.loaded(x.time));
    since(pieces);
    if (i.op == Op::Load) {
      FL_TRY(access, instances.access(x.time));
      use.access = modRef().accessOf(x.module, x.local);
      if (access) use.address = access->address;
    }
  } else if (i.op == Op::Call) { // an outside one reads what its arguments point to
    FL_TRY(effect, instances.effect(x.time));
    bool reads = false;
    for (uint32_t f = 0; effect && f < effect->flows.size(); ++f)
      for (uint32_t s = 0; s < effect->flows[f].sources.size(); ++s) {
        if (effect->flows[f].sources[s].kind != depend::FlowSource::Memory) continue;
        FL_TRY(pieces, instances.effectSource(x.time, f, s));
        since(pieces);
        reads = true;
      }
    if (reads) addArguments(use, x);
  }
  return use;
}

void ConditionFinder::addAccess(Use& use, uint32_t access) {
  if (access == fir::kNone) return;
  use.isMemory = true;
  use.aliases.insert(modRef().aliases(access));
}

void ConditionFinder::addArguments(Use& use, const Executed& call) {
  for (uint32_t k = 0; k + 1 < call.instruction->operandCount; ++k)
    addAccess(use, modRef().argumentAccessOf(call.module, call.local, k));
}

// Branches that might have given what the instance used another value, had they gone elsewhere.
Result<void> ConditionFinder::indirect(uint64_t time, uint32_t distance, Found& found) {
  FL_TRY(x, terms_.instances().at(time));
  FL_TRY(use, useOf(x));
  FL_CHECK(mightHaveChanged(x, use, distance, found));
  return elsewhere(x, use, distance, found);
}

// Stores between, to the same member or array as far as the analysis can tell, that went to another place:
// the value that was used may be one that should have been overwritten.
Result<void> ConditionFinder::elsewhere(const Executed& x, const Use& use, uint32_t distance, Found& found) {
  if (use.access == fir::kNone || !use.address) return {};
  depend::Instances& instances = terms_.instances();
  std::unordered_map<uint32_t, bool> alike; // by instruction
  size_t scanned = 0;
  uint32_t suspects = 0;
  Result<void> failed;
  FL_CHECK(instances.writes(
      std::max(use.from, instances.history().replay().start()), x.time, [&](uint64_t at, uint32_t id) {
        auto [it, isNew] = alike.try_emplace(id, false);
        if (!isNew && !it->second) return ++scanned < kMostScanned;
        auto store = instances.at(at);
        if (!store) {
          failed = store.error();
          return false;
        }
        if (isNew) {
          it->second = modRef().accessOf(store->module, store->local) == use.access &&
                       store->thread == x.thread && !isCorrect(*store);
          suspects += it->second;
        }
        if (it->second) {
          uint32_t further = kPlace + kMemory + suspects + (isSystem(*store) ? kSystem : 0);
          add(found, CriticalCondition::Elsewhere, *store, x.time, distance + further);
          Same& c = found[{CriticalCondition::Elsewhere, id}];
          if (c.concerns == x.time) c.address = use.address;
        }
        return ++scanned < kMostScanned;
      }));
  return failed;
}

Result<void> ConditionFinder::mightHaveChanged(const Executed& x, const Use& use, uint32_t distance,
                                               Found& found) {
  bool isWord = use.word != fir::kNone;
  if (!isWord && !use.isMemory) return {};
  depend::Instances& instances = terms_.instances();
  size_t scanned = 0;
  uint32_t suspects = 0;
  std::unordered_set<uint32_t> known;
  std::unordered_map<uint32_t, std::vector<uint32_t>>
      changing; // by branch: blocks from which it may be written
  auto mayChange = [&](const Executed& branch, uint32_t successor) {
    auto [it, isNew] = regions_.try_emplace(uint64_t(branch.id) << 20 ^ successor);
    if (isNew) it->second = &modRef().regionEffects(branch.module, branch.function, branch.block, successor);
    return isWord ? it->second->words.contains(use.word) : it->second->accesses.intersects(use.aliases);
  };
  Result<void> failed;
  FL_CHECK(instances.branches(
      std::max(use.from, instances.history().replay().start()), x.time,
      [&](uint64_t at, uint32_t id, uint32_t depth) {
        if (isWord && depth != x.depth) return ++scanned < kMostScanned;
        auto [it, isNew] = changing.try_emplace(id);
        if (!isNew && it->second.empty()) return ++scanned < kMostScanned;
        auto branch = instances.at(at);
        if (!branch) {
          failed = branch.error();
          return false;
        }
        if (isNew && !found.contains({CriticalCondition::Direct, id}) && !isCorrect(*branch) &&
            (!isWord || branch->function == x.function)) {
          const depend::FunctionCode& code =
              instances.history().code().function(branch->module, branch->function);
          for (uint32_t successor : code.control->successors(branch->block))
            if (mayChange(*branch, successor)) it->second.push_back(successor);
        }
        if (it->second.empty() || branch->thread != x.thread) return ++scanned < kMostScanned;
        auto next = terms_.successor(at);
        if (!next) {
          failed = next.error();
          return false;
        }
        bool may = *next && std::any_of(it->second.begin(), it->second.end(),
                                        [&](uint32_t successor) { return successor != **next; });
        if (may) {
          if (known.insert(id).second) ++suspects;
          uint32_t further = (isWord ? 1 : kMemory + suspects) + (isSystem(*branch) ? kSystem : 0);
          add(found, CriticalCondition::Indirect, *branch, x.time, distance + further);
        }
        return ++scanned < kMostScanned;
      }));
  return failed;
}

// What a call printed nobody recorded as its source: the caller knows since when the bytes stood there.
Result<std::vector<CriticalCondition>> ConditionFinder::mightHaveRewritten(uint64_t call, uint64_t since) {
  FL_TRY(x, terms_.instances().at(call));
  Found found;
  Use use;
  use.from = since;
  if (x.instruction->op == Op::Call) addArguments(use, x);
  FL_CHECK(mightHaveChanged(x, use, 0, found));
  return sorted(found);
}

// Where something was read or written, if that was computed.
Result<void> ConditionFinder::place(uint64_t time, uint32_t distance, Found& found) {
  FL_TRY(x, terms_.instances().at(time));
  const fir::Instruction& i = *x.instruction;
  if (i.op != Op::Load && i.op != Op::Store && i.op != Op::Copy) return {};
  add(found, CriticalCondition::Place, x, time, distance + kPlace);
  return {};
}

std::vector<CriticalCondition> ConditionFinder::sorted(Found& found) {
  std::vector<CriticalCondition> out;
  for (auto& [key, condition] : found) {
    std::sort(condition.others.rbegin(), condition.others.rend());
    out.push_back(condition);
  }
  std::sort(out.begin(), out.end(), [](const CriticalCondition& a, const CriticalCondition& b) {
    return std::tuple(a.distance, ~a.time, a.kind, a.id) < std::tuple(b.distance, ~b.time, b.kind, b.id);
  });
  return out;
}

Result<std::vector<CriticalCondition>> ConditionFinder::find(const Cause& cause) {
  Found found;
  std::unordered_map<uint32_t, size_t> same;
  depend::Instances& instances = terms_.instances();
  auto distanceOf = [&](uint64_t time) {
    auto it = cause.distances.find(time);
    return it == cause.distances.end() ? 0 : it->second;
  };
  for (uint64_t time : cause.instances) FL_CHECK(direct(time, distanceOf(time), found));
  for (uint64_t time : cause.decisions) {
    FL_TRY(x, instances.at(time));
    add(found, CriticalCondition::Decided, x, time, 1);
  }
  for (uint64_t time : cause.instances) {
    FL_TRY(x, instances.at(time));
    if (same[x.id]++ >= kSameUse) continue;
    FL_CHECK(indirect(time, distanceOf(time), found));
    FL_CHECK(place(time, distanceOf(time), found));
  }
  return sorted(found);
}

Result<std::vector<CriticalCondition>> ConditionFinder::mightHavePrinted(uint64_t from, uint64_t to) {
  depend::Instances& instances = terms_.instances();
  Found found;
  size_t scanned = 0;
  FL_CHECK(instances.branches(
      std::max(from, instances.history().replay().start()), to, [&](uint64_t at, uint32_t id, uint32_t) {
        auto branch = instances.at(at);
        auto next = terms_.successor(at);
        if (branch && next && *next && !isCorrect(*branch) && !isSystem(*branch)) {
          const depend::FunctionCode& code =
              instances.history().code().function(branch->module, branch->function);
          for (uint32_t successor : code.control->successors(branch->block))
            if (successor != **next &&
                modRef().regionEffects(branch->module, branch->function, branch->block, successor).isNoted)
              add(found, CriticalCondition::Indirect, *branch, at, uint32_t(found.size()));
        }
        return ++scanned < kMostScanned;
      }));
  std::vector<CriticalCondition> out;
  for (auto& [key, condition] : found) out.push_back(condition);
  std::sort(out.begin(), out.end(),
            [](const CriticalCondition& a, const CriticalCondition& b) { return a.time > b.time; });
  return out;
}

Result<std::optional<Wish>> ConditionFinder::wishOther(Term value, uint64_t time, Definition passed) {
  logic::Terms& t = terms_.terms();
  if (!value || t.isConstant(value)) return std::optional<Wish>();
  Result<void> failed;
  Term was = t.evaluate(value, [&](Term v) {
    auto recorded = terms_.valueOf(v);
    if (recorded) return *recorded;
    failed = recorded.error();
    return t.bits(t.width(v), 0);
  });
  FL_CHECK(failed);
  return std::optional(Wish{t.negate(t.equal(value, was)), time, std::move(passed)});
}

Result<std::optional<Wish>> ConditionFinder::wish(const CriticalCondition& condition) {
  logic::Terms& t = terms_.terms();
  Definition passed;
  FL_TRY(x, terms_.instances().at(condition.time));
  switch (condition.kind) {
  case CriticalCondition::Place: {
    uint32_t operand = x.instruction->op == Op::Copy ? 1 : 0;
    FL_TRY(address, terms_.operand(condition.time, operand, passed));
    return wishOther(address, condition.time, std::move(passed));
  }
  case CriticalCondition::Elsewhere: {
    FL_TRY(address, terms_.operand(condition.time, 0, passed));
    if (!address || t.isConstant(address)) return std::optional<Wish>();
    return std::optional(Wish{t.equal(address, t.bits(t.width(address), condition.address)), condition.time,
                              std::move(passed)});
  }
  default: {
    FL_TRY(decided, terms_.decision(condition.time, passed));
    if (!decided) return std::optional<Wish>();
    return std::optional(Wish{t.negate(*decided), condition.time, std::move(passed)});
  }
  }
}

} // namespace faultline::technique
