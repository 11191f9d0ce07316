#include "technique/changes/statement_steps.h"

#include "program/operands.h"
#include "program/variable_types.h"
#include "technique/changes/operations.h"
#include "technique/changes/proposals.h"

#include <algorithm>
#include <array>
#include <set>

namespace faultline::technique {

using experiment::Alteration;
using fir::Home;
using fir::kNone;
using fir::Op;
using fir::OperandKind;

namespace {

constexpr size_t kMostSteps = 64;
// Instructions that read or set the variables of one statement: as many as a process of its own has room for.
constexpr size_t kMostKeepers = 200;

bool isWord(const fir::Type& t) {
  using enum fir::TypeKind;
  return t.words == 1 && t.lanes == 1 &&
         (t.kind == Int || t.kind == Pointer || t.kind == Float || t.kind == Double);
}

bool isInteger(const fir::Type& t) {
  return isWord(t) && (t.kind == fir::TypeKind::Int || t.kind == fir::TypeKind::Pointer);
}

// A caller extends it, by its sign or not, which the type does not tell.
bool isNarrow(const fir::Type& t) { return t.kind == fir::TypeKind::Int && t.bits > 1 && t.bits < 32; }

uint32_t bitsOf(const fir::Type& t) { return t.kind == fir::TypeKind::Int ? t.bits : t.bytes * 8; }

// Divisions end the run where the statement is not meant to stand.
std::optional<uint32_t> harmlessOperationOf(const fir::Instruction& i) {
  if (i.op == Op::ICmp) return FL_OPERATION_COMPARE + i.sub;
  const bool divides = i.op == Op::UDiv || i.op == Op::SDiv || i.op == Op::URem || i.op == Op::SRem;
  return divides ? std::nullopt : operationOf(i.op);
}

bool hasEffect(Op op) {
  switch (op) {
  case Op::Store:
  case Op::StoreVar:
  case Op::Call:
  case Op::Copy:
  case Op::Fill:
  case Op::AtomicRMW:
  case Op::CmpXchg:
  case Op::AllocaDyn:
  case Op::StackRestore:
  case Op::VaStart:
  case Op::VaCopy:
  case Op::Opaque:
    return true;
  default:
    return false;
  }
}

// Made by the compiler: constructors and destructors, by their linker names.
bool isImplied(std::string_view name) {
  if (!name.starts_with("_Z")) return false;
  constexpr std::array kEndings{"C1E", "C2E", "D0E", "D1E", "D2E"};
  return std::ranges::any_of(kEndings, [&](const char* e) { return name.find(e) != name.npos; });
}

// The bits of a double are no number that a person writes as an argument.
bool mayBeFloat(uint64_t value) { return value >= uint64_t(1) << 48 && value < ~uint64_t(0) << 48; }

// The names stand behind the steps, and each is told where its own does.
std::string bytesOf(const MadeStatement& statement) {
  std::vector<fl_step> steps = statement.steps;
  steps.push_back({FL_STEP_END, 0, 0});
  for (fl_step& step : steps)
    if (step.kind == FL_STEP_SYMBOL && step.size) step.size += uint32_t(steps.size() * sizeof step) - 1;
  return std::string(reinterpret_cast<const char*>(steps.data()), steps.size() * sizeof(fl_step)) +
         statement.names;
}

} // namespace

// Makes one statement of `from` into one for `to`.
class StatementSteps::Maker {
public:
  Maker(StatementSteps& steps, uint32_t from, uint32_t to)
      : image_(steps.image_), facts_(steps.factsOf(from)), function_(image_.functions[from]),
        target_(image_.functions[to]), isSame_(from == to) {}

  std::optional<MadeStatement> made(uint32_t local) {
    const fir::Instruction& i = image_.instructions[local];
    const uint32_t block = blockOf(local);
    first_ = image_.blocks[block].first;
    if (!root(i, local) || out_.steps.size() > kMostSteps || out_.kept.size() > FL_MOST_VARIABLES) return {};
    // What happens in the middle of it is not its own.
    for (uint32_t k = *used_.begin(); k <= local; ++k) {
      if (!hasEffect(image_.instructions[k].op)) continue;
      if (!used_.contains(k)) return {};
      out_.done.push_back(k);
    }
    return std::move(out_);
  }

