#include "technique/slice/origin.h"

#include "replay/symbol_name.h"
#include "technique/instance_text.h"

#include <algorithm>

namespace faultline::technique {

using depend::Leaf;
using depend::Node;
using depend::Slice;
using fir::Op;

namespace {

// The nodes of a walk that followed values alone, seen from what they made to what they were made of.
class Tree {
public:
  Tree(depend::History& history, const Slice& slice)
      : history_(history), slice_(slice), from_(slice.nodes.size()) {
    for (uint32_t k = 1; k < slice.nodes.size(); ++k)
      if (slice.nodes[k].consumer != depend::kNoConsumer) from_[slice.nodes[k].consumer].push_back(k);
    leaves_.resize(slice.nodes.size());
    for (uint32_t k = 0; k < slice.leaves.size(); ++k)
      if (slice.leaves[k].consumer < leaves_.size()) leaves_[slice.leaves[k].consumer].push_back(k);
  }

  const Node& node(uint32_t k) const { return slice_.nodes[k]; }

  // Steps that a person follows: assignments, arguments, results. What lies between belongs to the next one.
  bool isStep(uint32_t k) {
    const fir::Instruction& i = instruction(k);
    switch (i.op) {
    case Op::StoreVar:
      return !isParameter(k, i) && isNamed(k, i);
    case Op::Store:
    case Op::Copy:
    case Op::Fill:
    case Op::AtomicRMW:
    case Op::CmpXchg:
    case Op::Call:
    case Op::Ret:
    case Op::Opaque:
      return true;
    default:
      return false;
    }
  }

  const fir::Instruction& instruction(uint32_t k) {
    depend::RunCode::Where at = history_.code().where(node(k).id);
    return at.module->image->instructions[at.local];
  }

  // The steps that made what node k used, latest first, and the leaves among them.
  void sourcesOf(uint32_t k, std::vector<uint32_t>& steps, std::vector<uint32_t>& leaves) {
    std::vector<uint32_t> open{k};
    while (!open.empty()) {
      uint32_t at = open.back();
      open.pop_back();
      leaves.insert(leaves.end(), leaves_[at].begin(), leaves_[at].end());
      for (uint32_t p : from_[at]) {
        if (isStep(p))
          steps.push_back(p);
        else
          open.push_back(p);
      }
    }
    std::sort(steps.begin(), steps.end());
  }

  // A function that returns in several places does so through a variable without a name: the place where that
  // was set is the one a person looks for.
  uint32_t placeOf(uint32_t k) {
    if (instruction(k).op != Op::Ret) return node(k).id;
    std::vector<uint32_t> open{k};
    while (!open.empty()) {
      uint32_t at = open.back();
      open.pop_back();
      for (uint32_t p : from_[at]) {
        if (instruction(p).op == Op::StoreVar && !isStep(p)) return node(p).id;
        if (!isStep(p)) open.push_back(p);
      }
    }
    return node(k).id;
  }

private:
  bool isNamed(uint32_t k, const fir::Instruction& i) {
    depend::RunCode::Where at = history_.code().where(node(k).id);
    const fir::Image& image = *at.module->image;
    const fir::Function& f = image.functions[at.function];
    uint32_t word = fir::operandIndex(image.operandsOf(i)[0]);
    for (const fir::Variable& v : image.variables.subspan(f.firstVariable, f.variableCount))
      if (v.home == fir::Home::Word && v.word == word) return true;
    return false;
  }

  // Unoptimised code copies each parameter to a variable of its own.
  bool isParameter(uint32_t k, const fir::Instruction& i) {
    depend::RunCode::Where at = history_.code().where(node(k).id);
    const fir::Image& image = *at.module->image;
    fir::Operand o = image.operandsOf(i)[1];
    if (fir::operandKind(o) != fir::OperandKind::Word) return false;
    for (const fir::Argument& a : image.argumentsOf(image.functions[at.function]))
      if (a.word == fir::operandIndex(o)) return true;
    return false;
  }

