#include "replay/handler_macros.h"
#include "replay/int_ops.h"

namespace faultline::replay {

using fir::Op;

namespace {

template <Mode M, Op O, class T, Kinds K> FL_HANDLER binary(FL_HANDLER_PARAMETERS) {
  T a = T(first<K>(ip, w)), b = T(second<K>(ip, w));
  if constexpr ((O == Op::UDiv || O == Op::URem || O == Op::SDiv || O == Op::SRem) &&
                K != Kinds::WordConstant)
    if (divisionFaults<T, O>(a, b)) [[unlikely]]
      FL_LEAVE(Exit::Fault);
  w[ip->dst] = computeInt<T, O>(a, b);
  FL_NEXT(M);
}

template <Mode M, uint8_t P, class T, Kinds K> FL_HANDLER compare(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = compareInt<T, P>(T(first<K>(ip, w)), T(second<K>(ip, w)));
  FL_NEXT(M);
}

// imm holds the constant, or the other word's index.
template <uint8_t P, class T, Kinds K> FL_HANDLER compareBranch(FL_HANDLER_PARAMETERS) {
  T a = T(w[ip->a]);
  T b = K == Kinds::WordConstant ? T(ip->imm) : T(w[ip->imm]);
  steps += ip->n;
  if (compareInt<T, P>(a, b)) {
    ip = jump(ip, ip->dst);
    FL_DISPATCH(Mode::Fast);
  }
  ip = jump(ip, ip->b);
  FL_DISPATCH(Mode::Fast);
}

template <class F> Handler withPredicate(uint8_t predicate, F&& f) {
  switch (predicate) {
  case EQ:
    return f.template operator()<EQ>();
  case NE:
    return f.template operator()<NE>();
  case UGT:
    return f.template operator()<UGT>();
  case UGE:
    return f.template operator()<UGE>();
  case ULT:
    return f.template operator()<ULT>();
  case ULE:
    return f.template operator()<ULE>();
  case SGT:
    return f.template operator()<SGT>();
  case SGE:
    return f.template operator()<SGE>();
  case SLT:
    return f.template operator()<SLT>();
  case SLE:
    return f.template operator()<SLE>();
  default:
    return nullptr;
  }
}

template <class F> Handler withOp(Op op, F&& f) {
  switch (op) {
  case Op::Add:
    return f.template operator()<Op::Add>();
  case Op::Sub:
    return f.template operator()<Op::Sub>();
  case Op::Mul:
    return f.template operator()<Op::Mul>();
  case Op::UDiv:
    return f.template operator()<Op::UDiv>();
  case Op::SDiv:
    return f.template operator()<Op::SDiv>();
  case Op::URem:
    return f.template operator()<Op::URem>();
  case Op::SRem:
    return f.template operator()<Op::SRem>();
  case Op::Shl:
    return f.template operator()<Op::Shl>();
  case Op::LShr:
    return f.template operator()<Op::LShr>();
  case Op::AShr:
    return f.template operator()<Op::AShr>();
  case Op::And:
    return f.template operator()<Op::And>();
  case Op::Or:
    return f.template operator()<Op::Or>();
  case Op::Xor:
    return f.template operator()<Op::Xor>();
  default:
    return nullptr;
  }
}

} // namespace

Handler intBinaryHandler(Mode mode, Op op, unsigned bits, Kinds kinds) {
  if (bits <= 64 && (op == Op::And || op == Op::Or || op == Op::Xor)) bits = 64;
  return withMode(mode, [&]<Mode M> {
    return withOp(op, [&]<Op O> {
      return withInt(bits, [&]<class T> {
        return withKinds(kinds, [&]<Kinds K>() -> Handler { return binary<M, O, T, K>; });
      });
    });
  });
}

Handler intCompareHandler(Mode mode, uint8_t predicate, unsigned bits, Kinds kinds) {
  return withMode(mode, [&]<Mode M> {
    return withPredicate(predicate, [&]<uint8_t P> {
      return withInt(bits, [&]<class T> {
        return withKinds(kinds, [&]<Kinds K>() -> Handler { return compare<M, P, T, K>; });
      });
    });
  });
}

Handler intCompareBranchHandler(uint8_t predicate, unsigned bits, Kinds kinds) {
  return withPredicate(predicate, [&]<uint8_t P> {
    return withInt(bits, [&]<class T>() -> Handler {
      if (kinds == Kinds::ConstantWord) return nullptr;
      return kinds == Kinds::WordWord ? compareBranch<P, T, Kinds::WordWord>
                                      : compareBranch<P, T, Kinds::WordConstant>;
    });
  });
}

} // namespace faultline::replay
