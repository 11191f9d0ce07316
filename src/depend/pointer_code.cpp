#include "depend/pointer_code.h"

#include "program/operands.h"
#include "replay/debug_type.h"

#include <algorithm>

namespace faultline::depend {

using fir::Op;

// Makes the steps of one segment.
class PointerDecoder {
public:
  PointerDecoder(PointerCode& owner, PointerSegment& out)
      : owner_(owner), out_(out), code_(*out.code), module_(*owner.program_.modules()[code_.module]),
        image_(*module_.image) {}

  void run() {
    uint32_t local = code_.firstId - module_.base;
    for (uint32_t k = 0; k < code_.count; ++k) add(image_.instructions[local + k], code_.steps[k]);
    out_.blocks.resize(out_.operands.size(), fir::kNone);
  }

private:
  static bool isWord(fir::Operand o) { return fir::operandKind(o) == fir::OperandKind::Word; }

  PointerOperand operand(const fir::Instruction& i, uint32_t k) {
    fir::Operand o = image_.operandsOf(i)[k];
    if (isWord(o)) return {fir::operandIndex(o), kNoObject};
    PointerOperand out{out_.functionWords, kNoObject};
    if (fir::operandKind(o) != fir::OperandKind::Constant) return out;
    const fir::Constant& c = image_.constants[fir::operandIndex(o)];
    if (c.symbol != fir::kNone) out.constant = owner_.global(module_, c.symbol);
    return out;
  }
  uint32_t wordsOf(uint32_t type) const { return image_.types[type].words; }

  void add(const fir::Instruction& i, const Step& s) {
    PointerStep p;
    p.dst = s.dst;
    p.words = s.dstWords;
    fill(i, s, p);
    out_.steps.push_back(p);
  }

  void list(const fir::Instruction& i, uint32_t from, uint32_t by, PointerStep& p) {
    p.more = uint32_t(out_.operands.size());
    for (uint32_t k = from; k < i.operandCount; k += by) out_.operands.push_back(operand(i, k));
    p.count = uint32_t(out_.operands.size()) - p.more;
  }

  void fill(const fir::Instruction& i, const Step& s, PointerStep& p) {
    switch (i.op) {
    case Op::StoreVar:
      p.act = PointerAct::Move;
      p.a = operand(i, 1);
      return;
    case Op::LoadVar:
      p.act = PointerAct::Read;
      p.a = operand(i, 0);
      p.count =
          image_.types[i.type].kind == fir::TypeKind::Int ? std::min(image_.types[i.type].bits, 64u) : 64;
      return;
    case Op::BitCast:
      p.act = wordsOf(i.aux) == wordsOf(i.type) ? PointerAct::Move : PointerAct::Many;
      p.a = operand(i, 0);
      if (p.act == PointerAct::Many) list(i, 0, 1, p);
      return;
    case Op::Add:
    case Op::And:
    case Op::Or:
    case Op::Xor:
      return two(i, p, isPointerSized(i) ? PointerAct::Join : PointerAct::Number);
    case Op::Sub:
      return two(i, p,
                 !isPointerSized(i)                           ? PointerAct::Number
                 : isFromPointer(i, 0) && isFromPointer(i, 1) ? PointerAct::Distance
                                                              : PointerAct::Difference);
    case Op::Gep:
      p.act = i.operandCount <= 4 ? PointerAct::Element : PointerAct::Elements;
      p.a = operand(i, 0);
      p.b = i.operandCount >= 4 ? operand(i, 1) : zero();
      if (p.act == PointerAct::Elements) list(i, 1, 3, p);
      return;
    case Op::Load:
    case Op::Store:
    case Op::AtomicRMW:
    case Op::CmpXchg:
    case Op::Copy:
    case Op::VaCopy:
    case Op::Fill:
      return fillAccess(i, s, p);
    case Op::Select:
      p.act = PointerAct::Select;
      p.a = operand(i, 1);
      p.b = operand(i, 2);
      p.more = uint32_t(out_.operands.size());
      out_.operands.push_back(operand(i, 0));
      return;
    case Op::Phi:
      p.act = PointerAct::Phi;
      p.more = uint32_t(out_.operands.size());
      for (uint32_t k = 0; k + 1 < i.operandCount; k += 2) {
        out_.blocks.resize(out_.operands.size(), fir::kNone);
        out_.blocks.push_back(fir::operandIndex(image_.operandsOf(i)[k]));
        out_.operands.push_back(operand(i, k + 1));
      }
      p.count = uint32_t(out_.operands.size()) - p.more;
      return;
    case Op::CondBr:
    case Op::Switch:
      p.act = PointerAct::Branch;
      p.a = operand(i, 0);
      return;
    case Op::Call:
      p.act = PointerAct::Call;
      return list(i, 1, 1, p);
    case Op::Ret:
      p.act = PointerAct::Return;
      p.words = uint16_t(i.operandCount ? wordsOf(i.type) : 0);
      p.a = i.operandCount ? operand(i, 0) : zero();
      return;
    case Op::Alloca:
      p.act = PointerAct::Local;
      p.more = owner_.localSize(code_.module, code_.function, i.imm);
      return;
    case Op::AllocaDyn:
      p.act = PointerAct::Dynamic;
      p.a = operand(i, 0);
      p.more = uint32_t(i.imm);
      if (!isWord(image_.operandsOf(i)[0]))
        p.count = uint32_t(module_.constants[fir::operandIndex(image_.operandsOf(i)[0])]);
      return;
    case Op::VaStart:
      p.act = PointerAct::VariableList;
      return;
    case Op::Extract:
      p.act = PointerAct::Extract;
      p.a = operand(i, 0);
      p.more = uint32_t(i.imm);
      return;
    case Op::Insert:
      p.act = PointerAct::Insert;
      p.a = operand(i, 0);
      p.b = operand(i, 1);
      p.more = uint32_t(i.imm);
      p.count = image_.types[i.aux].bytes;
      return;
    default:
      return fillOther(i, p);
    }
  }

