#include "depend/code.h"

#include "depend/written_back.h"
#include "program/operands.h"
#include "program/variable_arguments.h"
#include "replay/trace.h"

#include <algorithm>

namespace faultline::depend {

using fir::Op;

const SegmentCode& Code::decode(uint32_t number) {
  if (number >= segments_.size()) segments_.resize(std::max<size_t>(number + 1, segments_.size() * 2));
  segments_[number] = makeSegment(number);
  return *segments_[number];
}

const FunctionCode& Code::function(uint32_t module, uint32_t number) {
  if (module >= functions_.size()) functions_.resize(module + 1);
  auto& all = functions_[module];
  if (number >= all.size()) all.resize(std::max<size_t>(number + 1, all.size() * 2));
  if (!all[number]) all[number] = makeFunction(module, number);
  return *all[number];
}

namespace {

class Decoder {
public:
  Decoder(const ModuleCode& module, SegmentCode& out) : module_(module), image_(*module.image), out_(out) {}

  void add(const fir::Instruction& i) {
    Step step;
    step.firstUse = uint32_t(out_.uses.size());
    step.traced = out_.traceWords;
    fill(i, step);
    replay::traceWords(image_, i, [&](uint32_t) { ++out_.traceWords; });
    step.useCount = uint16_t(out_.uses.size() - step.firstUse);
    if (step.dstWords) define(step.dst, step.dstWords);
    if (writes(step.kind)) out_.writes.push_back(uint32_t(out_.steps.size()));
    out_.steps.push_back(step);
  }

private:
  static bool writes(StepKind kind) {
    return kind == StepKind::Store || kind == StepKind::Copy || kind == StepKind::Fill ||
           kind == StepKind::Update || kind == StepKind::Exchange;
  }
  void define(uint32_t word, uint32_t words) {
    for (uint32_t w = word; w < word + words; ++w) {
      auto it =
          std::find_if(out_.defined.begin(), out_.defined.end(), [&](auto& d) { return d.first == w / 64; });
      if (it == out_.defined.end()) it = out_.defined.insert(it, {w / 64, 0});
      it->second |= uint64_t(1) << w % 64;
    }
  }

  fir::Operand operand(const fir::Instruction& i, uint32_t k) const { return image_.operandsOf(i)[k]; }
  static bool isWord(fir::Operand o) { return fir::operandKind(o) == fir::OperandKind::Word; }
  bool isConstant(fir::Operand o) const {
    return fir::operandKind(o) == fir::OperandKind::Constant &&
           image_.constants[fir::operandIndex(o)].wide == fir::kNone;
  }
  uint64_t constant(fir::Operand o) const { return module_.constants[fir::operandIndex(o)]; }

  void use(fir::Operand o, uint32_t words, Flow flow = Flow::All, uint64_t parameter = 0,
           Role role = Role::Value, uint32_t bytes = 0) {
    if (!isWord(o) || words == 0) return;
    out_.uses.push_back({fir::operandIndex(o), uint16_t(words), flow, role, bytes, parameter});
  }
  // An operand of the instruction whose value the trace has; `traced` counts those before it.
  Place place(const fir::Instruction& i, uint32_t k, uint32_t& traced) {
    fir::Operand o = operand(i, k);
    Place p;
    p.isConstant = !isWord(o);
    if (p.isConstant)
      p.constant = isConstant(o) ? constant(o) : 0;
    else
      p.traced = traced++;
    return p;
  }
  void setResult(const fir::Instruction& i, Step& step) {
    if (i.dst == fir::kNone) return;
    step.dst = i.dst;
    step.dstWords = uint16_t(fir::resultWords(image_, i));
  }
  uint32_t words(const fir::Instruction& i) const { return image_.types[i.type].words; }

  void fill(const fir::Instruction& i, Step& step) {
    switch (i.op) {
    case Op::Load:
    case Op::Store:
    case Op::AtomicRMW:
    case Op::CmpXchg:
    case Op::Copy:
    case Op::VaCopy:
    case Op::Fill:
      return fillAccess(i, step);
    case Op::Call:
      return fillCall(i, step);
    case Op::Ret:
      step.kind = StepKind::Return;
      if (i.operandCount) use(operand(i, 0), words(i), Flow::Same);
      return;
    case Op::CondBr:
    case Op::Switch:
    case Op::IndirectBr:
      step.kind = StepKind::Branch;
      use(operand(i, 0), 1, Flow::All, 0, Role::Condition);
      return;
    case Op::Phi:
      step.kind = StepKind::Phi;
      setResult(i, step);
      // Every value has a use, a constant one of no words, so that uses and predecessors stay in step.
      for (uint32_t k = 0; k + 1 < i.operandCount; k += 2) {
        fir::Operand o = operand(i, k + 1);
        out_.predecessors.resize(out_.uses.size(), fir::kNone);
        out_.predecessors.push_back(fir::operandIndex(operand(i, k)));
        out_.uses.push_back(
            {isWord(o) ? fir::operandIndex(o) : 0, uint16_t(isWord(o) ? words(i) : 0), Flow::Same});
      }
      return;
    case Op::VaStart:
      step.kind = StepKind::VariableList;
      out_.hasVariableList = true;
      return;
    case Op::LandingPad:
      step.kind = StepKind::LandingPad;
      return setResult(i, step);
    case Op::StoreVar:
      step.kind = StepKind::Compute;
      step.dst = fir::operandIndex(operand(i, 0));
      step.dstWords = uint16_t(words(i));
      return use(operand(i, 1), words(i), Flow::Same);
    case Op::Entry:
    case Op::Br:
    case Op::Unreachable:
    case Op::Nop:
    case Op::Trap:
    case Op::StackRestore:
    case Op::Resume:
      return;
    default:
      step.kind = StepKind::Compute;
      setResult(i, step);
      return fillCompute(i, step);
    }
  }