  std::optional<MadeStatement> assigned(const fir::Variable& target, With with, const fir::Variable* other,
                                        uint32_t bytes) {
    if (target.home == Home::Frame) frame(target);
    const bool adds = with == With::Increment || with == With::Decrement;
    if (adds) read(target, bytes);
    if (other)
      read(*other, with == With::Pointee ? sizeof(uint64_t) : bytes);
    else
      push(FL_STEP_NUMBER, 0, with == With::Zero ? 0 : with == With::Decrement ? maskOf(bytes * 8) : 1);
    if (with == With::Pointee) push(FL_STEP_LOAD, bytes, 0);
    if (adds) push(FL_STEP_COMPUTE, bytes * 8, FL_OPERATION_ADD);
    set(target, bytes);
    return std::move(out_);
  }

private:
  void push(uint32_t kind, uint32_t size, uint64_t number) { out_.steps.push_back({kind, size, number}); }

  uint32_t blockOf(uint32_t local) const {
    for (uint32_t b = function_.firstBlock; b < function_.firstBlock + function_.blockCount; ++b)
      if (local - image_.blocks[b].first < image_.blocks[b].count) return b;
    return function_.firstBlock;
  }

  bool root(const fir::Instruction& i, uint32_t local) {
    used_.insert(local);
    const auto operands = image_.operandsOf(i);
    if (i.op == Op::Call) {
      out_.kind = MadeStatement::Call;
      return call(i);
    }
    out_.kind = MadeStatement::Assignment;
    const fir::Variable* own = variableOf(i);
    if (own) {
      const fir::Variable* target = here(*own);
      const uint32_t bytes = image_.types[i.type].bytes;
      if (!target) return false;
      if (target->home == Home::Frame) frame(*target);
      return value(operands[1]) && (set(*target, bytes), true);
    }
    if (i.op != Op::Store || !value(operands[0]) || !value(operands[1])) return false;
    push(FL_STEP_STORE, uint32_t(i.imm), 0);
    return true;
  }

  const fir::Variable* variableOf(const fir::Instruction& i) const { return facts_.variableOf(image_, i); }

  // The variable of the other function that stands for this one.
  const fir::Variable* here(const fir::Variable& own) const {
    if (isSame_) return own.home == Home::Word || own.home == Home::Frame ? &own : nullptr;
    for (const fir::Variable& v : image_.variables.subspan(target_.firstVariable, target_.variableCount))
      if ((v.home == Home::Word || v.home == Home::Frame) && v.instruction != kNone &&
          image_.string(v.name) == image_.string(own.name) && fir::areAlike(image_, v, own))
        return &v;
    return nullptr;
  }

  void use(const fir::Variable& v) {
    if (std::ranges::find(out_.uses, &v) == out_.uses.end()) out_.uses.push_back(&v);
  }

  uint32_t numberOf(const fir::Variable& v) {
    auto known = std::ranges::find(out_.kept, &v);
    if (known == out_.kept.end()) known = out_.kept.insert(known, &v);
    return uint32_t(known - out_.kept.begin());
  }

  void frame(const fir::Variable& v) {
    use(v);
    push(FL_STEP_FRAME, 0, v.offset);
  }

  void read(const fir::Variable& v, uint32_t bytes) {
    if (v.home == Home::Frame) {
      frame(v);
      return push(FL_STEP_LOAD, bytes, 0);
    }
    use(v);
    push(FL_STEP_VARIABLE, 0, numberOf(v));
  }

  // The address of one on the frame was pushed before the value.
  void set(const fir::Variable& v, uint32_t bytes) {
    use(v);
    out_.variable = &v;
    if (v.home == Home::Frame) return push(FL_STEP_STORE, bytes, 0);
    push(FL_STEP_ASSIGN, 0, numberOf(v));
  }

  bool value(fir::Operand o) {
    if (out_.steps.size() > kMostSteps) return false;
    if (fir::operandKind(o) == OperandKind::Constant) return constant(image_.constants[fir::operandIndex(o)]);
    if (fir::operandKind(o) != OperandKind::Word) return false;
    const uint32_t local = facts_.definitions[fir::operandIndex(o)];
    if (local == kNone) return false;
    const fir::Instruction& i = image_.instructions[local];
    if (i.op == Op::Alloca) return addressOf(local);
    if (local < first_) return false; // of another block: it may not have been computed
    used_.insert(local);
    return computed(i);
  }

  bool constant(const fir::Constant& c) {
    if (c.wide != kNone) return false;
    if (c.symbol == kNone) return push(FL_STEP_NUMBER, 0, c.value), true;
    if (image_.symbols[c.symbol].flags & (fir::kThreadLocal | fir::kBlockAddress)) return false;
    const fir::Symbol& symbol = image_.symbols[c.symbol];
    const bool isElsewhere = (symbol.flags & fir::kFunction) && symbol.function == kNone;
    push(FL_STEP_SYMBOL, isElsewhere ? nameOf(symbol) : 0, c.symbol);
    if (c.value) add(c.value);
    return true;
  }

