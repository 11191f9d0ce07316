#include "technique/changes/proposals.h"

#include "technique/changes/operations.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace faultline::technique {

using experiment::Alteration;
using fir::Op;

namespace {

constexpr size_t kOtherConstants = 6; // of the function that are tried in another's place

struct Symbol {
  uint32_t operation;
  const char* text;
};

const char* symbolOf(uint32_t operation) {
  switch (operation) {
  case FL_OPERATION_ADD:
  case FL_OPERATION_FADD:
    return "+";
  case FL_OPERATION_SUB:
  case FL_OPERATION_FSUB:
    return "-";
  case FL_OPERATION_MUL:
  case FL_OPERATION_FMUL:
    return "*";
  case FL_OPERATION_UDIV:
  case FL_OPERATION_SDIV:
  case FL_OPERATION_FDIV:
    return "/";
  case FL_OPERATION_UREM:
  case FL_OPERATION_SREM:
    return "%";
  case FL_OPERATION_SHL:
    return "<<";
  case FL_OPERATION_LSHR:
  case FL_OPERATION_ASHR:
    return ">>";
  case FL_OPERATION_AND:
    return "&";
  case FL_OPERATION_OR:
    return "|";
  case FL_OPERATION_XOR:
    return "^";
  default:
    return "?";
  }
}

// By the number of the predicate, of integers and of floats.
const char* comparisonOf(uint32_t predicate) {
  static constexpr const char* kIntegers[] = {"==", "!=", ">", ">=", "<", "<=", ">", ">=", "<", "<="};
  static constexpr const char* kFloats[] = {"", "==", ">", ">=", "<", "<=", "!="};
  if (predicate >= kEq && predicate <= kSle) return kIntegers[predicate - kEq];
  return kFloats[predicate & 7 ? std::min<uint32_t>(predicate & 7, 6) : 0];
}

// What a person mistakes it for.
std::vector<uint32_t> othersThan(uint32_t operation) {
  switch (operation) {
  case FL_OPERATION_ADD:
    return {FL_OPERATION_SUB, FL_OPERATION_MUL};
  case FL_OPERATION_SUB:
    return {FL_OPERATION_ADD};
  case FL_OPERATION_MUL:
    return {FL_OPERATION_ADD, FL_OPERATION_SDIV};
  case FL_OPERATION_UDIV:
    return {FL_OPERATION_MUL, FL_OPERATION_UREM};
  case FL_OPERATION_SDIV:
    return {FL_OPERATION_MUL, FL_OPERATION_SREM};
  case FL_OPERATION_UREM:
    return {FL_OPERATION_UDIV};
  case FL_OPERATION_SREM:
    return {FL_OPERATION_SDIV};
  case FL_OPERATION_SHL:
    return {FL_OPERATION_LSHR};
  case FL_OPERATION_LSHR:
    return {FL_OPERATION_SHL, FL_OPERATION_ASHR};
  case FL_OPERATION_ASHR:
    return {FL_OPERATION_SHL, FL_OPERATION_LSHR};
  case FL_OPERATION_AND:
    return {FL_OPERATION_OR, FL_OPERATION_XOR};
  case FL_OPERATION_OR:
    return {FL_OPERATION_AND, FL_OPERATION_XOR};
  case FL_OPERATION_XOR:
    return {FL_OPERATION_AND, FL_OPERATION_OR};
  case FL_OPERATION_FADD:
    return {FL_OPERATION_FSUB, FL_OPERATION_FMUL};
  case FL_OPERATION_FSUB:
    return {FL_OPERATION_FADD};
  case FL_OPERATION_FMUL:
    return {FL_OPERATION_FADD, FL_OPERATION_FDIV};
  case FL_OPERATION_FDIV:
    return {FL_OPERATION_FMUL};
  default:
    return {};
  }
}

bool isCommutative(uint32_t operation) {
  switch (operation) {
  case FL_OPERATION_ADD:
  case FL_OPERATION_MUL:
  case FL_OPERATION_AND:
  case FL_OPERATION_OR:
  case FL_OPERATION_XOR:
  case FL_OPERATION_FADD:
  case FL_OPERATION_FMUL:
    return true;
  default:
    return false;
  }
}

class Proposer {
public:
  Proposer(const fir::Image& image, const fir::OtherOperands& others, uint32_t function, uint32_t local,
           uint32_t base)
      : image_(image), others_(others), function_(function), local_(local), i_(image.instructions[local]),
        operands_(image.operandsOf(i_)), id_(base + local) {}

