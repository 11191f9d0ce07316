#include "replay/fp_ops.h"
#include "replay/handler_macros.h"

#include <emmintrin.h>

namespace faultline::replay {

using fir::Op;
using fir::TypeKind;

namespace {

template <Mode M, class From, class To> FL_HANDLER signExtendTo(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = std::make_unsigned_t<To>(To(From(w[ip->a])));
  FL_NEXT(M);
}
template <Mode M> FL_HANDLER truncateTo(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = w[ip->a] & ip->imm;
  FL_NEXT(M);
}
template <Mode M, class From, class To> FL_HANDLER toFp(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = fpToBits<To>(To(From(w[ip->a])));
  FL_NEXT(M);
}
template <Mode M, class From, class To> FL_HANDLER convert(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = fpToBits<To>(To(fpFromBits<From>(w[ip->a])));
  FL_NEXT(M);
}
inline int32_t truncated32(float a) { return _mm_cvttss_si32(_mm_set_ss(a)); }
inline int32_t truncated32(double a) { return _mm_cvttsd_si32(_mm_set_sd(a)); }
inline int64_t truncated64(float a) { return _mm_cvttss_si64(_mm_set_ss(a)); }
inline int64_t truncated64(double a) { return _mm_cvttsd_si64(_mm_set_sd(a)); }
template <Mode M, class From> FL_HANDLER toInt32(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = uint32_t(truncated32(fpFromBits<From>(w[ip->a])));
  FL_NEXT(M);
}
template <Mode M, class From> FL_HANDLER toInt64(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = uint64_t(truncated64(fpFromBits<From>(w[ip->a])));
  FL_NEXT(M);
}
template <Mode M, bool Constant> FL_HANDLER move(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = Constant ? ip->imm : w[ip->a];
  FL_NEXT(M);
}
template <Mode M> FL_HANDLER select(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = w[ip->a] & 1 ? w[ip->b] : w[ip->n];
  FL_NEXT(M);
}
template <Mode M> FL_HANDLER frameAddress(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = m->frame->base + ip->imm;
  FL_NEXT(M);
}

template <Mode M> Handler signExtension(unsigned from, unsigned to) {
  if (from == 8)
    return to == 16   ? signExtendTo<M, int8_t, int16_t>
           : to == 32 ? signExtendTo<M, int8_t, int32_t>
           : to == 64 ? signExtendTo<M, int8_t, int64_t>
                      : nullptr;
  if (from == 16)
    return to == 32   ? signExtendTo<M, int16_t, int32_t>
           : to == 64 ? signExtendTo<M, int16_t, int64_t>
                      : nullptr;
  if (from == 32) return to == 64 ? signExtendTo<M, int32_t, int64_t> : nullptr;
  return nullptr;
}

template <Mode M, class Fp> Handler fromInt(bool isSigned, unsigned bits) {
  if (bits == 64) return isSigned ? toFp<M, int64_t, Fp> : toFp<M, uint64_t, Fp>;
  if (bits == 32) return isSigned ? toFp<M, int32_t, Fp> : toFp<M, uint32_t, Fp>;
  return nullptr;
}

} // namespace

Handler castHandler(Mode mode, Op op, const fir::Type& from, const fir::Type& to) {
  if (from.words != 1 || to.words != 1 || from.kind == TypeKind::Vector || to.kind == TypeKind::Vector ||
      from.kind == TypeKind::Aggregate || to.kind == TypeKind::Aggregate)
    return nullptr;
  return withMode(mode, [&]<Mode M>() -> Handler {
    switch (op) {
    case Op::SExt:
      return signExtension<M>(from.bits, to.bits);
    case Op::Trunc:
      return truncateTo<M>;
    case Op::ZExt:
    case Op::BitCast:
      return move<M, false>;
    case Op::UIToFP:
    case Op::SIToFP:
      if (to.kind == TypeKind::Float) return fromInt<M, float>(op == Op::SIToFP, from.bits);
      if (to.kind == TypeKind::Double) return fromInt<M, double>(op == Op::SIToFP, from.bits);
      return nullptr;
    case Op::FPToSI:
      if (to.bits == 32 && from.kind == TypeKind::Float) return toInt32<M, float>;
      if (to.bits == 32 && from.kind == TypeKind::Double) return toInt32<M, double>;
      if (to.bits == 64 && from.kind == TypeKind::Float) return toInt64<M, float>;
      if (to.bits == 64 && from.kind == TypeKind::Double) return toInt64<M, double>;
      return nullptr;
    case Op::FPTrunc:
      return from.kind == TypeKind::Double && to.kind == TypeKind::Float ? convert<M, double, float>
                                                                         : nullptr;
    case Op::FPExt:
      return from.kind == TypeKind::Float && to.kind == TypeKind::Double ? convert<M, float, double>
                                                                         : nullptr;
    default:
      return nullptr;
    }
  });
}

Handler moveHandler(Mode mode, bool constant) {
  return withMode(mode, [&]<Mode M>() -> Handler { return constant ? move<M, true> : move<M, false>; });
}
Handler selectHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return select<M>; });
}
Handler allocaHandler(Mode mode) {
  return withMode(mode, []<Mode M>() -> Handler { return frameAddress<M>; });
}

} // namespace faultline::replay
