#include "technique/causes/tree.h"

#include <algorithm>
#include <unordered_set>

namespace faultline::technique {

using depend::Executed;
using depend::kNoInstance;

namespace {

class Grower {
public:
  Grower(logic::InstanceTerms& terms, logic::Solver* solver, logic::Solver* checker,
         const TreeOptions& options)
      : terms_(terms), options_(options), causes_(terms, solver, checker, options.cause),
        conditions_(terms, options.scope) {}

  Result<CauseTree> grow(const CauseQuestion& question) {
    auto planted = plant(question);
    if (!planted && !wasStopped()) return planted.error();
    if (!planted) {
      // What failed is known, whatever made it.
      tree_.isComplete = false;
      if (tree_.nodes.empty()) FL_CHECK(plantAlone(question));
    }
    while (!waiting_.empty()) {
      if (tree_.nodes.size() >= options_.mostNodes ||
          (options_.watch && !options_.watch(tree_.nodes.size(), waiting_.size()))) {
        tree_.isComplete = false;
        break;
      }
      Waiting next = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      auto added = add(next);
      if (!added && !wasStopped()) return added.error();
      if (added) continue;
      tree_.isComplete = false;
      break;
    }
    for (const auto& [key, w] : waiting_) tree_.nodes[w.parent].isExpanded = false;
    tree_.instances = seen_.size();
    tree_.unchecked = causes_.unchecked();
    return std::move(tree_);
  }

private:
  struct Waiting {
    uint32_t parent;
    uint32_t level;
    CriticalCondition condition;
  };

  bool wasStopped() { return terms_.instances().wasStopped(); }

  Result<void> plantAlone(const CauseQuestion& question) {
    terms_.instances().setWatch(nullptr);
    CauseNode root;
    root.condition.kind = CriticalCondition::Failure;
    root.condition.time = question.time;
    FL_TRY(x, terms_.instances().at(question.time));
    root.condition.id = x.id;
    root.cause.instances = {question.time};
    root.isExpanded = false;
    tree_.nodes.push_back(std::move(root));
    return {};
  }

  Result<void> plant(const CauseQuestion& question) {
    CauseNode root;
    root.condition.kind = CriticalCondition::Failure;
    root.condition.time = question.time;
    FL_TRY(x, terms_.instances().at(question.time));
    root.condition.id = x.id;
    if (question.wish) {
      FL_TRY(cause, causeOf(*question.wish));
      root.cause = std::move(cause);
    } else {
      FL_TRY(decider, conditions_.decider(question.time));
      if (uint64_t branch = decider.time; branch != kNoInstance) {
        FL_TRY(decided, terms_.instances().at(branch));
        root.condition.kind = CriticalCondition::Direct;
        root.condition.time = branch;
        root.condition.id = decided.id;
        visited_[{CriticalCondition::Direct, decided.id}] = 1;
        FL_TRY(wish, conditions_.wish(root.condition));
        if (wish) {
          FL_TRY(cause, causeOf(*wish));
          root.cause = std::move(cause);
        }
        root.cause.instances.insert(root.cause.instances.begin(), branch);
      }
    }
    if (std::find(root.cause.instances.begin(), root.cause.instances.end(), question.time) ==
        root.cause.instances.end())
      root.cause.instances.insert(root.cause.instances.begin(), question.time);
    tree_.nodes.push_back(std::move(root));
    FL_CHECK(note(tree_.nodes[0]));
    if (question.printedSince) {
      FL_TRY(printed, conditions_.mightHavePrinted(*question.printedSince, question.time));
      for (CriticalCondition& c : printed) wait(0, std::move(c));
    }
    if (question.writtenSince) {
      FL_TRY(written, conditions_.mightHaveRewritten(question.time, *question.writtenSince));
      for (CriticalCondition& c : written) wait(0, std::move(c));
    }
    return expand(0);
  }

  void wait(uint32_t parent, CriticalCondition condition) {
    ++tree_.conditions;
    uint32_t level = tree_.nodes[parent].level + (tree_.nodes[parent].isFolded ? 0 : 1);
    if (level > options_.mostLevels) {
      tree_.isComplete = false;
      return;
    }
    // Level by level; within one, what is nearest to the failure first.
    Waiting w{parent, level, std::move(condition)};
    w.condition.distance += tree_.nodes[parent].condition.distance;
    uint64_t key = uint64_t(level) << 32 | w.condition.distance;
    waiting_.emplace(key, std::move(w));
  }

  Result<void> expand(uint32_t number) {
    tree_.nodes[number].isExpanded = true;
    FL_TRY(found, conditions_.find(tree_.nodes[number].cause));
    for (CriticalCondition& c : found) {
      auto key = std::pair(kindOf(c.kind), c.id);
      size_t& times = visited_[key];
      if (times >= kSame) continue;
      bool isNew = instancesAsked_.insert({c.time, c.id}).second;
      if (!isNew) continue;
      ++times;
      // Other executions of it may have other reasons: a few are tried as well.
      for (uint64_t other : c.others)
        if (times < kSame && instancesAsked_.insert({other, c.id}).second) {
          ++times;
          CriticalCondition copy = c;
          copy.time = other;
          copy.count = 1;
          copy.others.clear();
          later_.push_back({number, 0, std::move(copy)});
        }
      wait(number, std::move(c));
    }
    for (Waiting& w : later_) wait(w.parent, std::move(w.condition));
    later_.clear();
    return {};
  }