  PointerOperand zero() const { return {out_.functionWords, kNoObject}; }
  bool isPointerSized(const fir::Instruction& i) const {
    const fir::Type& type = image_.types[i.type];
    return type.kind == fir::TypeKind::Int && type.bits == 64 && type.lanes == 1;
  }
  void two(const fir::Instruction& i, PointerStep& p, PointerAct act) {
    p.act = image_.types[i.type].lanes > 1 ? PointerAct::Clear : act;
    p.a = operand(i, 0);
    p.b = operand(i, 1);
    if (p.act == PointerAct::Clear) return;
    if (p.words == 1 && image_.types[i.type].words == 1) return;
    p.act = PointerAct::Many;
    list(i, 0, 1, p);
  }

  // The operand is a pointer that was made a number just before.
  bool isFromPointer(const fir::Instruction& i, uint32_t k) const {
    fir::Operand o = image_.operandsOf(i)[k];
    if (!isWord(o)) return false;
    uint32_t local = code_.firstId - module_.base;
    for (uint32_t n = uint32_t(out_.steps.size()); n-- > 0;) {
      const fir::Instruction& d = image_.instructions[local + n];
      if (d.dst != fir::operandIndex(o)) continue;
      return d.op == Op::BitCast && image_.types[d.aux].kind == fir::TypeKind::Pointer;
    }
    return false;
  }

  void fillAccess(const fir::Instruction& i, const Step& s, PointerStep& p) {
    p.a = operand(i, 0);
    // A place that the program names itself, within a variable.
    p.isSafe = s.address.isConstant && isObject(p.a.constant) &&
               owner_.objects_.has(p.a.constant, s.address.constant, s.bytes);
    switch (i.op) {
    case Op::Load:
      p.act = PointerAct::Load;
      return;
    case Op::Store:
      p.act = PointerAct::Store;
      p.b = operand(i, 1);
      p.words = uint16_t(wordsOf(i.type));
      return;
    case Op::AtomicRMW:
      p.act = PointerAct::Update;
      p.b = operand(i, 1);
      return;
    case Op::CmpXchg:
      p.act = PointerAct::Exchange;
      p.b = operand(i, 2);
      p.count = wordsOf(i.type);
      return;
    case Op::Fill:
      p.act = PointerAct::Fill;
      p.b = operand(i, 1);
      return;
    default:
      p.act = PointerAct::Copy;
      p.b = operand(i, 1);
    }
  }

  // What gives no pointer, though it may pass on that nobody has given its operands.
  void fillOther(const fir::Instruction& i, PointerStep& p) {
    if (!p.words) return;
    // Lanes are written one by one: which of them nobody has given is not followed.
    if (image_.types[i.type].lanes > 1 || i.op == Op::ExtractLane || i.op == Op::InsertLane) {
      p.act = PointerAct::Clear;
      return;
    }
    if (i.op == Op::StackSave || i.op == Op::ThreadLocal || i.op == Op::LandingPad || i.op == Op::Opaque) {
      p.act = PointerAct::Clear;
      return;
    }
    p.more = uint32_t(out_.operands.size());
    fir::forEachValue(image_, i, [&](uint32_t k, uint32_t words) {
      PointerOperand o = operand(i, k);
      for (uint32_t w = 0; w < words; ++w) {
        out_.operands.push_back(o);
        if (o.word != out_.functionWords) ++o.word;
      }
    });
    p.count = uint32_t(out_.operands.size()) - p.more;
    p.act = PointerAct::Many;
    if (p.count > 2 || p.words != 1) return;
    p.act = PointerAct::Number;
    p.a = p.count > 0 ? out_.operands[p.more] : zero();
    p.b = p.count > 1 ? out_.operands[p.more + 1] : zero();
  }

