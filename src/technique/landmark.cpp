#include "technique/landmark.h"

namespace faultline::technique {
namespace {

using depend::Executed;
using experiment::Counted;
using fir::Op;

constexpr int kFurthest = 64; // calls and branches to go up

bool returns(const fir::Image& image, const fir::Instruction& i) {
  auto kind = fir::CallKind(i.sub);
  return !(image.calls[i.aux].flags & fir::kNoReturn) && kind != fir::CallKind::SetJmp &&
         kind != fir::CallKind::LongJmp;
}

// It asks before it does anything, once, whatever its operands are.
bool asksBefore(const fir::Image& image, const fir::Instruction& i) {
  return i.op == Op::Store || i.op == Op::StoreVar || (i.op == Op::Call && returns(image, i));
}

bool isBranch(const fir::Instruction& i) { return i.op == Op::CondBr || i.op == Op::Switch; }

// What is done before or behind the instruction whenever that is.
std::optional<Counted> besides(const Executed& x) {
  const fir::Image& image = *x.image;
  const uint32_t base = x.id - x.local;
  const fir::Block& block = image.blocks[x.block];
  auto at = [&](uint32_t local) -> const fir::Instruction& { return image.instructions[local]; };
  for (uint32_t k = x.local; k-- > block.first;)
    if (asksBefore(image, at(k))) return Counted{base + k, FL_SLOT_BEFORE, false};
  for (uint32_t k = x.local + 1; k < block.first + block.count; ++k) {
    if (at(k).op == Op::Call && !returns(image, at(k))) break;
    if (asksBefore(image, at(k))) return Counted{base + k, FL_SLOT_BEFORE, true};
    if (isBranch(at(k))) return Counted{base + k, 0, true};
  }
  return std::nullopt;
}

std::optional<Counted> itself(const Executed& x) {
  const fir::Instruction& i = *x.instruction;
  if (asksBefore(*x.image, i)) return Counted{x.id, FL_SLOT_BEFORE, false};
  if (isBranch(i)) return Counted{x.id, 0, false};
  bool endsHere = i.op == Op::Call || i.op == Op::Ret || i.op == Op::Unreachable || i.op == Op::Trap;
  return endsHere ? std::nullopt : besides(x);
}

} // namespace

Result<std::optional<Counted>> landmarkOf(depend::Instances& instances, const depend::Question& failure,
                                          uint32_t thread, const std::function<bool(uint32_t id)>& isOwn) {
  FL_TRY(at, instances.underWay(failure.time, thread, failure.frame));
  int up = 0;
  std::optional<Executed> x;
  for (; at != depend::kNoInstance && up < kFurthest; ++up) {
    FL_TRY(executed, instances.at(at));
    x = executed;
    if (isOwn(executed.id)) break;
    FL_TRY(caller, instances.caller(at));
    at = caller;
  }
  if (at == depend::kNoInstance || !x) return std::optional<Counted>();
  if (auto counted = itself(*x)) return counted;
  // It only ever comes there to fail. What it was decided by tells whether the run came by.
  for (; at != depend::kNoInstance && up < kFurthest; ++up) {
    FL_TRY(control, instances.control(at));
    at = control;
    if (at == depend::kNoInstance) break;
    FL_TRY(decided, instances.at(at));
    if (isOwn(decided.id) && isBranch(*decided.instruction))
      return std::optional<Counted>({decided.id, 0, false});
  }
  return std::optional<Counted>();
}

} // namespace faultline::technique
