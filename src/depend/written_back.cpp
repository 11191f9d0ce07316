#include "depend/written_back.h"

#include "depend/bits.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace faultline::depend {

using fir::Op;

namespace {

// What is known of a word's bits.
struct Known {
  uint64_t zero = 0;
  uint64_t kept = 0; // as the first of `steps` loaded them
  std::vector<uint32_t> steps = {};
};

class Search {
public:
  Search(const ModuleCode& module, const fir::Segment& segment, SegmentCode& code)
      : module_(module), image_(*module.image), segment_(segment), code_(code) {}

  void run() {
    for (uint32_t k = 0; k < code_.count; ++k) {
      const fir::Instruction& i = instruction(k);
      Known known = resultOf(i, k);
      const Step& step = code_.steps[k];
      if (i.op == Op::Store || i.op == Op::StoreVar) store(i, k);
      if (writesMemory(i, step)) lastWrite_ = k;
      for (uint32_t w = step.dst; w < step.dst + step.dstWords; ++w) {
        lastDefinition_[w] = k;
        known_.erase(w);
      }
      if (step.dstWords == 1 && i.op != Op::StoreVar) known_[step.dst] = std::move(known);
    }
    markUnread();
  }

private:
  const fir::Instruction& instruction(uint32_t k) const { return image_.instructions[segment_.first + k]; }
  fir::Operand operand(const fir::Instruction& i, uint32_t k) const { return image_.operandsOf(i)[k]; }
  static bool isWord(fir::Operand o) { return fir::operandKind(o) == fir::OperandKind::Word; }
  bool isScalar(uint32_t type) const {
    const fir::Type& t = image_.types[type];
    return t.words == 1 && t.kind == fir::TypeKind::Int && t.lanes == 1;
  }
  std::optional<uint64_t> number(fir::Operand o) const {
    if (fir::operandKind(o) != fir::OperandKind::Constant) return std::nullopt;
    if (image_.constants[fir::operandIndex(o)].wide != fir::kNone) return std::nullopt;
    return module_.constants[fir::operandIndex(o)];
  }
  static bool writesMemory(const fir::Instruction& i, const Step& step) {
    switch (step.kind) {
    case StepKind::Store:
    case StepKind::Copy:
    case StepKind::Fill:
    case StepKind::Update:
    case StepKind::Exchange:
    case StepKind::VariableList:
    case StepKind::Call:
      return true;
    default:
      return i.op == Op::Opaque;
    }
  }

  Known of(fir::Operand o) const {
    if (auto n = number(o)) return {.zero = ~*n};
    if (!isWord(o)) return {};
    auto it = known_.find(fir::operandIndex(o));
    return it == known_.end() ? Known{} : it->second;
  }

  Known resultOf(const fir::Instruction& i, uint32_t k) const {
    if (i.dst == fir::kNone || !isScalar(i.type)) return {};
    const uint64_t all = lowBits(image_.types[i.type].bits);
    switch (i.op) {
    case Op::Load:
      if (i.imm * 8 != image_.types[i.type].bits) return {};
      [[fallthrough]];
    case Op::LoadVar:
      return {.zero = ~all, .kept = all, .steps = {k}};
    case Op::And:
      return both(i, k, [](uint64_t a, uint64_t b) { return a | b; }, ~uint64_t(0));
    case Op::Or:
    case Op::Xor:
      return both(i, k, [](uint64_t a, uint64_t b) { return a & b; }, 0);
    case Op::Shl:
      if (auto n = number(operand(i, 1)); n && *n < 64)
        return {.zero = of(operand(i, 0)).zero << *n | lowBits(*n) | ~all};
      return {};
    case Op::LShr:
      if (auto n = number(operand(i, 1)); n && *n < 64) return {.zero = ~(~of(operand(i, 0)).zero >> *n)};
      return {};
    case Op::ZExt:
    case Op::Trunc: {
      if (!isScalar(i.aux)) return {};
      uint64_t passed = all & lowBits(image_.types[i.aux].bits);
      return {.zero = of(operand(i, 0)).zero | ~passed};
    }
    default:
      return {};
    }
  }

  // A bit of one operand is that of the result where the other one is `neutral` to it.
  template <class Zero> Known both(const fir::Instruction& i, uint32_t k, Zero zero, uint64_t neutral) const {
    Known a = of(operand(i, 0)), b = of(operand(i, 1));
    Known out{.zero = zero(a.zero, b.zero)};
    auto isNeutral = [&](uint32_t other, const Known& known) {
      if (neutral == 0) return known.zero;
      auto n = number(operand(i, other)); // ones are known of constants alone
      return n ? *n : uint64_t(0);
    };
    uint64_t fromA = a.kept & isNeutral(1, b), fromB = b.kept & isNeutral(0, a);
    const Known& from = fromA ? a : b;
    out.kept = fromA ? fromA : fromB;
    if (!out.kept) return out;
    out.steps = from.steps;
    out.steps.push_back(k);
    return out;
  }

  bool isDefinedSince(uint32_t word, uint32_t step) const {
    auto it = lastDefinition_.find(word);
    return it != lastDefinition_.end() && it->second >= step;
  }

