#include "technique/causes/describe.h"

#include "finding/describe_stop.h"
#include "replay/value_text.h"
#include "technique/causes/order.h"
#include "technique/instance_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_set>

namespace faultline::technique {

using depend::Executed;
using fir::Op;

namespace {

const char* kindName(CriticalCondition::Kind kind) {
  switch (kind) {
  case CriticalCondition::Failure:
    return "failure";
  case CriticalCondition::Direct:
    return "direct";
  case CriticalCondition::Indirect:
    return "indirect";
  case CriticalCondition::Decided:
    return "decided";
  case CriticalCondition::Place:
    return "place";
  case CriticalCondition::Elsewhere:
    return "elsewhere";
  }
  return "";
}

// Which instance of a line tells most of it.
int telling(Op op) {
  switch (op) {
  case Op::CondBr:
  case Op::Switch:
    return 5;
  case Op::StoreVar:
  case Op::Store:
    return 4;
  case Op::Ret:
    return 3;
  case Op::Call:
  case Op::Copy:
    return 2;
  default:
    return 1;
  }
}

// Addresses are assumptions and in no cause, so what is computed there is a value.
finding::Does doesOf(const Executed& x) {
  using finding::Does;
  std::span<const fir::Operand> operands = x.image->operandsOf(*x.instruction);
  auto number = [&](size_t k) -> std::optional<uint64_t> {
    if (k >= operands.size() || fir::operandKind(operands[k]) != fir::OperandKind::Constant) return {};
    const fir::Constant& c = x.image->constants[fir::operandIndex(operands[k])];
    return c.symbol == fir::kNone ? std::optional(c.value) : std::nullopt;
  };
  constexpr uint32_t kEqual = 32, kNotEqual = 33; // llvm::CmpInst::Predicate
  switch (Op op = x.instruction->op; op) {
  case Op::ICmp:
    if (x.instruction->sub != kEqual && x.instruction->sub != kNotEqual) return Does::Compares;
    return number(1) == 0 ? Does::Tests : Does::Equals;
  case Op::FCmp:
  case Op::Select:
    return Does::Compares;
  case Op::StoreVar:
  case Op::Store:
    return number(1) ? Does::Constant : Does::Assigns;
  case Op::Ret:
    return number(0) ? Does::Constant : Does::Passes;
  case Op::Call:
    for (size_t k = 1; k < operands.size(); ++k)
      if (number(k)) return Does::Constant;
    return Does::Passes;
  default:
    return op >= Op::Add && op <= Op::FNeg ? Does::Computes : Does::Passes;
  }
}

class Describer {
public:
  Describer(logic::InstanceTerms& terms, std::string_view cwd) : terms_(terms), cwd_(cwd) {}

  Result<finding::CauseNodeInfo> node(const CauseTree& tree, uint32_t number) {
    const CauseNode& n = tree.nodes[number];
    finding::CauseNodeInfo info;
    info.id = number;
    info.parent = n.parent;
    info.level = n.level;
    info.kind = kindName(n.condition.kind);
    info.place = placeOf(code(), n.condition.id, cwd_);
    info.time = n.condition.time;
    info.count = n.condition.count;
    info.distance = n.condition.distance;
    info.isEarly = n.cause.isEarly;
    info.isExpanded = n.isExpanded;
    info.isMinimal = n.cause.isMinimal;
    FL_TRY(relation, relationOf(n));
    info.relation = relation;
    FL_CHECK(statements(n, info));
    FL_TRY(contradiction, contradictionOf(n));
    info.contradiction = contradiction;
    return info;
  }

private:
  depend::RunCode& code() { return terms_.instances().history().code(); }

  // Why it could not come out otherwise.
  Result<std::string> contradictionOf(const CauseNode& n) {
    if (n.cause.isBounded)
      return fmt::format("followed over {} instances, no further", n.cause.instances.size());
    if (n.cause.decisions.empty()) return std::string("these statements alone make it so");
    std::string lines;
    for (uint64_t time : n.cause.decisions) {
      FL_TRY(x, terms_.instances().at(time));
      lines += fmt::format("{}{}", lines.empty() ? "" : ", ", placeOf(code(), x.id, cwd_).line);
    }
    return fmt::format("it could not come out otherwise after what line {} had decided", lines);
  }

