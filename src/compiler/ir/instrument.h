// Puts the recording hooks into prepared IR. The fast path is inline:
//
//   %v = load i32, ptr %p                %v = load volatile i32, ptr %p
//                                        %s = load i32, ptr shadow(%p)
//                                        br (%v == %s), next, cold          cold: fl_load(%p, %v, 4, id,
//                                        module)
//
//   store i32 %v, ptr %p                 store volatile i32 %v, ptr %p
//                                        store i32 %v, ptr shadow(%p)
//
//   %r = call i32 @outside(...)          state.ext = module.base + id + 2
//                                        %r = call i32 @outside(...)
//                                        fl_ret(%r, id, module)
//
// Variables that need memory move to the frame stack, so that replay can compute their addresses; the others
// are promoted to registers. abi/hooks.h says what each hook does.
//
// An alter variant has the same hooks, and asks besides, where an instance may be altered: each straight
// piece of code (pieces.h) has a copy that does so.
//
//   %c = icmp slt i32 %a, %b             armed = load i32, state.armed
//   br i1 %c, ...                        br (armed & bits), copy, piece     copy: %c = icmp slt i32 %a, %b
//                                        piece: ...                         %d = fl_alter_computed(%c, ...)
//                                                                           %e = fl_alter(%d, id, module)
//                                                                           br i1 %e, ...
//
// It asks for conditions of branches and switches, for loaded and stored values and results of calls; for
// loads, whether another variable or member is to be read, and whether the function is to be left behind
// them; and for stores and calls whether they are to be left out.
#pragma once

#include "compiler/ir/plan.h"
#include "program/image.h"

namespace faultline::compiler {

// `image` is what the module was lowered to.
void instrumentModule(ModulePlan& plan, const InsideNames& inside, VariantKind kind, const fir::Image& image);

} // namespace faultline::compiler