  void fillAccess(const fir::Instruction& i, Step& step) {
    uint32_t traced = step.traced;
    setResult(i, step);
    step.address = place(i, 0, traced);
    step.bytes = uint32_t(i.op == Op::CmpXchg ? image_.types[i.type].bytes : i.imm);
    use(operand(i, 0), 1, Flow::All, 0, Role::Address);
    switch (i.op) {
    case Op::Load:
      step.kind = StepKind::Load;
      return;
    case Op::Store:
      step.kind = StepKind::Store;
      return use(operand(i, 1), words(i), Flow::Same);
    case Op::AtomicRMW:
      step.kind = StepKind::Update;
      step.parameter = i.sub;
      return use(operand(i, 1), words(i), i.sub == 0 ? Flow::Same : Flow::Carry);
    case Op::CmpXchg:
      step.kind = StepKind::Exchange;
      step.parameter = i.imm; // byte of the result that says whether it has stored
      step.source.isConstant = i.dst == fir::kNone;
      step.source.traced = traced;
      use(operand(i, 1), words(i), Flow::All, 0, Role::Condition);
      return use(operand(i, 2), words(i), Flow::Same);
    case Op::Fill:
      step.kind = StepKind::Fill;
      step.size = place(i, 2, traced);
      use(operand(i, 1), 1);
      return use(operand(i, 2), 1, Flow::All, 0, Role::Address);
    default:
      step.kind = StepKind::Copy;
      step.source = place(i, 1, traced);
      use(operand(i, 1), 1, Flow::All, 0, Role::Address);
      if (i.op == Op::VaCopy) {
        step.size.constant = 24;
        return;
      }
      step.size = place(i, 2, traced);
      use(operand(i, 2), 1, Flow::All, 0, Role::Address);
    }
  }

  void fillCall(const fir::Instruction& i, Step& step) {
    step.kind = StepKind::Call;
    setResult(i, step);
    step.parameter = image_.calls[i.aux].fixedArguments;
    // All operands, the callee first, in order: constants too, so that numbers fit. `bytes` tells how a
    // variable argument is passed.
    bool variadic = i.operandCount > step.parameter + 1;
    for (uint32_t k = 0; k < i.operandCount; ++k) {
      fir::Operand o = operand(i, k);
      out_.uses.push_back({isWord(o) ? fir::operandIndex(o) : 0, uint16_t(isWord(o) ? 1 : 0), Flow::Same,
                           k == 0 ? Role::Condition : Role::Value});
      if (variadic && k > step.parameter) out_.uses.back().bytes = uint32_t(passedBy(i, k));
    }
  }

  // Operand k of a call, a variable argument.
  Passed passedBy(const fir::Instruction& call, uint32_t k) const {
    fir::Operand o = operand(call, k);
    if (isWord(o)) return passedBy(fir::operandIndex(o));
    if (fir::operandKind(o) == fir::OperandKind::Constant &&
        image_.constants[fir::operandIndex(o)].wide != fir::kNone)
      return Passed::Memory;
    uint32_t flag = fir::floatingArgumentFlag(k - 1 - image_.calls[call.aux].fixedArguments);
    return image_.calls[call.aux].flags & flag ? Passed::Floating : Passed::General;
  }

  Passed passedBy(uint32_t word) const {
    auto of = [&](uint32_t type) {
      switch (image_.types[type].kind) {
      case fir::TypeKind::Float:
      case fir::TypeKind::Double:
        return Passed::Floating;
      case fir::TypeKind::Int:
      case fir::TypeKind::Pointer:
        return image_.types[type].bits <= 64 ? Passed::General : Passed::Memory;
      default:
        return Passed::Memory;
      }
    };
    const fir::Function& f = image_.functions[out_.function];
    for (const fir::Argument& a : image_.argumentsOf(f))
      if (a.word == word) return of(a.type);
    for (const fir::Instruction& i : image_.instructionsOf(f))
      if (i.dst == word) return of(i.type);
    return Passed::General;
  }