  Result<std::string> relationOf(const CauseNode& n) {
    FL_TRY(x, terms_.instances().at(n.condition.concerns ? n.condition.concerns : n.condition.time));
    finding::Place at = placeOf(code(), x.id, cwd_);
    switch (n.condition.kind) {
    case CriticalCondition::Failure:
      return std::string("the failing value, and what made it");
    case CriticalCondition::Direct:
      return n.level == 0 ? std::string("the condition that led to the failure")
                          : fmt::format("decided that line {} was executed", at.line);
    case CriticalCondition::Indirect:
      return fmt::format("decided otherwise, it might have changed what line {} uses", at.line);
    case CriticalCondition::Decided:
      return std::string("as it was decided here, what should have been was impossible");
    case CriticalCondition::Place:
      return fmt::format("which place in memory line {} uses", at.line);
    case CriticalCondition::Elsewhere:
      return fmt::format("written to another place, it would have changed what line {} uses", at.line);
    }
    return std::string();
  }

  // Unoptimised code copies each parameter to a variable of its own, in the line of the function's name: the
  // call says it better.
  static bool isParameter(const Executed& x) {
    if (x.instruction->op != Op::StoreVar && x.instruction->op != Op::Store) return false;
    fir::Operand o = x.image->operandsOf(*x.instruction)[1];
    if (fir::operandKind(o) != fir::OperandKind::Word) return false;
    for (const fir::Argument& a : x.image->argumentsOf(x.image->functions[x.function]))
      if (a.word == fir::operandIndex(o)) return true;
    return false;
  }

  Result<void> statements(const CauseNode& n, finding::CauseNodeInfo& info) {
    struct Best {
      size_t index;
      int telling;
    };
    std::map<std::pair<std::string, uint32_t>, Best> lines;
    std::set<uint32_t> repeated;
    for (uint64_t time : n.cause.instances) {
      FL_TRY(x, terms_.instances().at(time));
      finding::Place place = placeOf(code(), x.id, cwd_);
      if (!place.isKnown() || isParameter(x)) continue;
      int rank = telling(x.instruction->op);
      auto [it, isNew] = lines.try_emplace({place.file, place.line}, Best{info.statements.size(), rank});
      if (isNew) {
        finding::CauseStatement s;
        s.place = place;
        s.isLibrary = finding::isLibraryFrame(place);
        info.statements.push_back(std::move(s));
      }
      finding::CauseStatement& s = info.statements[it->second.index];
      auto far = n.cause.distances.find(time);
      uint32_t distance = n.condition.distance + (far == n.cause.distances.end() ? 0 : far->second);
      s.distance = isNew ? distance : std::min(s.distance, distance);
      s.does = std::max(s.does, doesOf(x));
      if (isNew || rank > it->second.telling) {
        s.time = time;
        s.place = place;
        s.isCondition = rank == 5;
        s.instances = 0;
        it->second.telling = rank;
      }
      if (rank != it->second.telling) continue;
      auto more = n.cause.repeated.find(x.id);
      bool isFirst = more != n.cause.repeated.end() && repeated.insert(x.id).second;
      s.instances += 1 + (isFirst ? more->second : 0);
    }
    return {};
  }