  // A branch is one condition, whyever it is asked for.
  static CriticalCondition::Kind kindOf(CriticalCondition::Kind kind) {
    return kind == CriticalCondition::Indirect || kind == CriticalCondition::Decided
               ? CriticalCondition::Direct
               : kind;
  }

  Result<Cause> causeOf(const Wish& wish) {
    FL_TRY(cause, causes_.find(wish));
    FL_CHECK(addCallSites(cause));
    return std::move(cause);
  }

  // What code of the system did stands for the program's call that made it do so.
  Result<void> addCallSites(Cause& cause) {
    if (!options_.scope.isSystemPlace) return {};
    std::set<uint64_t> calls;
    for (uint64_t time : cause.instances) {
      FL_TRY(x, terms_.instances().at(time));
      if (!options_.scope.isSystemPlace(x.id)) continue;
      FL_TRY(call, ownCall(time));
      if (call == kNoInstance) continue;
      calls.insert(call);
      auto far = cause.distances.find(time);
      if (far == cause.distances.end()) continue;
      auto [it, isNew] = cause.distances.try_emplace(call, far->second);
      it->second = std::min(it->second, far->second);
    }
    calls.insert(cause.instances.begin(), cause.instances.end());
    cause.instances.assign(calls.rbegin(), calls.rend());
    return {};
  }
  Result<uint64_t> ownCall(uint64_t time) {
    FL_TRY(call, terms_.instances().caller(time));
    if (call == kNoInstance) return call;
    auto it = ownCalls_.find(call);
    if (it != ownCalls_.end()) return it->second;
    FL_TRY(x, terms_.instances().at(call));
    uint64_t own = call;
    if (options_.scope.isSystemPlace(x.id)) {
      FL_TRY(outer, ownCall(call));
      own = outer;
    }
    ownCalls_[call] = own;
    return own;
  }

  Result<void> add(const Waiting& waiting) {
    FL_TRY(wish, conditions_.wish(waiting.condition));
    if (!wish) return {};
    FL_TRY(cause, causeOf(*wish));
    cause.instances.insert(cause.instances.begin(), waiting.condition.time);
    CauseNode node;
    node.parent = waiting.parent;
    node.level = waiting.level;
    node.condition = waiting.condition;
    node.cause = std::move(cause);
    FL_TRY(isNew, hasNewPlaces(node));
    node.isFolded = !isNew;
    uint32_t parent = waiting.parent;
    while (tree_.nodes[parent].isFolded) parent = tree_.nodes[parent].parent;
    node.parent = parent;
    node.level = tree_.nodes[parent].level + 1;
    auto number = uint32_t(tree_.nodes.size());
    if (node.isFolded) node.level = tree_.nodes[parent].level;
    tree_.nodes.push_back(std::move(node));
    FL_CHECK(note(tree_.nodes[number]));
    return expand(number);
  }

  struct Line {
    uint32_t module, file, line;
    auto operator<=>(const Line&) const = default;
  };
  Result<Line> lineOf(uint64_t time) {
    FL_TRY(x, terms_.instances().at(time));
    const fir::Location& at = x.image->locations[x.instruction->location];
    bool isShown =
        x.instruction->location && !(options_.scope.isSystemPlace && options_.scope.isSystemPlace(x.id));
    return Line{x.module, at.file, isShown ? at.line : 0};
  }
  Result<bool> hasNewPlaces(const CauseNode& node) {
    for (uint64_t time : node.cause.instances) {
      FL_TRY(line, lineOf(time));
      if (line.line && !lines_.contains(line)) return true;
    }
    return false;
  }
  Result<void> note(const CauseNode& node) {
    if (node.isFolded) return {}; // nothing that is not there already: another iteration, as a rule
    for (uint64_t time : node.cause.instances) {
      if (!seen_.insert(time).second) continue;
      FL_TRY(line, lineOf(time));
      lines_.insert(line);
    }
    return {};
  }

  static constexpr size_t kSame = 4; // executions of one condition that are looked at

  logic::InstanceTerms& terms_;
  const TreeOptions& options_;
  CauseFinder causes_;
  ConditionFinder conditions_;
  CauseTree tree_;
  std::multimap<uint64_t, Waiting> waiting_; // by level and distance
  std::vector<Waiting> later_;
  std::map<std::pair<CriticalCondition::Kind, uint32_t>, size_t> visited_;
  std::set<std::pair<uint64_t, uint32_t>> instancesAsked_;
  std::unordered_map<uint64_t, uint64_t> ownCalls_; // of a call: the program's own around it
  std::unordered_set<uint64_t> seen_;
  std::set<Line> lines_;
};

} // namespace

Result<CauseTree> growCauseTree(logic::InstanceTerms& terms, logic::Solver* solver, logic::Solver* checker,
                                const CauseQuestion& question, const TreeOptions& options) {
  return Grower(terms, solver, checker, options).grow(question);
}

} // namespace faultline::technique