  PointerCode& owner_;
  PointerSegment& out_;
  const SegmentCode& code_;
  const replay::LoadedModule& module_;
  const fir::Image& image_;
};

const PointerSegment& PointerCode::decode(uint32_t number) {
  if (number >= segments_.size()) segments_.resize(std::max<size_t>(number + 1, segments_.size() * 2));
  auto made = std::make_unique<PointerSegment>();
  made->code = &code_.segment(number);
  made->function = &function(made->code->module, made->code->function);
  made->functionWords = made->function->words;
  if (made->code->count) PointerDecoder(*this, *made).run();
  segments_[number] = std::move(made);
  return *segments_[number];
}

const PointerFunction& PointerCode::function(uint32_t module, uint32_t number) {
  auto [it, isNew] = functions_.try_emplace({module, number});
  if (!isNew) return it->second;
  PointerFunction& out = it->second;
  const fir::Image& image = code_.image(module);
  const fir::Function& f = image.functions[number];
  out.words = f.words;
  for (const fir::Argument& a : image.argumentsOf(f))
    out.arguments.push_back({a.word, image.types[a.type].words});
  std::vector<bool> isVariable(f.words);
  for (const fir::Instruction& i : image.instructionsOf(f)) {
    if (i.op != Op::LoadVar && i.op != Op::StoreVar) continue;
    uint32_t first = fir::operandIndex(image.operandsOf(i)[0]);
    for (uint32_t w = first; w < first + image.types[i.type].words && w < f.words; ++w) isVariable[w] = true;
  }
  for (uint32_t w = 0; w < f.words; ++w)
    if (isVariable[w]) out.variables.push_back(w);
  return out;
}

// The debug tables have the size of what has a name. Of the rest it is known where the next thing begins, so
// that what is found wrong is certainly wrong.
uint32_t PointerCode::localSize(uint32_t module, uint32_t function, uint64_t offset) {
  const fir::Image& image = code_.image(module);
  const fir::Function& f = image.functions[function];
  uint64_t end = f.guardOffset != fir::kNone && f.guardOffset > offset ? f.guardOffset : f.frameSize;
  for (const fir::Instruction& i : image.instructionsOf(f))
    if (i.op == Op::Alloca && i.imm > offset) end = std::min(end, i.imm);
  uint64_t room = end > offset ? end - offset : 0;
  for (const fir::Variable& v : image.variables.subspan(f.firstVariable, f.variableCount)) {
    if (v.home != fir::Home::Frame || v.offset != offset) continue;
    uint64_t size = replay::sizeOf({&image, v.debugType});
    if (size && size <= room) return uint32_t(size);
  }
  return uint32_t(room);
}

void PointerCode::learnModules(const std::function<void(uint64_t, Provenance)>& visit) {
  auto modules = program_.modules();
  size_t first = modules_;
  for (; modules_ < modules.size(); ++modules_) {
    const replay::LoadedModule& module = *modules[modules_];
    for (uint32_t k = 0; k < module.image->symbols.size() && k < module.addresses.size(); ++k) {
      const fir::Symbol& s = module.image->symbols[k];
      bool isData =
          s.flags & fir::kDefined && !(s.flags & (fir::kFunction | fir::kThreadLocal | fir::kBlockAddress));
      if (!isData || !s.size || !module.addresses[k]) continue;
      auto [it, isNew] = globals_.try_emplace(module.addresses[k]);
      Global& global = it->second;
      if (isNew) {
        global.name = module.image->string(s.name);
        global.object =
            objects_.make({.start = module.addresses[k], .kind = MemoryObject::Global, .size = s.size});
      } else if (objects_.find(global.object)->size < s.size) {
        objects_.resize(global.object, s.size);
      }
    }
  }
  for (size_t m = first; m < modules_; ++m) {
    const replay::LoadedModule& module = *modules[m];
    const fir::Image& image = *module.image;
    for (uint32_t k = 0; k < image.symbols.size() && k < module.addresses.size(); ++k) {
      const fir::Symbol& s = image.symbols[k];
      if (!(s.flags & fir::kDefined) || s.flags & fir::kThreadLocal || !module.addresses[k]) continue;
      for (const fir::Relocation& r : image.relocations.subspan(s.firstRelocation, s.relocationCount))
        if (Provenance p = global(module, r.symbol)) visit(module.addresses[k] + r.offset, p);
    }
  }
}

std::string_view PointerCode::calleeOf(const PointerSegment& calling) const {
  const RunCode::Where at = code_.where(calling.code->firstId + calling.code->count - 1);
  if (!at) return {};
  const fir::Image& image = *at.module->image;
  const fir::Instruction& call = image.instructions[at.local];
  if (call.op != fir::Op::Call || image.calls[call.aux].symbol == fir::kNone) return {};
  return image.string(image.symbols[image.calls[call.aux].symbol].name);
}

Provenance PointerCode::global(const replay::LoadedModule& module, uint32_t symbol) const {
  if (symbol >= module.addresses.size()) return kNoObject;
  auto it = globals_.find(module.addresses[symbol]);
  if (it == globals_.end()) return kNoObject;
  const fir::Symbol& s = module.image->symbols[symbol];
  bool isIt = s.flags & fir::kDefined || module.image->string(s.name) == it->second.name;
  return isIt ? it->second.object : kNoObject;
}

} // namespace faultline::depend