  std::vector<Proposal> all() {
    if (auto operation = operationOf(i_.op)) {
      arithmetic(*operation);
    } else {
      switch (i_.op) {
      case Op::ICmp:
        integers();
        break;
      case Op::FCmp:
        floats();
        break;
      case Op::SExt:
      case Op::ZExt:
        widening();
        break;
      case Op::CondBr:
        add({.kind = Alteration::ReplaceValue, .value = 1}, ChangeForm::Always, "if it were always true");
        add({.kind = Alteration::ReplaceValue, .value = 0}, ChangeForm::Always, "if it were always false");
        break;
      case Op::Store:
      case Op::StoreVar:
        assignment();
        break;
      case Op::Load:
      case Op::LoadVar:
        if (isNumber(i_.type)) read();
        others();
        break;
      case Op::Gep:
        element();
        break;
      case Op::FPToSI:
      case Op::FPToUI:
        if (isNumber(i_.type)) nextTo(ChangeForm::OffByOne, "if its result were one {}");
        break;
      case Op::Call:
        call();
        break;
      case Op::Ret:
        if (i_.operandCount > 0) constant(0, 0, false);
        break;
      default:
        break;
      }
    }
    return std::move(proposals_);
  }

private:
  void add(Alteration a, ChangeForm form, std::string text) {
    a.instruction = id_;
    a.epoch = 1;
    a.each = true;
    proposals_.push_back({std::move(a), form, std::move(text)});
  }

  void change(fl_change what, uint64_t value, ChangeForm form, std::string text) {
    add({.kind = Alteration::Change, .value = value, .change = what}, form, std::move(text));
  }

  // The last proposal is to write `to` instead of `from`.
  void writes(std::string to, std::string from) {
    proposals_.back().from = std::move(from);
    proposals_.back().to = std::move(to);
  }

  // More than a truth value, no address, in one word.
  bool isNumber(uint32_t type) const {
    const fir::Type& t = image_.types[type];
    return t.kind == fir::TypeKind::Int && t.bits >= 8 && t.bits <= 64;
  }

  void nextTo(ChangeForm form, fmt::format_string<const char*&> text) {
    const char *larger = "larger", *smaller = "smaller";
    change(FL_CHANGE_ADD, 1, form, fmt::format(text, larger));
    change(FL_CHANGE_ADD, ~uint64_t(0), form, fmt::format(text, smaller));
  }

  std::optional<uint64_t> constantAt(uint32_t operand) const {
    if (operand >= operands_.size() || fir::operandKind(operands_[operand]) != fir::OperandKind::Constant)
      return std::nullopt;
    const fir::Constant& c = image_.constants[fir::operandIndex(operands_[operand])];
    if (c.symbol != fir::kNone || c.wide != fir::kNone) return std::nullopt;
    return c.value;
  }

  bool isAllOnes(uint32_t operand, uint32_t bits) const {
    return constantAt(operand) == (bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0));
  }

  // As a person writes it.
  std::string numberText(uint64_t value, uint32_t bits) const {
    if (bits == 8 && value >= ' ' && value < 127) return fmt::format("'{}'", char(value));
    if (bits < 64 && (value >> (bits - 1) & 1))
      return fmt::format("{}", int64_t(value) - (int64_t(1) << bits));
    return fmt::format("{}", int64_t(value));
  }

  std::vector<uint64_t> othersThanConstant(uint64_t own, uint64_t mask) const {
    std::vector<uint64_t> out;
    const fir::Function& f = image_.functions[function_];
    auto isIn = [&](uint64_t v) { return std::ranges::find(out, v) != out.end(); };
    auto take = [&](uint64_t v) {
      v &= mask;
      bool isNext = v == ((own + 1) & mask) || v == ((own - 1) & mask);
      if (v != own && !isNext && !isIn(v)) out.push_back(v);
    };
    take(0);
    take(1);
    take(0 - own);
    for (uint64_t v : relatedTo(own & mask)) take(v);
    const size_t most = out.size() + kOtherConstants;
    // What stands near is likelier to have been meant.
    const auto self = uint32_t(&i_ - &image_.instructions[f.firstInstruction]);
    for (uint32_t distance = 0; distance < f.instructionCount && out.size() < most; ++distance) {
      if (distance <= self) constantsOf(f.firstInstruction + self - distance, take);
      if (distance > 0 && self + distance < f.instructionCount)
        constantsOf(f.firstInstruction + self + distance, take);
    }
    if (out.size() > most) out.resize(most);
    return out;
  }

