#include "technique/changes/operations.h"

#include "abi/experiment.h"

namespace faultline::technique {

using fir::Op;

std::optional<uint32_t> operationOf(Op op) {
  switch (op) {
  case Op::Add:
    return FL_OPERATION_ADD;
  case Op::Sub:
    return FL_OPERATION_SUB;
  case Op::Mul:
    return FL_OPERATION_MUL;
  case Op::UDiv:
    return FL_OPERATION_UDIV;
  case Op::SDiv:
    return FL_OPERATION_SDIV;
  case Op::URem:
    return FL_OPERATION_UREM;
  case Op::SRem:
    return FL_OPERATION_SREM;
  case Op::Shl:
    return FL_OPERATION_SHL;
  case Op::LShr:
    return FL_OPERATION_LSHR;
  case Op::AShr:
    return FL_OPERATION_ASHR;
  case Op::And:
    return FL_OPERATION_AND;
  case Op::Or:
    return FL_OPERATION_OR;
  case Op::Xor:
    return FL_OPERATION_XOR;
  case Op::FAdd:
    return FL_OPERATION_FADD;
  case Op::FSub:
    return FL_OPERATION_FSUB;
  case Op::FMul:
    return FL_OPERATION_FMUL;
  case Op::FDiv:
    return FL_OPERATION_FDIV;
  default:
    return std::nullopt;
  }
}

} // namespace faultline::technique
