#include "replay/fp_ops.h"
#include "replay/int_ops.h"
#include "replay/machine.h"
#include "replay/operations.h"

#include <algorithm>

namespace faultline::replay {

using fir::Intrinsic;

// auxType is the type of the first operand, `type` that of the result: the same, but {T, i1} for the
// overflow intrinsics and i1 for IsFPClass.
bool runIntrinsic(Machine& m, const Operation& op, uint64_t* w) {
  auto which = Intrinsic(op.instruction->sub);
  const fir::Image& image = *op.function->module->image;
  const fir::Type& from = *op.auxType;
  const fir::Type& element = from.kind == fir::TypeKind::Vector ? image.types[from.element] : from;
  unsigned bits = element.bits;
  auto operand = [&](size_t k, uint32_t lane) -> U128 {
    if (k >= op.sources.size()) return 0;
    bool scalar =
        k > 0 && (which == Intrinsic::Abs || which == Intrinsic::CtLz || which == Intrinsic::CtTz ||
                  which == Intrinsic::IsFPClass || which == Intrinsic::PtrMask || which == Intrinsic::Expect);
    return scalar ? U128(op.sources[k].value(w)) : getLane(op.sources[k].at(w), bits, lane);
  };
  m.scratch.assign(std::max({op.dstWords, 2 * from.words + 2, op.type->words}), 0);
  uint64_t* out = m.scratch.data();
  // {<n x T>, <n x i1>}: the flags come behind the values, where the struct has them.
  uint64_t flagsAt = op.type->words && from.words ? std::max<uint64_t>(from.bytes, 1) : 1;
  for (uint32_t lane = 0; lane < from.lanes; ++lane) {
    U128 a = operand(0, lane), b = operand(1, lane), c = operand(2, lane);
    if (which == Intrinsic::IsFPClass) {
      setLane(out, 1, lane, isFpClass(element.kind, a, uint32_t(b)));
    } else if (isFp(element.kind)) {
      setLane(out, bits, lane, isFpIntrinsic(which) ? computeFpIntrinsic(which, element.kind, a, b, c) : a);
    } else {
      bool overflow = false;
      U128 value = computeIntIntrinsic(which, bits, a, b, c, overflow);
      setLane(out, bits, lane, value & maskBits(bits));
      if (isOverflowIntrinsic(which)) {
        uint8_t& byte = reinterpret_cast<uint8_t*>(out)[flagsAt + lane / 8];
        byte = uint8_t(byte | unsigned(overflow) << (lane % 8));
      }
    }
  }
  writeResult(op, w, out);
  return true;
}

} // namespace faultline::replay
