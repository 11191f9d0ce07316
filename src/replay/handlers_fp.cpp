#include "replay/fp_ops.h"
#include "replay/handler_macros.h"

namespace faultline::replay {

using fir::Op;
using fir::TypeKind;

namespace {

template <Mode M, Op O, class T, Kinds K> FL_HANDLER binary(FL_HANDLER_PARAMETERS) {
  T a = fpFromBits<T>(first<K>(ip, w)), b = fpFromBits<T>(second<K>(ip, w));
  w[ip->dst] = fpToBits<T>(computeSse<T, O>(a, b));
  FL_NEXT(M);
}

template <Mode M, uint8_t P, class T, Kinds K> FL_HANDLER compare(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = comparePredicate<P, T>(fpFromBits<T>(first<K>(ip, w)), fpFromBits<T>(second<K>(ip, w)));
  FL_NEXT(M);
}

template <uint8_t P, class T, Kinds K> FL_HANDLER compareBranch(FL_HANDLER_PARAMETERS) {
  T a = fpFromBits<T>(w[ip->a]);
  T b = fpFromBits<T>(K == Kinds::WordConstant ? ip->imm : w[ip->imm]);
  steps += ip->n;
  if (comparePredicate<P, T>(a, b)) {
    ip = jump(ip, ip->dst);
    FL_DISPATCH(Mode::Fast);
  }
  ip = jump(ip, ip->b);
  FL_DISPATCH(Mode::Fast);
}

template <class F> Handler withFp(TypeKind kind, F&& f) {
  if (kind == TypeKind::Float) return f.template operator()<float>();
  if (kind == TypeKind::Double) return f.template operator()<double>();
  return nullptr;
}
template <class F> Handler withPredicate(uint8_t predicate, F&& f) {
  switch (predicate) {
  case 1:
    return f.template operator()<1>();
  case 2:
    return f.template operator()<2>();
  case 3:
    return f.template operator()<3>();
  case 4:
    return f.template operator()<4>();
  case 5:
    return f.template operator()<5>();
  case 8:
    return f.template operator()<8>();
  case 14:
    return f.template operator()<14>();
  default:
    return nullptr;
  }
}

} // namespace

Handler fpBinaryHandler(Mode mode, Op op, TypeKind kind, Kinds kinds) {
  return withMode(mode, [&]<Mode M> {
    return withFp(kind, [&]<class T> {
      return withKinds(kinds, [&]<Kinds K>() -> Handler {
        switch (op) {
        case Op::FAdd:
          return binary<M, Op::FAdd, T, K>;
        case Op::FSub:
          return binary<M, Op::FSub, T, K>;
        case Op::FMul:
          return binary<M, Op::FMul, T, K>;
        case Op::FDiv:
          return binary<M, Op::FDiv, T, K>;
        default:
          return nullptr;
        }
      });
    });
  });
}

Handler fpCompareHandler(Mode mode, uint8_t predicate, TypeKind kind, Kinds kinds) {
  return withMode(mode, [&]<Mode M> {
    return withFp(kind, [&]<class T> {
      return withPredicate(predicate, [&]<uint8_t P> {
        return withKinds(kinds, [&]<Kinds K>() -> Handler { return compare<M, P, T, K>; });
      });
    });
  });
}

Handler fpCompareBranchHandler(uint8_t predicate, TypeKind kind, Kinds kinds) {
  if (kinds == Kinds::ConstantWord) return nullptr;
  return withFp(kind, [&]<class T> {
    return withPredicate(predicate, [&]<uint8_t P>() -> Handler {
      return kinds == Kinds::WordWord ? compareBranch<P, T, Kinds::WordWord>
                                      : compareBranch<P, T, Kinds::WordConstant>;
    });
  });
}

} // namespace faultline::replay