  void fillCompute(const fir::Instruction& i, Step& step) {
    const fir::Type& type = image_.types[i.type];
    bool scalar = type.words == 1 && type.kind == fir::TypeKind::Int && type.lanes == 1;
    auto both = [&](Flow flow) { use(operand(i, 0), words(i), flow), use(operand(i, 1), words(i), flow); };
    auto oneConstant = [&](uint32_t& other) {
      for (uint32_t k = 0; k < 2; ++k)
        if (isConstant(operand(i, k))) return other = 1 - k, true;
      return false;
    };
    uint32_t other = 0;
    switch (i.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
      return both(scalar ? Flow::Carry : Flow::All);
    case Op::And:
      if (scalar && oneConstant(other))
        return use(operand(i, other), 1, Flow::Mask, constant(operand(i, 1 - other)));
      return both(Flow::Same);
    case Op::Or:
      if (scalar && oneConstant(other))
        return use(operand(i, other), 1, Flow::Mask, ~constant(operand(i, 1 - other)));
      return both(Flow::Same);
    case Op::Xor:
      return both(Flow::Same);
    case Op::Shl:
      if (scalar && isConstant(operand(i, 1)))
        return use(operand(i, 0), 1, Flow::Down, constant(operand(i, 1)));
      return both(Flow::All);
    case Op::LShr:
      if (scalar && isConstant(operand(i, 1)))
        return use(operand(i, 0), 1, Flow::Up, constant(operand(i, 1)));
      return both(Flow::All);
    case Op::AShr:
      step.parameter = type.bits;
      if (scalar && isConstant(operand(i, 1)))
        return use(operand(i, 0), 1, Flow::UpSigned, constant(operand(i, 1)));
      return both(Flow::All);
    case Op::Trunc:
    case Op::ZExt:
    case Op::SExt:
      return fillExtension(i);
    case Op::BitCast:
      return use(operand(i, 0), image_.types[i.aux].words,
                 image_.types[i.aux].words == type.words ? Flow::Same : Flow::All);
    case Op::LoadVar:
      return use(operand(i, 0), words(i), Flow::Same);
    case Op::Select: {
      uint32_t traced = step.traced;
      step.address = place(i, 0, traced);
      bool vector = image_.types[i.aux].kind == fir::TypeKind::Vector;
      use(operand(i, 0), image_.types[i.aux].words, Flow::All, 0, Role::Condition);
      use(operand(i, 1), words(i), vector ? Flow::Same : Flow::Chosen, 1);
      return use(operand(i, 2), words(i), vector ? Flow::Same : Flow::Chosen, 0);
    }
    case Op::Extract:
      return use(operand(i, 0), uint32_t((i.imm + type.bytes + 7) / 8), Flow::Piece, i.imm);
    case Op::Insert: {
      uint32_t bytes = image_.types[i.aux].bytes;
      use(operand(i, 0), words(i), Flow::Around, i.imm, Role::Value, bytes);
      return use(operand(i, 1), image_.types[i.aux].words, Flow::Inside, i.imm, Role::Value, bytes);
    }
    case Op::Opaque:
      for (uint32_t k = 0; k < i.operandCount; ++k) use(operand(i, k), 1);
      return;
    default:
      fir::forEachValue(image_, i, [&](uint32_t k, uint32_t count) { use(operand(i, k), count); });
    }
  }

  void fillExtension(const fir::Instruction& i) {
    const fir::Type &type = image_.types[i.type], &from = image_.types[i.aux];
    bool simple = type.words == 1 && from.words == 1 && type.lanes == 1;
    if (!simple) return use(operand(i, 0), from.words);
    if (i.op == Op::SExt) return use(operand(i, 0), 1, Flow::ExtendSigned, from.bits);
    use(operand(i, 0), 1, Flow::Extend, std::min(from.bits, type.bits));
  }

  const ModuleCode& module_;
  const fir::Image& image_;
  SegmentCode& out_;
};

} // namespace

std::unique_ptr<SegmentCode> decodeSegment(const ModuleCode& module, uint32_t moduleNumber,
                                           const fir::Segment& segment) {
  auto code = std::make_unique<SegmentCode>();
  const fir::Image& image = *module.image;
  const fir::Function& function = image.functions[segment.function];
  const fir::Block& block = image.blocksOf(function)[segment.block];
  code->module = moduleNumber;
  code->function = segment.function;
  code->block = segment.block;
  code->firstId = module.idBase + segment.first;
  code->count = segment.count;
  code->beginsFunction = segment.first == function.firstInstruction;
  code->beginsBlock = segment.first == block.first;
  code->endsBlock = segment.last() == block.first + block.count - 1;
  Decoder decoder(module, *code);
  for (uint32_t k = 0; k < segment.count; ++k) decoder.add(image.instructions[segment.first + k]);
  code->predecessors.resize(code->uses.size(), fir::kNone);
  markWrittenBack(module, segment, *code);
  return code;
}

std::unique_ptr<FunctionCode> decodeFunction(const fir::Image& image, uint32_t moduleNumber,
                                             uint32_t number) {
  auto code = std::make_unique<FunctionCode>();
  const fir::Function& f = image.functions[number];
  code->module = moduleNumber;
  code->function = number;
  code->words = f.words;
  code->blocks = f.blockCount;
  for (const fir::Argument& a : image.argumentsOf(f))
    code->arguments.push_back({a.word, image.types[a.type].words});
  code->control = std::make_unique<fir::ControlDependence>(image, f);
  return code;
}

} // namespace faultline::depend