  logic::InstanceTerms& terms_;
  std::string cwd_;
};

// How much of the run stands in the nodes that a reader of these lines has met.
void countInstances(const CauseTree& tree, std::vector<finding::CauseLine>& order) {
  std::unordered_set<uint32_t> nodes;
  std::unordered_set<uint64_t> instances;
  for (finding::CauseLine& line : order) {
    if (nodes.insert(line.node).second)
      instances.insert(tree.nodes[line.node].cause.instances.begin(),
                       tree.nodes[line.node].cause.instances.end());
    line.instances = instances.size();
  }
}

// What a reader meets first is shown, with what leads there, until it is too much.
void leaveOpen(const CauseTree& tree, double mostShare, finding::CausesReport& report) {
  constexpr size_t kAlways = 12;
  report.leftOpen = 0;
  if (tree.nodes.empty()) return;
  auto most = uint64_t(mostShare * double(tree.nodes[0].condition.time));
  std::unordered_set<uint32_t> shown;
  std::unordered_set<uint64_t> instances;
  auto show = [&](uint32_t number) {
    for (; shown.insert(number).second; number = tree.nodes[number].parent)
      instances.insert(tree.nodes[number].cause.instances.begin(), tree.nodes[number].cause.instances.end());
  };
  auto fits = [&](uint32_t number) {
    std::unordered_set<uint64_t> added;
    for (; !shown.contains(number); number = tree.nodes[number].parent) {
      for (uint64_t time : tree.nodes[number].cause.instances)
        if (!instances.contains(time)) added.insert(time);
      if (number == tree.nodes[number].parent) break;
    }
    return instances.size() + added.size() <= most;
  };
  show(0);
  bool isAll = mostShare >= 1;
  for (const finding::CauseLine& line : report.order)
    if (isAll || shown.size() < kAlways || fits(line.node)) show(line.node);
  for (finding::CauseNodeInfo& n : report.nodes) {
    if (isAll) show(n.id);
    n.isLeftOpen = !shown.contains(n.id);
    report.leftOpen += n.isLeftOpen;
  }
  for (finding::CauseLine& line : report.order) line.isLeftOpen = !shown.contains(line.node);
  report.shownInstances = instances.size();
}

// In order of time, so that the replay goes through the run once.
Result<void> addValues(logic::InstanceTerms& terms, finding::CausesReport& report, size_t most) {
  std::map<uint64_t, std::vector<std::optional<finding::Value>*>> asked;
  size_t count = 0;
  for (finding::CauseNodeInfo& n : report.nodes) {
    if (count >= most) break;
    if (n.kind != "failure" && n.kind != "place" && n.kind != "elsewhere")
      asked[n.time].push_back(&n.condition), ++count;
    for (finding::CauseStatement& s : n.statements)
      if (!s.isLibrary && count < most) asked[s.time].push_back(&s.value), ++count;
  }
  for (auto& [time, to] : asked) {
    FL_TRY(x, terms.instances().at(time));
    FL_TRY(text, describeInstance(terms.instances().history().replay(), time, x.id));
    for (auto* value : to)
      if (text.value && text.value->text != replay::kNotSeen)
        *value = text.value; // what crashed read nothing
  }
  return {};
}

std::string sourceText(const logic::TermLeaf& leaf, const depend::Inputs* inputs) {
  if (leaf.kind == logic::TermLeaf::Input && inputs)
    if (auto range = inputs->at(leaf.call, leaf.from, leaf.size);
        range && range->stream < inputs->streams().size()) {
      const depend::InputStream& stream = inputs->streams()[range->stream];
      std::string name = stream.text() == "stdin" ? "standard input" : stream.text();
      if (!range->offset || !range->size) return "input: " + name;
      uint64_t first = *range->offset;
      return *range->size <= 1
                 ? fmt::format("input: byte {} of {}", first, name)
                 : fmt::format("input: bytes {}-{} of {}", first, first + *range->size - 1, name);
    }
  if (leaf.kind == logic::TermLeaf::Initial && inputs)
    if (auto range = inputs->inMemory(leaf.from); range && range->stream < inputs->streams().size())
      return "input: " + inputs->streams()[range->stream].text();
  return "";
}

} // namespace

void arrange(const CauseTree& tree, double mostShare, finding::CausesReport& report) {
  countInstances(tree, report.order);
  leaveOpen(tree, mostShare, report);
}

Result<void> describeCauses(logic::InstanceTerms& terms, const CauseTree& tree, const depend::Inputs* inputs,
                            std::string_view workingDirectory, finding::CausesReport& report,
                            const DescribeOptions& options) {
  Describer describer(terms, workingDirectory);
  for (uint32_t k = 0; k < tree.nodes.size(); ++k) {
    if (tree.nodes[k].isFolded) {
      ++report.folded;
      continue;
    }
    FL_TRY(info, describer.node(tree, k));
    for (const logic::TermLeaf& leaf : tree.nodes[k].cause.leaves)
      if (std::string text = sourceText(leaf, inputs);
          !text.empty() && std::find(info.sources.begin(), info.sources.end(), text) == info.sources.end() &&
          info.sources.size() < 4)
        info.sources.push_back(text);
    report.nodes.push_back(std::move(info));
  }
  // Read level by level, the nearest first.
  std::sort(report.nodes.begin(), report.nodes.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.level, a.distance, a.id) < std::tuple(b.level, b.distance, b.id);
  });
  report.order = readingOrder(report.nodes);
  arrange(tree, options.mostShare, report);
  return addValues(terms, report, options.mostValues);
}

} // namespace faultline::technique
