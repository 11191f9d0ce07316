#include "technique/instance_text.h"

#include "finding/describe_stop.h"
#include "replay/call_view.h"
#include "replay/symbol_name.h"
#include "replay/value_text.h"
#include "replay/variables.h"

namespace faultline::technique {

using fir::Op;
using replay::FrameView;
using replay::Replay;

namespace {

// Of a condition that spans lines, the branch stands in the first one; what it tests, where that is written.
uint32_t conditionOf(const fir::Image& image, uint32_t local) {
  const fir::Instruction& branch = image.instructions[local];
  if (branch.op != Op::CondBr) return local;
  fir::Operand condition = image.operandsOf(branch)[0];
  if (fir::operandKind(condition) != fir::OperandKind::Word || local == 0) return local;
  const fir::Instruction& test = image.instructions[local - 1];
  bool isIt = test.dst == fir::operandIndex(condition) && (test.op == Op::ICmp || test.op == Op::FCmp);
  if (!isIt || !test.location || !branch.location) return local;
  const fir::Location &at = image.locations[test.location], &from = image.locations[branch.location];
  return at.file == from.file && at.line > from.line ? local - 1 : local;
}

} // namespace

finding::Place placeOf(depend::RunCode& code, uint32_t id, std::string_view workingDirectory) {
  depend::RunCode::Where at = code.where(id);
  if (!at) return {};
  FrameView frame;
  frame.image = at.module->image;
  frame.function = at.function;
  frame.instruction = conditionOf(*at.module->image, at.local);
  return finding::placeOf(frame, workingDirectory);
}

namespace {

class Describer {
public:
  explicit Describer(Replay& replay) : replay_(replay) {
    context_.memory = &replay.memoryView();
    context_.symbols = &replay.symbolView();
    context_.limits = {.depth = 2, .elements = 8, .text = 40, .total = 80};
  }

  InstanceText describe(uint32_t id) {
    std::vector<FrameView> frames = replay_.frames();
    if (frames.empty()) return {};
    const FrameView& frame = frames[0];
    const replay::LoadedModule& module = *replay_.program().modules()[frame.module];
    if (module.base + frame.instruction != id) return {};
    const fir::Instruction& i = frame.image->instructions[frame.instruction];
    switch (i.op) {
    case Op::StoreVar:
      return assignedVariable(frame, i);
    case Op::Store:
      return assignedMemory(frame, i);
    case Op::Load:
      return readMemory(frame, i);
    case Op::LoadVar:
      return readVariable(frame, i);
    case Op::CondBr:
    case Op::Switch:
      return tested(frame, i);
    case Op::Ret:
      return returned(frame, i);
    case Op::Call:
      return called(frame, i);
    default:
      return {};
    }
  }

private:
  std::string text(const replay::ValuePlace& place) const { return replay::valueText(place, context_); }

  // The frame once the instruction is executed; nothing if that has left it.
  bool step() {
    replay::Observer nobody;
    uint64_t next = replay_.now() + 1;
    return bool(replay_.observe(nobody, next)) && replay_.now() == next && !replay_.frames().empty();
  }

  InstanceText assignedVariable(const FrameView& frame, const fir::Instruction& i) {
    uint32_t word = fir::operandIndex(frame.image->operandsOf(i)[0]);
    for (const fir::Variable& v : replay::variablesOf(frame)) {
      if (v.home != fir::Home::Word || v.word != word) continue;
      if (!step()) return {InstanceText::Assigns};
      replay::FrameVariable after = replay::describeVariable(replay_.frames()[0], v, replay_.memoryView());
      return {InstanceText::Assigns,
              finding::Value{after.name, replay::typeName(after.place.type), text(after.place)}};
    }
    return {};
  }

  InstanceText assignedMemory(const FrameView& frame, const fir::Instruction& i) {
    std::span<const fir::Operand> operands = frame.image->operandsOf(i);
    auto access = replay::sourceAccess(frame, operands[0]);
    auto address = replay::operandValue(frame, replay_.symbolView(), operands[0]);
    if (!access || !address || !access->type.get()) return {InstanceText::Assigns};
    if (!step()) return {InstanceText::Assigns};
    replay::ValuePlace place = replay::placeInMemory(access->type, *address);
    return {InstanceText::Assigns, finding::Value{access->text, replay::typeName(place.type), text(place)}};
  }

  InstanceText readMemory(const FrameView& frame, const fir::Instruction& i) {
    fir::Operand from = frame.image->operandsOf(i)[0];
    auto access = replay::sourceAccess(frame, from);
    auto address = replay::operandValue(frame, replay_.symbolView(), from);
    if (!access || !address || !access->type.get()) return {InstanceText::Reads};
    replay::ValuePlace place = replay::placeInMemory(access->type, *address);
    return {InstanceText::Reads, finding::Value{access->text, replay::typeName(place.type), text(place)}};
  }