  // Its place among the names, from 1 on.
  uint32_t nameOf(const fir::Symbol& symbol) {
    const auto at = uint32_t(out_.names.size());
    out_.names.append(image_.string(symbol.name)).push_back('\0');
    return at + 1;
  }

  void add(uint64_t number) {
    push(FL_STEP_NUMBER, 0, number);
    push(FL_STEP_COMPUTE, 64, FL_OPERATION_ADD);
  }

  bool addressOf(uint32_t alloca) {
    auto known = facts_.byAlloca.find(alloca);
    const fir::Variable* v = known == facts_.byAlloca.end() ? nullptr : here(*known->second);
    if (!v || v->home != Home::Frame) return false;
    frame(*v);
    return true;
  }

  bool computed(const fir::Instruction& i) {
    const auto operands = image_.operandsOf(i);
    const fir::Type& type = image_.types[i.type];
    switch (i.op) {
    case Op::LoadVar:
    case Op::Load:
      return isWord(type) && loaded(i);
    case Op::Gep:
      return address(i);
    case Op::Trunc:
      if (!isInteger(type) || !isWord(image_.types[i.aux]) || !value(operands[0])) return false;
      push(FL_STEP_NUMBER, 0, maskOf(bitsOf(type)));
      push(FL_STEP_COMPUTE, 64, FL_OPERATION_AND);
      return true;
    case Op::ZExt: // a word is zero-extended already
      return isInteger(type) && isInteger(image_.types[i.aux]) && value(operands[0]);
    case Op::SExt:
      return isInteger(type) && isInteger(image_.types[i.aux]) && value(operands[0]) &&
             (extend(bitsOf(image_.types[i.aux]), bitsOf(type)), true);
    case Op::BitCast:
      return isInteger(type) && isInteger(image_.types[i.aux]) && value(operands[0]);
    case Op::Call:
      return isInteger(type) && call(i);
    default: {
      auto operation = harmlessOperationOf(i);
      if (!operation || !isInteger(type) || !value(operands[0]) || !value(operands[1])) return false;
      push(FL_STEP_COMPUTE, bitsOf(type), *operation);
      return true;
    }
    }
  }

  bool loaded(const fir::Instruction& i) {
    if (const fir::Variable* own = variableOf(i)) {
      const fir::Variable* v = here(*own);
      if (v) read(*v, image_.types[i.type].bytes);
      return v != nullptr;
    }
    if (i.op == Op::LoadVar || !value(image_.operandsOf(i)[0])) return false;
    push(FL_STEP_LOAD, uint32_t(i.imm), 0);
    return true;
  }

  void extend(uint32_t from, uint32_t to) {
    push(FL_STEP_NUMBER, 0, 0);
    push(FL_STEP_COMPUTE, from, FL_OPERATION_SEXT);
    if (to >= 64) return;
    push(FL_STEP_NUMBER, 0, maskOf(to));
    push(FL_STEP_COMPUTE, 64, FL_OPERATION_AND);
  }

  bool address(const fir::Instruction& gep) {
    const auto operands = image_.operandsOf(gep);
    if (image_.types[gep.type].lanes != 1 || !value(operands[0])) return false;
    for (size_t k = 1; k + 2 < operands.size(); k += 3) {
      if (!value(operands[k])) return false;
      extend(fir::operandIndex(operands[k + 2]), 64);
      if (!value(operands[k + 1])) return false;
      push(FL_STEP_COMPUTE, 64, FL_OPERATION_MUL);
      push(FL_STEP_COMPUTE, 64, FL_OPERATION_ADD);
    }
    if (gep.imm) add(gep.imm);
    return true;
  }

  bool call(const fir::Instruction& i) {
    const auto operands = image_.operandsOf(i);
    const fir::CallInfo& info = image_.calls[i.aux];
    const auto kind = fir::CallKind(i.sub);
    if (kind == fir::CallKind::SetJmp || kind == fir::CallKind::LongJmp || (info.flags & fir::kNoReturn))
      return false;
    if (operands.size() > 1 + FL_MOST_ARGUMENTS || !areWords(info)) return false;
    if (info.symbol != kNone && isImplied(image_.string(image_.symbols[info.symbol].name))) return false;
    if (!value(operands[0])) return false;
    for (fir::Operand o : operands.subspan(1))
      if (!isArgument(o) || !value(o)) return false;
    const fir::Type& type = image_.types[i.type];
    const bool isVoid = type.kind == fir::TypeKind::Void;
    if (!isVoid && !isInteger(type)) return false;
    push(FL_STEP_CALL, isVoid ? 64 : bitsOf(type), operands.size() - 1);
    return true;
  }

