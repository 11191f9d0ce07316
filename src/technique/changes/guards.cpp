#include "technique/changes/guards.h"

#include "technique/instance_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace faultline::technique {

using experiment::Alteration;
using fir::Op;

namespace {

constexpr size_t kMostBadReads = 48;
constexpr size_t kMostResults = 4;    // of a function, that are tried
constexpr uint8_t kFurthestValue = 8; // decisions and calls between a value and the failure

struct BadRead {
  const depend::Node* node = nullptr;
  const fir::Image* image = nullptr;
  uint32_t function = 0;
  uint8_t distance = 0;
  uint32_t bits = 0;
  bool isPointer = false;
  uint64_t value = 0;
  std::string name = {};
};

struct BadValue {
  uint32_t predicate = kEq;
  uint64_t bound = 0;
  std::string text = {}; // "is null"
};

struct LeftWith { // of the function that is left
  uint64_t value = 0;
  std::string text = {}; // ", returning -1"
};

int64_t signedValue(uint64_t value, uint32_t bits) {
  const uint64_t sign = uint64_t(1) << (bits - 1);
  return int64_t((value ^ sign) - sign);
}

class Guards {
public:
  Guards(depend::Instances& instances, const depend::Slice& slice, const std::function<bool(uint32_t)>& isOwn)
      : instances_(instances), slice_(slice), isOwn_(isOwn) {}

  Result<std::vector<Proposal>> all() {
    collect();
    for (BadRead& read : reads_) {
      FL_TRY(x, instances_.at(read.node->time));
      read.value = x.value & maskOf(read.bits);
    }
    std::erase_if(reads_, [](const BadRead& r) { return r.isPointer && r.value != 0; });
    if (reads_.size() > kMostBadReads) reads_.resize(kMostBadReads);
    FL_CHECK(nameAll());
    std::vector<Proposal> out;
    for (const BadRead& read : reads_)
      for (const BadValue& test : testsOf(read))
        for (const LeftWith& outcome : outcomesOf(read)) out.push_back(guard(read, test, outcome));
    return out;
  }

private:
  // The instance nearest to the failure of each instruction that reads a number or an address; first those
  // that what failed was computed from, then those that decided that it was done.
  void collect() {
    std::vector<uint8_t> distances;
    std::set<uint32_t> seen;
    for (const depend::Node& node : slice_.nodes) {
      const bool isData = node.why <= depend::Why::Address;
      const uint8_t from = node.consumer < distances.size() ? distances[node.consumer] : 0;
      distances.push_back(uint8_t(std::min(from + !isData, 255)));
      if (node.id == 0 || node.why == depend::Why::Potential || distances.back() > kFurthestValue) continue;
      depend::RunCode::Where at = instances_.history().code().where(node.id);
      if (!at || !isOwn_(node.id)) continue;
      const fir::Image& image = *at.module->image;
      const fir::Instruction& i = image.instructions[at.local];
      const fir::Type& type = image.types[i.type];
      const bool isPointer = type.kind == fir::TypeKind::Pointer;
      const bool isNumber = type.kind == fir::TypeKind::Int && type.bits >= 8 && type.bits <= 64;
      if ((i.op != Op::Load && i.op != Op::LoadVar) || type.lanes != 1 || (!isPointer && !isNumber)) continue;
      if (isCopied(node, at) || !seen.insert(node.id).second) continue;
      reads_.push_back({.node = &node,
                        .image = &image,
                        .function = at.function,
                        .distance = distances.back(),
                        .bits = isPointer ? 64 : type.bits,
                        .isPointer = isPointer});
    }
    std::ranges::sort(reads_, {}, [](const BadRead& r) { return std::pair(r.distance, r.node); });
    if (reads_.size() > 4 * kMostBadReads) reads_.resize(4 * kMostBadReads); // most addresses are not null
  }

  // What is only kept or returned there fails where it is used.
  bool isCopied(const depend::Node& node, const depend::RunCode::Where& at) {
    if (node.consumer >= slice_.nodes.size() || node.why != depend::Why::Value) return false;
    depend::RunCode::Where by = instances_.history().code().where(slice_.nodes[node.consumer].id);
    if (!by || by.module != at.module || by.function != at.function) return false;
    const Op op = by.module->image->instructions[by.local].op;
    return op == Op::Store || op == Op::StoreVar || op == Op::Ret;
  }