  // A bit or a mask of bits beside it, a letter of the other case, ten times as much.
  static std::vector<uint64_t> relatedTo(uint64_t own) {
    std::vector<uint64_t> out;
    if (own >= 4 && std::has_single_bit(own)) out = {own << 1, own >> 1};
    if (own >= 7 && own < 1ull << 31 && std::has_single_bit(own + 1)) out = {own << 1 | 1, own >> 1};
    const bool isLetter = (own | 0x20) >= 'a' && (own | 0x20) <= 'z';
    if (isLetter) out.push_back(own ^ 0x20);
    if (own >= 10 && own % 10 == 0) out.insert(out.end(), {own / 10, own * 10});
    return out;
  }

  template <class Take> void constantsOf(uint32_t local, Take take) const {
    const fir::Instruction& i = image_.instructions[local];
    if (i.op == Op::Gep || i.op == Op::Switch || i.op == Op::Phi) return;
    for (fir::Operand o : image_.operandsOf(i)) {
      if (fir::operandKind(o) != fir::OperandKind::Constant) continue;
      const fir::Constant& c = image_.constants[fir::operandIndex(o)];
      if (c.symbol == fir::kNone && c.wide == fir::kNone) take(c.value);
    }
  }

  // The operand, if it is a constant, with other values: `slot` of the alteration, or as the right operand of
  // what is computed.
  void constant(uint32_t operand, uint32_t slot, bool isRight) {
    auto own = constantAt(operand);
    uint32_t bits = i_.op == Op::Call ? 32 : image_.types[i_.type].bits;
    if (!own || (i_.op != Op::Call && !isNumber(i_.type))) return;
    uint64_t mask = bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0);
    auto put = [&](uint64_t value, ChangeForm form) {
      std::string text =
          fmt::format("with {} instead of {}", numberText(value, bits), numberText(*own, bits));
      if (isRight)
        change(FL_CHANGE_SET_RIGHT, value, form, std::move(text));
      else
        add({.kind = Alteration::ReplaceValue, .value = value, .slot = slot}, form, std::move(text));
      writes(numberText(value, bits), numberText(*own, bits));
    };
    // A byte that is set to 0 or 1 is a truth value: there is no 2 that it could be.
    if (bits == 8 && *own <= 1 && (i_.op == Op::Store || i_.op == Op::StoreVar))
      return put(1 - *own, ChangeForm::NextTo);
    put((*own + 1) & mask, ChangeForm::NextTo);
    put((*own - 1) & mask, ChangeForm::NextTo);
    for (uint64_t other : othersThanConstant(*own, mask)) put(other, ChangeForm::Constant);
  }

  void arithmetic(uint32_t operation) {
    const bool isFloat = operation >= FL_OPERATION_FADD;
    const fir::Type& type = image_.types[i_.type];
    if (type.lanes != 1 || type.words != 1) return;
    if (operation == FL_OPERATION_XOR && isAllOnes(1, type.bits)) { // `~` or `!`
      change(FL_CHANGE_LEFT, 0, ChangeForm::Operator,
             fmt::format("without `{}`", type.bits == 1 ? "!" : "~"));
      return;
    }
    for (uint32_t other : othersThan(operation)) {
      change(FL_CHANGE_OPERATION, other, ChangeForm::Operator,
             fmt::format("with `{}` instead of `{}`", symbolOf(other), symbolOf(operation)));
      writes(symbolOf(other), symbolOf(operation));
    }
    if (!isCommutative(operation))
      change(FL_CHANGE_SWAP, 0, ChangeForm::Operand, "with its operands exchanged");
    change(FL_CHANGE_LEFT, 0, ChangeForm::Operand,
           fmt::format("without what follows `{}`", symbolOf(operation)));
    if (!constantAt(1))
      change(FL_CHANGE_RIGHT, 0, ChangeForm::Operand,
             fmt::format("without what precedes `{}`", symbolOf(operation)));
    if (isFloat) return;
    if (constantAt(1))
      constant(1, 0, true);
    else
      nextTo(ChangeForm::OffByOne, "if its result were one {}");
  }

  void comparison(uint32_t other, uint32_t own) {
    change(FL_CHANGE_OPERATION, FL_OPERATION_COMPARE + other, ChangeForm::Comparison,
           fmt::format("with `{}` instead of `{}`", comparisonOf(other), comparisonOf(own)));
    writes(comparisonOf(other), comparisonOf(own));
  }

  // By the operation that made it: the test of a bit, of a truth value, of what had no sign.
  bool isNeverNegative(uint32_t operand) const {
    const fir::Instruction* made = nullptr;
    for (const fir::Instruction& i : image_.instructionsOf(image_.functions[function_])) {
      if (&i == &i_) break;
      if (i.dst != fir::kNone && operands_[operand] == fir::makeOperand(fir::OperandKind::Word, i.dst))
        made = &i;
    }
    if (!made) return false;
    if (made->op == Op::ZExt) return true;
    if (made->op != Op::And) return false;
    const fir::Operand mask = image_.operandsOf(*made)[1];
    const uint32_t bits = image_.types[made->type].bits;
    return fir::operandKind(mask) == fir::OperandKind::Constant &&
           !(image_.constants[fir::operandIndex(mask)].value >> (bits - 1) & 1);
  }

  // An unsigned comparison with 0 that always holds, or never.
  bool isDecided(uint32_t predicate) const {
    return constantAt(1) == 0 && (predicate == kUge || predicate == kUlt);
  }

  void integers() {
    const fir::Type& type = image_.types[i_.type];
    if (type.lanes != 1 || type.words != 1) return;
    const uint32_t own = i_.sub;
    const bool isPointer = type.kind == fir::TypeKind::Pointer;
    std::vector<uint32_t> others{kEq, kNe};
    if (!isPointer || own > kNe) {
      bool isUnsigned = own >= kUgt && own <= kUle;
      for (uint32_t p = isUnsigned ? kUgt : kSgt; p <= (isUnsigned ? kUle : kSle); ++p) others.push_back(p);
    }
    // Then `>= 0` always holds, and `> 0` is `!= 0`.
    if (constantAt(1) == 0 && isNeverNegative(0)) others = {kEq, kNe};
    // First the one that differs where both are equal alone: that is what goes wrong.
    const uint32_t nearest = own > kNe ? ((own - kUgt) ^ 1) + kUgt : own;
    if (nearest != own && !isDecided(nearest)) comparison(nearest, own);
    for (uint32_t p : others)
      if (p != own && p != nearest && !isDecided(p)) comparison(p, own);
    if (own > kNe && !isPointer)
      change(FL_CHANGE_OPERATION, FL_OPERATION_COMPARE + (own >= kSgt ? own - 4 : own + 4), ChangeForm::Sign,
             own >= kSgt ? "if it compared unsigned numbers" : "if it compared signed numbers");
    if (auto right = constantAt(1); right && (own > kNe || *right != 0)) constant(1, 0, true);
  }

  void floats() {
    const fir::Type& type = image_.types[i_.type];
    if (type.lanes != 1 || type.words != 1) return;
    const uint32_t own = i_.sub;
    for (uint32_t bits : {1u, 2u, 3u, 4u, 5u, 6u}) {
      uint32_t p = bits == 6 ? 14 : (own & 8) | bits; // != holds of numbers that are none
      if (p != own && (own & 7) != bits) comparison(p, own);
    }
  }

  void widening() {
    const fir::Type& from = image_.types[i_.aux];
    if (from.kind != fir::TypeKind::Int || from.bits < 8 || image_.types[i_.type].words != 1) return;
    bool isSigned = i_.op == Op::SExt;
    change(FL_CHANGE_OPERATION, isSigned ? FL_OPERATION_ZEXT : FL_OPERATION_SEXT, ChangeForm::Sign,
           isSigned ? "if what is read here had no sign" : "if what is read here had a sign");
  }

  // Some instruction of the function reads the word.
  bool isUsed(uint32_t word) const {
    const fir::Operand wanted = fir::makeOperand(fir::OperandKind::Word, word);
    for (const fir::Instruction& i : image_.instructionsOf(image_.functions[function_]))
      if (std::ranges::find(image_.operandsOf(i), wanted) != image_.operandsOf(i).end()) return true;
    return false;
  }

  // `n += step` may have to be `n++`.
  void read() {
    nextTo(ChangeForm::Read, "if what is read here were one {}");
    for (uint64_t value : {1, 0})
      add({.kind = Alteration::ReplaceValue, .value = value}, ChangeForm::Read,
          fmt::format("with {} instead of what is read here", value));
  }

  void others() {
    std::vector<fir::OtherOperand> all = others_.at(function_, local_);
    for (size_t k = 0; k < all.size(); ++k) {
      const fir::OtherOperand& o = all[k];
      std::string text = o.name.empty() || o.own.empty()
                             ? std::string("if another member were read")
                             : fmt::format("with `{}` instead of `{}`", o.name, o.own);
      add({.kind = Alteration::ReplaceValue, .value = k + 1, .slot = FL_SLOT_OTHER}, ChangeForm::Variable,
          std::move(text));
      if (!o.name.empty() && !o.own.empty()) writes(std::string(o.name), std::string(o.own));
    }
  }

  // The one beside it.
  void element() {
    if (!fir::isElement(image_, local_)) return;
    const uint64_t stride = fir::elementStride(image_, i_);
    if (i_.operandCount > 1) {
      change(FL_CHANGE_ADD, stride, ChangeForm::Index, "if the index were one larger");
      change(FL_CHANGE_ADD, 0 - stride, ChangeForm::Index, "if the index were one smaller");
      return;
    }
    const int64_t own = int64_t(i_.imm) / int64_t(stride);
    for (int64_t by : {1, -1}) {
      change(FL_CHANGE_ADD, uint64_t(by) * stride, ChangeForm::NextTo,
             fmt::format("with {} instead of {} as the index", own + by, own));
      writes(std::to_string(own + by), std::to_string(own));
    }
  }

  void assignment() {
    constant(1, 0, false);
    add({.kind = Alteration::Skip}, ChangeForm::LeftOut, "if it were left out");
  }

  void call() {
    const fir::CallInfo& info = image_.calls[i_.aux];
    const bool isHooked = !(info.flags & fir::kNoReturn) && fir::CallKind(i_.sub) != fir::CallKind::SetJmp &&
                          fir::CallKind(i_.sub) != fir::CallKind::LongJmp;
    if (!isHooked) return;
    for (uint32_t k = 1; k < i_.operandCount; ++k) constant(k, k + 1, false);
    const fir::Type& type = image_.types[i_.type];
    if (type.kind == fir::TypeKind::Void || i_.dst == fir::kNone || !isUsed(i_.dst)) {
      add({.kind = Alteration::Skip}, ChangeForm::LeftOut, "if it were left out");
      return;
    }
    if (type.kind == fir::TypeKind::Pointer)
      add({.kind = Alteration::Skip}, ChangeForm::Returned,
          "if the call were not made, and gave a null pointer");
    if (!isNumber(i_.type)) return;
    add({.kind = Alteration::Skip}, ChangeForm::Returned, "if the call were not made, and gave 0");
    nextTo(ChangeForm::Returned, "if the call returned one {}");
    change(FL_CHANGE_NOT, 0, ChangeForm::Returned, "if the call returned the opposite");
  }

  const fir::Image& image_;
  const fir::OtherOperands& others_;
  uint32_t function_, local_;
  const fir::Instruction& i_;
  std::span<const fir::Operand> operands_;
  uint32_t id_;
  std::vector<Proposal> proposals_;
};

} // namespace

std::string_view nameOf(ChangeForm form) {
  static constexpr std::string_view kNames[kChangeForms] = {
      "comparison", "operator", "sign",     "next-to",  "constant", "off-by-one", "variable",
      "index",      "operand",  "guard",    "limit",    "left-out", "replaced",   "moved",
      "always",     "read",     "returned", "inserted", "once"};
  return kNames[size_t(form)];
}

std::vector<Proposal> proposalsFor(const fir::Image& image, const fir::OtherOperands& others,
                                   uint32_t function, uint32_t local, uint32_t base) {
  return Proposer(image, others, function, local, base).all();
}

} // namespace faultline::technique