  InstanceText readVariable(const FrameView& frame, const fir::Instruction& i) {
    uint32_t word = fir::operandIndex(frame.image->operandsOf(i)[0]);
    for (const fir::Variable& v : replay::variablesOf(frame)) {
      if (v.home != fir::Home::Word || v.word != word) continue;
      replay::FrameVariable now = replay::describeVariable(frame, v, replay_.memoryView());
      return {InstanceText::Reads,
              finding::Value{now.name, replay::typeName(now.place.type), text(now.place)}};
    }
    return {InstanceText::Reads};
  }

  InstanceText tested(const FrameView& frame, const fir::Instruction& i) {
    fir::Operand operand = frame.image->operandsOf(i)[0];
    auto condition = replay::sourceValue(frame, operand);
    auto value = replay::operandValue(frame, replay_.symbolView(), operand);
    if (!value) return {InstanceText::Tests};
    std::string name = condition ? condition->text : finding::kUnnamedCondition;
    if (i.op == Op::CondBr)
      return {InstanceText::Tests,
              finding::Value{name, "", *value & 1 ? "true" : "false", decidedBy(frame, operand, *value & 1)}};
    std::string number = condition && condition->type.get() ? text(inWords(condition->type, *value))
                                                            : std::to_string(int64_t(*value));
    return {InstanceText::Tests, finding::Value{name, "", number}};
  }

  // The values of both sides of the comparison, where they are news: `n == 3 is true` says what n is, and
  // where something lies matters to nobody.
  std::string decidedBy(const FrameView& frame, fir::Operand condition, bool isTrue) {
    const fir::Image& image = *frame.image;
    if (frame.instruction == 0 || fir::operandKind(condition) != fir::OperandKind::Word) return "";
    const fir::Instruction& test = image.instructions[frame.instruction - 1];
    bool isComparison = test.op == Op::ICmp || test.op == Op::FCmp;
    if (!isComparison || test.dst != fir::operandIndex(condition)) return "";
    constexpr uint8_t kEqual = 32, kUnequal = 33; // of llvm::CmpInst::Predicate
    bool isSaid = test.op == Op::ICmp && (test.sub == kEqual ? isTrue : test.sub == kUnequal && !isTrue);
    std::string out;
    for (fir::Operand side : image.operandsOf(test)) {
      if (fir::operandKind(side) != fir::OperandKind::Word) continue;
      auto value = operandText(frame, side, test.type);
      if (!value || value->name.empty() || value->text.starts_with("0x") || isSaid) continue;
      out += (out.empty() ? "" : ", ") + value->name + " = " + value->text;
    }
    return out;
  }

  InstanceText returned(const FrameView& frame, const fir::Instruction& i) {
    if (i.operandCount == 0) return {InstanceText::Returns};
    fir::Operand operand = frame.image->operandsOf(i)[0];
    return {InstanceText::Returns, operandText(frame, operand, i.type)};
  }

  InstanceText called(const FrameView& frame, const fir::Instruction& i) {
    InstanceText out{InstanceText::Calls};
    auto call = replay::CallView::of(frame, replay_.memoryView(), replay_.symbolView());
    if (call) out.callee = call->shownName();
    for (fir::Operand operand : frame.image->operandsOf(i).subspan(1))
      if (auto value = operandText(frame, operand, fir::kNone)) out.arguments.push_back(*value);
    return out;
  }

  replay::ValuePlace inWords(replay::TypeRef type, uint64_t value) const {
    uint64_t words[2] = {value, 0};
    return replay::placeInWords(type, words);
  }

  std::optional<finding::Value> operandText(const FrameView& frame, fir::Operand operand,
                                            uint32_t type) const {
    auto value = replay::operandValue(frame, replay_.symbolView(), operand);
    if (!value) return std::nullopt;
    auto source = replay::sourceValue(frame, operand);
    if (source && source->type.get() && replay::sizeOf(source->type) <= 8)
      return finding::Value{source->text, replay::typeName(source->type),
                            text(inWords(source->type, *value))};
    bool wide = type != fir::kNone && frame.image->types[type].words > 1;
    if (wide) return std::nullopt;
    bool pointer = type != fir::kNone && frame.image->types[type].kind == fir::TypeKind::Pointer;
    uint64_t bits = type == fir::kNone ? 64 : frame.image->types[type].bits;
    int64_t number = bits && bits < 64 ? int64_t(*value << (64 - bits)) >> (64 - bits) : int64_t(*value);
    return finding::Value{source ? source->text : "", "",
                          pointer ? fmt::format("{:#x}", *value) : std::to_string(number)};
  }

  Replay& replay_;
  replay::ValueContext context_;
};

} // namespace

Result<InstanceText> describeInstance(Replay& replay, uint64_t time, uint32_t id) {
  // Values of temporaries are there if what made them was executed in plain form, instruction by instruction.
  constexpr uint64_t kBefore = 200;
  FL_CHECK(replay.seek(time > kBefore ? time - kBefore : 0));
  replay::Observer nobody;
  FL_CHECK(replay.observe(nobody, time));
  return Describer(replay).describe(id);
}

} // namespace faultline::technique