  Result<void> nameAll() {
    std::vector<BadRead*> inTime;
    for (BadRead& read : reads_) inTime.push_back(&read);
    std::ranges::sort(inTime, {}, [](const BadRead* r) { return r->node->time; });
    for (BadRead* read : inTime) {
      FL_TRY(text, describeInstance(instances_.history().replay(), read->node->time, read->node->id));
      read->name = text.value && !text.value->name.empty() ? fmt::format("`{}`", text.value->name)
                                                           : std::string("what is read");
    }
    return {};
  }

  static std::vector<BadValue> testsOf(const BadRead& read) {
    if (read.value == 0) return {{kEq, 0, read.isPointer ? "is null" : "is 0"}};
    const int64_t value = signedValue(read.value, read.bits);
    if (value < 0) return {{kSlt, 0, "is negative"}};
    // What is no bad value in itself may be beyond a limit.
    if (read.distance > 0 || read.bits < 16) return {};
    return {{kSge, read.value, fmt::format("is {} or more", value)},
            {kSle, read.value, fmt::format("is {} or less", value)}};
  }

  // What the function returns elsewhere, then what is usual.
  static std::vector<LeftWith> outcomesOf(const BadRead& read) {
    const fir::Image& image = *read.image;
    const fir::Function& f = image.functions[read.function];
    const fir::Type& type = image.types[f.returnType];
    if (type.kind == fir::TypeKind::Pointer) return {{0, ", returning a null pointer"}};
    if (type.kind != fir::TypeKind::Int || type.bits > 64) return {{}};
    const bool isMain = image.string(f.name) == "main"; // to end there with 0 would be to pass
    std::vector<LeftWith> out;
    auto take = [&](uint64_t value) {
      value &= maskOf(type.bits);
      const bool isKnown = std::ranges::find(out, value, &LeftWith::value) != out.end();
      if (isKnown || out.size() >= kMostResults || (isMain && value == 0)) return;
      out.push_back({value, type.bits == 1 ? fmt::format(", returning {}", value != 0)
                                           : fmt::format(", returning {}", signedValue(value, type.bits))});
    };
    for (uint64_t value : constantResults(image, f)) take(value);
    for (uint64_t value : {uint64_t(0), ~uint64_t(0), uint64_t(1)}) take(value);
    return out;
  }

  // `return 7;` stores 7 where the one Ret of the function reads it.
  static std::set<uint64_t> constantResults(const fir::Image& image, const fir::Function& f) {
    std::set<uint64_t> out;
    auto constant = [&](fir::Operand o) {
      if (fir::operandKind(o) != fir::OperandKind::Constant) return;
      const fir::Constant& c = image.constants[fir::operandIndex(o)];
      if (c.symbol == fir::kNone && c.wide == fir::kNone) out.insert(c.value);
    };
    std::set<fir::Operand> results;
    for (const fir::Instruction& i : image.instructionsOf(f))
      if (i.op == Op::Ret && i.operandCount > 0) {
        constant(image.operandsOf(i)[0]);
        results.insert(image.operandsOf(i)[0]);
      }
    std::set<fir::Operand> variables;
    for (const fir::Instruction& i : image.instructionsOf(f))
      if (i.op == Op::LoadVar && results.contains(fir::makeOperand(fir::OperandKind::Word, i.dst)))
        variables.insert(image.operandsOf(i)[0]);
    for (const fir::Instruction& i : image.instructionsOf(f))
      if (i.op == Op::StoreVar && variables.contains(image.operandsOf(i)[0]))
        constant(image.operandsOf(i)[1]);
    return out;
  }

  static Proposal guard(const BadRead& read, const BadValue& test, const LeftWith& outcome) {
    Alteration leave{.kind = Alteration::Leave, .epoch = 1, .instruction = read.node->id};
    leave.value = outcome.value;
    leave.address = test.bound;
    leave.test = (FL_OPERATION_COMPARE + test.predicate) | read.bits << 8;
    leave.each = true;
    std::string_view name = read.image->string(read.image->functions[read.function].name);
    return {std::move(leave), test.bound ? ChangeForm::Limit : ChangeForm::Guard,
            fmt::format("if `{}` is left here when {} {}{}", name, read.name, test.text, outcome.text)};
  }

  depend::Instances& instances_;
  const depend::Slice& slice_;
  const std::function<bool(uint32_t)>& isOwn_;
  std::vector<BadRead> reads_;
};

} // namespace

Result<std::vector<Proposal>> proposeGuards(depend::Instances& instances, const depend::Slice& slice,
                                            const std::function<bool(uint32_t)>& isOwn) {
  return Guards(instances, slice, isOwn).all();
}

} // namespace faultline::technique