  // The load had the very place that is stored to, and it holds what it held then.
  bool isSamePlace(const fir::Instruction& load, uint32_t loadStep, const fir::Instruction& store) const {
    fir::Operand place = operand(store, 0);
    if (operand(load, 0) != place) return false;
    if (isWord(place) && isDefinedSince(fir::operandIndex(place), loadStep)) return false;
    if (store.op == Op::StoreVar) return load.op == Op::LoadVar;
    return load.op == Op::Load && load.imm == store.imm && (!lastWrite_ || *lastWrite_ < loadStep);
  }

  void store(const fir::Instruction& i, uint32_t k) {
    if (!isScalar(i.type) || !isWord(operand(i, 1))) return;
    Known value = of(operand(i, 1));
    if (!value.kept || !isSamePlace(instruction(value.steps[0]), value.steps[0], i)) return;
    // All of it: nothing is stored that was not there. Whoever wrote that meant it.
    if (value.kept == lowBits(image_.types[i.type].bits)) return;
    code_.steps[k].kept = value.kept;
  }

  // ---- bits that nobody reads

  void markUnread() {
    std::optional<std::unordered_map<uint32_t, uint32_t>> uses; // most segments need none
    std::unordered_map<uint32_t, uint64_t> read;                // of words, by what is behind
    for (uint32_t k = code_.count; k-- > 0;) {
      const fir::Instruction& i = instruction(k);
      Step& step = code_.steps[k];
      uint64_t all = ~uint64_t(0), mostly = all;
      if (step.dstWords == 1 && i.op != Op::StoreVar && isScalar(i.type))
        if (auto it = read.find(step.dst); it != read.end()) mostly = it->second;
      if (~mostly & lowBits(image_.types[i.type].bits)) {
        if (!uses) uses = usesOfResults();
        if ((*uses)[step.dst] == 1) all = mostly;
        step.unread = ~all & lowBits(image_.types[i.type].bits);
      }
      std::span<const fir::Operand> operands = image_.operandsOf(i);
      for (uint32_t o = 0; o < operands.size(); ++o)
        if (isWord(operands[o])) read[fir::operandIndex(operands[o])] = readBits(i, step, o, all);
    }
  }

  // How often the function uses each word that the segment makes.
  std::unordered_map<uint32_t, uint32_t> usesOfResults() const {
    std::unordered_map<uint32_t, uint32_t> uses;
    for (const Step& step : code_.steps)
      if (step.dstWords == 1) uses[step.dst] = 0;
    for (const fir::Instruction& i : image_.instructionsOf(image_.functions[code_.function]))
      for (fir::Operand o : image_.operandsOf(i))
        if (isWord(o))
          if (auto it = uses.find(fir::operandIndex(o)); it != uses.end()) ++it->second;
    return uses;
  }

  // Of operand o, where `wanted` bits of the result are read.
  uint64_t readBits(const fir::Instruction& i, const Step& step, uint32_t o, uint64_t wanted) const {
    const uint64_t all = ~uint64_t(0);
    if (i.op == Op::Store || i.op == Op::StoreVar) return o == 1 ? ~step.kept : all;
    if (i.dst == fir::kNone || !isScalar(i.type) || i.operandCount < 1) return all;
    wanted &= lowBits(image_.types[i.type].bits);
    std::optional<uint64_t> other;
    if (i.operandCount == 2) other = number(operand(i, 1 - o));
    switch (i.op) {
    case Op::And:
      return wanted & other.value_or(all);
    case Op::Or:
      return wanted & ~other.value_or(0);
    case Op::Xor:
      return wanted;
    case Op::Shl:
      return o == 0 && other && *other < 64 ? wanted >> *other : all;
    case Op::LShr:
      return o == 0 && other && *other < 64 ? wanted << *other : all;
    case Op::AShr: {
      uint32_t bits = image_.types[i.type].bits;
      if (o != 0 || !other || *other >= bits) return all;
      return wanted << *other | (wanted >> (bits - 1 - *other) ? uint64_t(1) << (bits - 1) : 0);
    }
    case Op::Trunc:
    case Op::ZExt:
      return isScalar(i.aux) ? wanted & lowBits(image_.types[i.type].bits) : all;
    default:
      return all;
    }
  }

  const ModuleCode& module_;
  const fir::Image& image_;
  const fir::Segment& segment_;
  SegmentCode& code_;
  std::unordered_map<uint32_t, Known> known_; // by word
  std::unordered_map<uint32_t, uint32_t> lastDefinition_;
  std::optional<uint32_t> lastWrite_;
};

} // namespace

void markWrittenBack(const ModuleCode& module, const fir::Segment& segment, SegmentCode& code) {
  for (uint32_t k = 0; k < code.count; ++k) {
    Op op = module.image->instructions[segment.first + k].op;
    bool masks = op == Op::And || op == Op::Or || op == Op::LShr || op == Op::AShr || op == Op::Trunc;
    if (masks) return Search(module, segment, code).run();
  }
}

} // namespace faultline::depend
