// What a program's checks for overflow (_FORTIFY_SOURCE) know about the size of a buffer. An ordinary build
// knows it only once its optimiser has followed the pointer, so a copy of the module is optimised and asked;
// ours, which is to stay as the source has it, takes over the numbers.
//
//   char buffer[16];                       the embedded IR, after inlining the header's wrapper of strcpy:
//   char* p = buffer;                        %1 = load ptr, ptr %p
//   strcpy(p, name);                         %2 = llvm.objectsize(ptr %1)        -> 16
//                                            call @__strcpy_chk(ptr %1, ptr %name, i64 %2)
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IntrinsicInst.h>

namespace faultline::compiler {

using ObjectSizes = llvm::DenseMap<const llvm::IntrinsicInst*, uint64_t>;

// For each llvm.objectsize in `m` that has one value, found within its function. Of functions that the
// ordinary build does not optimise (-O0) there are none.
ObjectSizes objectSizes(llvm::Module& m);

} // namespace faultline::compiler
