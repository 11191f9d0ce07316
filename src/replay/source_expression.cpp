#include "replay/source_expression.h"

#include "replay/symbol_name.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace faultline::replay {

using fir::DebugKind;
using fir::Home;
using fir::Op;
using fir::OperandKind;

namespace {

// Of a function that is only declared the tables have the linker's name.
std::string shownName(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  std::string full = functionName(name);
  // A conversion has no name; what it makes is enough.
  if (size_t at = full.rfind("::operator "); at != std::string::npos) return full.substr(at + 2);
  return full;
}

constexpr int kDeepestSource = 24;

std::string_view binarySign(Op op) {
  switch (op) {
  case Op::Add:
  case Op::FAdd:
    return "+";
  case Op::Sub:
  case Op::FSub:
    return "-";
  case Op::Mul:
  case Op::FMul:
    return "*";
  case Op::UDiv:
  case Op::SDiv:
  case Op::FDiv:
    return "/";
  case Op::URem:
  case Op::SRem:
    return "%";
  case Op::Shl:
    return "<<";
  case Op::LShr:
  case Op::AShr:
    return ">>";
  case Op::And:
    return "&";
  case Op::Or:
    return "|";
  case Op::Xor:
    return "^";
  default:
    return "";
  }
}

// llvm::CmpInst::Predicate.
std::string_view comparisonSign(uint8_t predicate) {
  constexpr std::string_view kFloat[] = {"", "==", ">", ">=", "<", "<=", "!=", "",
                                         "", "==", ">", ">=", "<", "<=", "!="};
  constexpr std::string_view kInt[] = {"==", "!=", ">", ">=", "<", "<=", ">", ">=", "<", "<="};
  if (predicate >= 32 && predicate < 42) return kInt[predicate - 32];
  return predicate < 15 ? kFloat[predicate] : "";
}

bool isPassedThrough(Op op) { return (op >= Op::Trunc && op <= Op::BitCast) || op == Op::FNeg; }

std::string inParentheses(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

// Before `.`, `->` and `[`, which bind tighter than what the text may begin with.
std::string operandOfPostfix(const std::string& text) {
  bool hasPrefix = text.starts_with('*') || text.starts_with('&');
  return hasPrefix ? "(" + text + ")" : inParentheses(text);
}

// An object on the way to an address. By pointer: `text` is the pointer, and the object is what it points to.
struct Object {
  std::string text;
  bool byPointer = false;
  TypeRef type;
  std::vector<Ingredient> from;

  std::string name() const { return byPointer ? "*" + inParentheses(text) : text; }
  void enterMember(std::string_view member, TypeRef to) {
    if (!member.empty()) {
      text = fmt::format("{}{}{}", operandOfPostfix(text), byPointer ? "->" : ".", member);
      byPointer = false;
    }
    type = to;
  }
  void enterElement(const std::string& index, TypeRef to) {
    bool wholeArray = byPointer && type.stripped().kind() == DebugKind::Array && to.index != type.index;
    text = fmt::format("{}[{}]", wholeArray ? "(" + name() + ")" : operandOfPostfix(text), index);
    byPointer = false;
    type = to;
  }
};

struct Index {
  Ingredient value;
  uint64_t scale;
};

class Reader {
public:
  explicit Reader(const FrameView& frame) : frame_(frame), image_(*frame.image) {}

  std::optional<SourceValue> value(fir::Operand operand, int nesting = kDeepestSource) {
    if (nesting == 0) return std::nullopt;
    if (fir::operandKind(operand) == OperandKind::Constant) return constant(fir::operandIndex(operand));
    if (fir::operandKind(operand) != OperandKind::Word) return std::nullopt;
    uint32_t word = fir::operandIndex(operand);
    const fir::Instruction* i = definitionOf(frame_, word);
    return i ? result(*i, nesting) : argument(word);
  }

  std::optional<Object> object(fir::Operand address, int nesting = kDeepestSource) {
    if (nesting == 0) return std::nullopt;
    if (fir::operandKind(address) == OperandKind::Constant) return global(fir::operandIndex(address));
    uint32_t word = fir::operandIndex(address);
    if (const fir::Variable* v = variableAt(word)) return Object{nameOf(*v), false, typeOf(*v), {}};
    const fir::Instruction* i = definitionOf(frame_, word);
    if (i && i->op == Op::Gep) {
      auto base = object(image_.operandsOf(*i)[0], nesting - 1);
      if (!base || !step(*base, *i, nesting)) return std::nullopt;
      return base;
    }
    auto pointer = value(address, nesting - 1);
    if (!pointer) return std::nullopt;
    TypeRef type = pointer->type.stripped();
    if (type.isRecord()) return Object{pointer->text, false, pointer->type, {}}; // passed by hidden reference
    bool isReference = type.kind() == DebugKind::Reference;
    return Object{
        pointer->text, !isReference, type.base(), {{pointer->text, address, 64, true, pointer->type}}};
  }

private:
  std::string nameOf(const fir::Variable& v) const { return std::string(image_.string(v.name)); }
  TypeRef typeOf(const fir::Variable& v) const { return {&image_, v.debugType}; }

  const fir::Variable* privateVariable(uint32_t word) const {
    for (const fir::Variable& v : variablesOf(frame_))
      if (v.home == Home::Word && v.word == word) return &v;
    return nullptr;
  }
  // The variable whose address the word holds.
  const fir::Variable* variableAt(uint32_t word) const {
    for (const fir::Variable& v : variablesOf(frame_)) {
      if (v.home == Home::ArgumentPointer && v.word == word) return &v;
      bool inFrame = v.home == Home::Frame && v.instruction < image_.instructions.size();
      if (inFrame && image_.instructions[v.instruction].dst == word) return &v;
    }
    return nullptr;
  }

  std::optional<SourceValue> constant(uint32_t index) const {
    if (index >= image_.constants.size()) return std::nullopt;
    const fir::Constant& c = image_.constants[index];
    if (c.wide != fir::kNone) return std::nullopt;
    if (c.symbol >= image_.symbols.size())
      return SourceValue{fmt::format("{}", int64_t(c.value)), {&image_, fir::kNone}};
    const fir::Symbol& s = image_.symbols[c.symbol];
    std::string name(image_.string(s.displayName));
    if (name.empty() || c.value != 0) return std::nullopt;
    return SourceValue{s.flags & fir::kFunction ? name : "&" + name, {&image_, fir::kNone}};
  }

  std::optional<Object> global(uint32_t index) const {
    if (index >= image_.constants.size() || image_.constants[index].symbol >= image_.symbols.size())
      return std::nullopt;
    const fir::Constant& c = image_.constants[index];
    const fir::Symbol& s = image_.symbols[c.symbol];
    TypeRef type{&image_, s.debugType};
    if (image_.string(s.displayName).empty()) return std::nullopt;
    PartPath path = partAt(type, c.value, 0);
    if (path.rest != 0) return std::nullopt;
    return Object{std::string(image_.string(s.displayName)) + path.text, false, path.type, {}};
  }

  // An argument's own word: named after the variable that it is copied to.
  std::optional<SourceValue> argument(uint32_t word) const {
    const fir::Operand wanted = fir::makeOperand(OperandKind::Word, word);
    for (const fir::Instruction& i : image_.instructionsOf(*functionOf(frame_))) {
      if (i.op != Op::StoreVar || i.operandCount < 2 || image_.operandsOf(i)[1] != wanted) continue;
      if (auto* v = privateVariable(fir::operandIndex(image_.operandsOf(i)[0])))
        return SourceValue{nameOf(*v), typeOf(*v)};
    }
    return std::nullopt;
  }

  std::optional<SourceValue> result(const fir::Instruction& i, int nesting) {
    auto operands = image_.operandsOf(i);
    if (i.op == Op::LoadVar) {
      auto* v = privateVariable(fir::operandIndex(operands[0]));
      return v ? std::optional(SourceValue{nameOf(*v), typeOf(*v)}) : std::nullopt;
    }
    if (i.op == Op::Load || i.op == Op::Alloca || i.op == Op::AllocaDyn || i.op == Op::Gep)
      return viaObject(i, nesting);
    if (i.op == Op::Call) return call(i);
    if (isPassedThrough(i.op)) return value(operands[0], nesting - 1);
    std::string_view sign = i.op == Op::ICmp || i.op == Op::FCmp ? comparisonSign(i.sub) : binarySign(i.op);
    if (sign.empty() || operands.size() < 2) return std::nullopt;
    auto a = computedWith(i, operands[0], nesting), b = computedWith(i, operands[1], nesting);
    if (!a || !b) return std::nullopt;
    bool isPointer = a->type.stripped().kind() == DebugKind::Pointer && a->type.get();
    if (!isUnsigned(i, a->type)) b->text = signedText(i, operands[1], std::move(b->text));
    if (isPointer && b->text == "0") b->text = isPlainC(image_) ? "NULL" : "nullptr";
    return SourceValue{fmt::format("{} {} {}", inParentheses(a->text), sign, inParentheses(b->text)),
                       a->type};
  }

  static bool isUnsigned(const fir::Instruction& i, TypeRef type) {
    constexpr uint8_t kFirst = 34, kLast = 37; // of llvm::CmpInst::Predicate
    DebugKind kind = type.stripped().kind();
    return (i.op == Op::ICmp && i.sub >= kFirst && i.sub <= kLast) || kind == DebugKind::UnsignedInt ||
           kind == DebugKind::UnsignedChar;
  }

  // A constant is kept without its sign: `c != 4294967295` is `c != -1`.
  std::string signedText(const fir::Instruction& i, fir::Operand operand, std::string text) const {
    bool isNumber = fir::operandKind(operand) == OperandKind::Constant &&
                    fir::operandIndex(operand) < image_.constants.size() &&
                    image_.constants[fir::operandIndex(operand)].symbol >= image_.symbols.size();
    if (!isNumber || i.type >= image_.types.size()) return text;
    const fir::Type& type = image_.types[i.type];
    if (type.kind != fir::TypeKind::Int || type.bits < 8 || type.bits >= 64) return text;
    uint64_t value = image_.constants[fir::operandIndex(operand)].value;
    if ((value >> (type.bits - 1)) != 1) return text;
    return fmt::format("{}", int64_t(value | ~uint64_t(0) << type.bits));
  }

  // An operand of a computation or comparison, which knows of a constant whether it is a floating one.
  std::optional<SourceValue> computedWith(const fir::Instruction& i, fir::Operand operand, int nesting) {
    if (fir::operandKind(operand) == OperandKind::Constant && i.type < image_.types.size() &&
        fir::operandIndex(operand) < image_.constants.size()) {
      uint64_t bits = image_.constants[fir::operandIndex(operand)].value;
      fir::TypeKind kind = image_.types[i.type].kind;
      if (kind == fir::TypeKind::Double)
        return SourceValue{fmt::format("{}", std::bit_cast<double>(bits)), {&image_, fir::kNone}};
      if (kind == fir::TypeKind::Float)
        return SourceValue{fmt::format("{}", std::bit_cast<float>(uint32_t(bits))), {&image_, fir::kNone}};
    }
    return value(operand, nesting - 1);
  }

  std::optional<SourceValue> viaObject(const fir::Instruction& i, int nesting) {
    if (i.op == Op::Load) {
      auto from = object(image_.operandsOf(i)[0], nesting - 1);
      return from ? std::optional(SourceValue{from->name(), from->type}) : std::nullopt;
    }
    auto at = object(fir::makeOperand(OperandKind::Word, i.dst), nesting - 1);
    return at ? std::optional(SourceValue{"&" + at->name(), {&image_, fir::kNone}}) : std::nullopt;
  }

  std::optional<SourceValue> call(const fir::Instruction& i) const {
    uint32_t symbol = i.aux < image_.calls.size() ? image_.calls[i.aux].symbol : fir::kNone;
    if (symbol >= image_.symbols.size()) return std::nullopt;
    return SourceValue{
        fmt::format("{}()", shownName(std::string(image_.string(image_.symbols[symbol].displayName)))),
        {&image_, fir::kNone}};
  }

  std::vector<Index> indicesOf(const fir::Instruction& gep, int nesting) {
    std::vector<Index> indices;
    auto operands = image_.operandsOf(gep);
    for (size_t k = 1; k + 2 < operands.size(); k += 3) {
      auto text = value(operands[k], nesting - 1);
      uint32_t constant = fir::operandIndex(operands[k + 1]);
      uint64_t scale = constant < image_.constants.size() ? image_.constants[constant].value : 0;
      Ingredient from{text ? text->text : "?", operands[k], fir::operandIndex(operands[k + 2]), false, {}};
      indices.push_back({std::move(from), scale});
    }
    return indices;
  }

  // Follows one Gep: its offset and its indices lead from the object to a part of it, or along its array.
  bool step(Object& o, const fir::Instruction& gep, int nesting) {
    std::vector<Index> indices = indicesOf(gep, nesting);
    auto offset = int64_t(gep.imm);
    bool moved = false;
    for (int guard = 0; guard < 16; ++guard) {
      if (moved && offset == 0 && indices.empty()) return true;
      TypeRef bare = o.type.stripped();
      auto size = int64_t(sizeOf(bare));
      bool isArray = bare.kind() == DebugKind::Array;
      auto stride = isArray ? int64_t(sizeOf(bare.base())) : o.byPointer ? size : 0;
      TypeRef element = isArray ? bare.base() : o.type;
      bool alongPointer = o.byPointer && (offset < 0 || offset >= size || !bare.isRecord());
      bool overArrays = isArray && o.byPointer && !indices.empty() && indices.front().scale == uint64_t(size);
      if (overArrays || (!indices.empty() && stride > 0 && indices.front().scale == uint64_t(stride))) {
        o.enterElement(indices.front().value.text, overArrays ? o.type : element);
        o.from.push_back(indices.front().value);
        indices.erase(indices.begin());
      } else if (stride > 0 && (isArray || alongPointer)) {
        int64_t index = offset >= 0 ? offset / stride : -((-offset + stride - 1) / stride);
        o.enterElement(fmt::format("{}", index), element);
        offset -= index * stride;
      } else if (!enterMemberAt(o, bare, offset)) {
        return false;
      }
      moved = true;
    }
    return false;
  }

  static bool enterMemberAt(Object& o, TypeRef record, int64_t& offset) {
    if (!record.isRecord() || offset < 0) return false;
    for (const fir::Member& m : record.members()) {
      auto start = int64_t(m.bitOffset / 8);
      auto size = std::max<int64_t>(int64_t(sizeOf(record.memberType(m))), 1);
      bool isEmptyBase = (m.flags & fir::kBaseClass) && record.memberType(m).stripped().members().empty();
      if (!isStored(m) || m.bitSize != 0 || isEmptyBase || offset < start || offset - start >= size) continue;
      o.enterMember(record.memberName(m), record.memberType(m));
      offset -= start;
      return true;
    }
    return false;
  }

  const FrameView& frame_;
  const fir::Image& image_;
};

} // namespace

const fir::Instruction* definitionOf(const FrameView& frame, uint32_t word) {
  const fir::Function* f = functionOf(frame);
  if (!f) return nullptr;
  for (const fir::Instruction& i : frame.image->instructionsOf(*f))
    if (i.dst == word) return &i;
  return nullptr;
}

std::optional<SourceValue> sourceValue(const FrameView& frame, fir::Operand operand) {
  return functionOf(frame) ? Reader(frame).value(operand) : std::nullopt;
}

std::optional<SourceAccess> sourceAccess(const FrameView& frame, fir::Operand address) {
  auto object = functionOf(frame) ? Reader(frame).object(address) : std::nullopt;
  if (!object) return std::nullopt;
  return SourceAccess{object->name(), object->type, std::move(object->from)};
}

std::optional<uint64_t> operandValue(const FrameView& frame, const SymbolView& symbols,
                                     fir::Operand operand) {
  uint32_t index = fir::operandIndex(operand);
  if (fir::operandKind(operand) == OperandKind::Word)
    return index < frame.words.size() ? std::optional(frame.words[index]) : std::nullopt;
  if (fir::operandKind(operand) == OperandKind::Raw) return index;
  if (index >= frame.image->constants.size()) return std::nullopt;
  const fir::Constant& c = frame.image->constants[index];
  if (c.wide != fir::kNone) return frame.image->wideWords[c.wide];
  return c.value + (c.symbol == fir::kNone ? 0 : symbols.address(frame.module, c.symbol));
}

} // namespace faultline::replay
