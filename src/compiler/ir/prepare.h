// Brings a module's unoptimised IR into the one shape that both the native variant and FIR are made from.
// It changes no meaning; it removes what only optimisers read, and spells out what the machine's calling
// convention would do behind our back.
//
//   before                                        after
//   call void @f(ptr byval(%S) %p)                %c = alloca %S; memcpy %c <- %p; call @f(ptr byval(%S) %c)
//   define void @f(ptr byval(%S) %p)              ... %c = alloca %S; memcpy %c <- %p at entry, uses of %p ->
//   %c call double @llvm.fmuladd(a, b, c)            fmul a, b; fadd define linkonce @g() { callbr ... }
//   @g.plain keeps the body without hooks, @g only calls it
#pragma once

#include "base/result.h"

namespace llvm {
class Module;
class Instruction;
class CallBase;
class Function;
} // namespace llvm

namespace faultline::compiler {

Result<void> prepareModule(llvm::Module& module);

// True for functions that run without hooks although their IR is here: bodies that FIR cannot express.
bool isPlain(const llvm::Function& function);

// The copy of a byval argument that prepareModule put at a function's entry.
bool isByValueCopy(const llvm::Instruction& instruction);

} // namespace faultline::compiler