  depend::History& history_;
  const Slice& slice_;
  std::vector<std::vector<uint32_t>> from_, leaves_;
};

class Writer {
public:
  Writer(depend::History& history, const Slice& slice, const OriginQuestion& question,
         finding::OriginReport& report)
      : history_(history), tree_(history, slice), question_(question), report_(report) {}

  void run() {
    expand(0, 0);
    lookUp();
  }

private:
  // A line goes on as long as each step has one source; where several come together each gets a branch.
  void expand(uint32_t k, uint32_t depth) {
    for (;;) {
      std::vector<uint32_t> steps, leaves;
      tree_.sourcesOf(k, steps, leaves);
      if (steps.empty()) return;
      if (steps.size() == 1) {
        if (!add(steps[0], depth)) return;
        k = steps[0];
        continue;
      }
      for (uint32_t s : steps)
        if (add(s, depth + 1)) expand(s, depth + 1);
      return;
    }
  }

  // False: it goes no further here.
  bool add(uint32_t k, uint32_t depth) {
    if (nodes_.size() >= question_.mostSteps) {
      ++left_;
      return false;
    }
    const Node& node = tree_.node(k);
    // Of a loop, the last rounds are enough.
    constexpr uint32_t kRounds = 3;
    bool again = ++seen_[node.id] > kRounds;
    if (again) {
      ++left_;
      return false;
    }
    finding::OriginStep step;
    step.place = placeOf(history_.code(), tree_.placeOf(k), question_.program.cwd);
    step.depth = depth;
    step.instance = fmt::format("@{}", node.time);
    nodes_.push_back(k);
    report_.steps.push_back(std::move(step));
    return true;
  }

  void lookUp() {
    std::vector<size_t> order(nodes_.size());
    for (size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return tree_.node(nodes_[a]).time < tree_.node(nodes_[b]).time; });
    for (size_t k : order) {
      const Node& node = tree_.node(nodes_[k]);
      auto text = describeInstance(history_.replay(), node.time, node.id);
      if (!text) break;
      report_.steps[k].value = text->value;
      report_.steps[k].how = how(nodes_[k], *text);
    }
    if (left_)
      report_.caveats.push_back(fmt::format("{} further steps are left out; --steps N shows more", left_));
  }

  std::string how(uint32_t k, const InstanceText& text) {
    const fir::Instruction& i = tree_.instruction(k);
    depend::RunCode::Where at = history_.code().where(tree_.node(k).id);
    switch (i.op) {
    case Op::Call: {
      std::string name = text.callee.empty() ? "a function" : text.callee + "()";
      bool outside = fir::CallKind(i.sub) == fir::CallKind::Outside;
      return fmt::format("{} {}", outside ? "made by" : "passed to", name);
    }
    case Op::Ret:
      return fmt::format("returned by {}()", std::string(at.module->image->string(
                                                 at.module->image->functions[at.function].name)));
    case Op::Copy:
      return "copied";
    case Op::Fill:
      return "filled";
    case Op::Opaque:
      return "made by an instruction that replay does not compute";
    default:
      return "assigned";
    }
  }

  depend::History& history_;
  Tree tree_;
  const OriginQuestion& question_;
  finding::OriginReport& report_;
  std::vector<uint32_t> nodes_;
  std::unordered_map<uint32_t, uint32_t> seen_;
  uint64_t left_ = 0;
};

} // namespace

Result<finding::OriginReport> findOrigin(depend::History& history, const OriginQuestion& question,
                                         const depend::Inputs* inputs) {
  finding::OriginReport report;
  report.program = question.program;
  report.question = question.text;
  report.value = question.value;
  depend::WalkOptions options;
  options.control = options.addresses = false;
  FL_TRY(slice, depend::sliceBackward(history, valueOnly(question.from), options));
  report.start = placeOf(history.code(), slice.nodes[0].id, question.program.cwd);
  Writer(history, slice, question, report).run();
  report.sources = describeSources(history, slice, inputs, question.program.cwd);
  for (std::string& caveat : caveatsOf(slice)) report.caveats.push_back(std::move(caveat));
  addLateStart(history, report.caveats);
  report.stats["walked"] = slice.walked;
  report.stats["instances"] = slice.nodes.size();
  return report;
}

} // namespace faultline::technique