  // Whether the function called takes its arguments in registers, no floats among them.
  bool areWords(const fir::CallInfo& info) const {
    if (info.symbol == kNone) return true;
    const uint32_t function = image_.symbols[info.symbol].function;
    if (function >= image_.functions.size()) return true;
    return std::ranges::all_of(image_.argumentsOf(image_.functions[function]), [&](const fir::Argument& a) {
      return a.byValueSize == 0 && isInteger(image_.types[a.type]) && !isNarrow(image_.types[a.type]);
    });
  }

  bool isArgument(fir::Operand o) const {
    if (fir::operandKind(o) == OperandKind::Constant) {
      const fir::Constant& c = image_.constants[fir::operandIndex(o)];
      return c.symbol != kNone || !mayBeFloat(c.value);
    }
    if (fir::operandKind(o) != OperandKind::Word) return false;
    const uint32_t local = facts_.definitions[fir::operandIndex(o)];
    if (local == kNone) return false;
    const fir::Instruction& i = image_.instructions[local];
    return i.op == Op::ICmp || (isInteger(image_.types[i.type]) && !isNarrow(image_.types[i.type]));
  }

  const fir::Image& image_;
  const Facts& facts_;
  const fir::Function &function_, &target_;
  const bool isSame_;
  uint32_t first_ = 0;      // instruction of the block
  std::set<uint32_t> used_; // instructions
  MadeStatement out_;
};

const StatementSteps::Facts& StatementSteps::factsOf(uint32_t function) {
  std::unique_ptr<Facts>& known = facts_[function];
  if (known) return *known;
  known = std::make_unique<Facts>();
  Facts& facts = *known;
  const fir::Function& f = image_.functions[function];
  facts.definitions.assign(f.words, kNone);
  facts.isUsed.assign(f.words, false);
  facts.variables.assign(f.words, nullptr);
  std::set<uint32_t> several;
  for (uint32_t k = f.firstInstruction; k < f.firstInstruction + f.instructionCount; ++k) {
    const fir::Instruction& i = image_.instructions[k];
    facts.hasDynamic |= i.op == Op::AllocaDyn;
    fir::forEachValue(image_, i, [&](uint32_t number, uint32_t) {
      const fir::Operand o = image_.operandsOf(i)[number];
      if (fir::operandKind(o) == OperandKind::Word) facts.isUsed[fir::operandIndex(o)] = true;
    });
    if (i.dst == kNone || i.dst >= f.words || i.op == Op::StoreVar) continue;
    if (facts.definitions[i.dst] != kNone) several.insert(i.dst);
    facts.definitions[i.dst] = k;
  }
  for (uint32_t word : several) facts.definitions[word] = kNone;
  for (const fir::Variable& v : image_.variables.subspan(f.firstVariable, f.variableCount)) {
    if (image_.string(v.name).empty()) continue;
    if (v.home == Home::Word && v.word < f.words) facts.variables[v.word] = &v;
    if (v.home == Home::Frame) facts.byAlloca[v.instruction] = &v;
  }
  return facts;
}

bool StatementSteps::isPossible(const Facts& facts, const fir::Instruction& i) const {
  const fir::Type& type = image_.types[i.type];
  if (i.location == 0) return false;
  if (i.op == Op::Store || i.op == Op::StoreVar) return isWord(type);
  return i.op == Op::Call && (i.dst >= facts.isUsed.size() || !facts.isUsed[i.dst]);
}

std::vector<uint32_t> StatementSteps::statementsOf(uint32_t function) {
  const fir::Function& f = image_.functions[function];
  const Facts& facts = factsOf(function);
  std::vector<uint32_t> out;
  for (uint32_t k = f.firstInstruction; k < f.firstInstruction + f.instructionCount; ++k)
    if (isPossible(facts, image_.instructions[k])) out.push_back(k);
  return out;
}

const fir::Variable* StatementSteps::Facts::variableOf(const fir::Image& image,
                                                       const fir::Instruction& i) const {
  const fir::Operand o = image.operandsOf(i)[0];
  if (fir::operandKind(o) != OperandKind::Word) return nullptr;
  const uint32_t word = fir::operandIndex(o);
  if (i.op == Op::LoadVar || i.op == Op::StoreVar) return variables[word];
  auto known = byAlloca.find(definitions[word]);
  return known == byAlloca.end() ? nullptr : known->second;
}

const fir::Variable* StatementSteps::variableAt(uint32_t function, uint32_t local) {
  return factsOf(function).variableOf(image_, image_.instructions[local]);
}

bool StatementSteps::readsNameless(uint32_t function, uint32_t local) {
  const fir::Instruction& i = image_.instructions[local];
  if ((i.op != Op::Load && i.op != Op::LoadVar) || variableAt(function, local)) return false;
  if (i.op == Op::LoadVar) return true;
  const fir::Operand o = image_.operandsOf(i)[0];
  if (fir::operandKind(o) != OperandKind::Word) return false;
  const uint32_t made = factsOf(function).definitions[fir::operandIndex(o)];
  return made != kNone && image_.instructions[made].op == Op::Alloca;
}

void StatementSteps::findTarget(uint32_t function, uint32_t local, uint32_t& field, uint32_t& symbol) {
  const fir::Operand o = image_.operandsOf(image_.instructions[local])[0];
  if (fir::operandKind(o) == OperandKind::Constant) {
    symbol = image_.constants[fir::operandIndex(o)].symbol;
    return;
  }
  if (fir::operandKind(o) != OperandKind::Word) return;
  const uint32_t made = factsOf(function).definitions[fir::operandIndex(o)];
  if (made == kNone || image_.instructions[made].op != Op::Gep) return;
  if (uint32_t path = image_.instructions[made].aux) field = image_.fieldPaths[path - 1].field;
}

std::optional<MadeStatement> StatementSteps::copy(uint32_t from, uint32_t local, uint32_t to) {
  auto out = Maker(*this, from, to).made(local);
  if (!out) return out;
  if (!out->uses.empty() && factsOf(to).hasDynamic) return std::nullopt;
  if (out->kind == MadeStatement::Assignment && !out->variable)
    findTarget(from, local, out->field, out->symbol);
  return out;
}

std::optional<MadeStatement> StatementSteps::assign(uint32_t to, const fir::Variable& target, With with,
                                                    const fir::Variable* other) {
  const uint32_t plain = fir::plainType(image_, target.debugType);
  if (plain == kNone || plain >= image_.debugTypes.size()) return std::nullopt;
  const uint64_t bytes = image_.debugTypes[plain].bytes;
  if (bytes == 0 || bytes > 8 || factsOf(to).hasDynamic) return std::nullopt;
  auto out = Maker(*this, to, to).assigned(target, with, other, uint32_t(bytes));
  if (out) out->kind = MadeStatement::Assignment;
  return out;
}

std::vector<Alteration> StatementSteps::alterations(const MadeStatement& statement,
                                                    const Where& where) const {
  const Op at = image_.instructions[where.place].op;
  const bool asksOften = at == Op::Call || at == Op::Store || at == Op::StoreVar;
  std::vector<Alteration> out;
  auto add = [&](Alteration::Kind kind, uint32_t local) -> Alteration& {
    out.push_back({.kind = kind, .epoch = where.epoch, .instruction = where.base + local});
    out.back().each = true;
    return out.back();
  };
  Alteration& made = add(Alteration::Statement, where.place);
  made.bytes = bytesOf(statement);
  made.slot = asksOften ? FL_SLOT_BEFORE : 0;
  for (uint32_t local : where.skipped) add(Alteration::Skip, local);
  const fir::Function& f = image_.functions[where.function];
  for (uint32_t k = f.firstInstruction; k < f.firstInstruction + f.instructionCount; ++k) {
    const fir::Instruction& i = image_.instructions[k];
    if (i.op != Op::LoadVar && i.op != Op::StoreVar) continue;
    if (std::ranges::find(where.skipped, k) != where.skipped.end()) continue;
    const uint32_t word = fir::operandIndex(image_.operandsOf(i)[0]);
    auto v = std::ranges::find(statement.kept, word, [](const fir::Variable* kept) { return kept->word; });
    if (v == statement.kept.end()) continue;
    Alteration& keep = add(Alteration::Variable, k);
    keep.address = uint64_t(v - statement.kept.begin());
    keep.value = i.op == Op::StoreVar;
  }
  if (out.size() > kMostKeepers) out.clear();
  return out;
}

} // namespace faultline::technique
