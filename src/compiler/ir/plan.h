// What both makers, of FIR and of the native variant, must agree on: the number of each instruction, where
// each local variable lives, where epochs begin, and what each call is.
#pragma once

#include "compiler/inside_names.h"
#include "compiler/variant_kind.h"
#include "program/fir.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <vector>

namespace faultline::compiler {

// A variable's home: a private one needs no memory, the others have an offset from the frame base.
//
//   frame base -> | ... later allocas ... | first alloca | guard word |   <- caller's frame
//
// The first variable lies highest, as clang's own frames have it, so that an overflow runs towards what
// it would run into there, and then into the guard.
struct FunctionPlan {
  llvm::Function* function = nullptr;
  uint32_t entryId = 0;
  llvm::SmallPtrSet<const llvm::AllocaInst*, 16> privateVariables;
  llvm::DenseMap<const llvm::AllocaInst*, uint64_t> frameOffsets;
  uint64_t frameSize = 0;
  uint64_t frameAlign = 16;
  uint32_t guardOffset = fir::kNone;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> epochBlocks; // without the entry block
  bool callableFromOutside = false;
  bool setsJump = false;
  bool hasDynamicFrame = false;
};

struct ModulePlan {
  llvm::Module* module = nullptr;
  uint64_t hash = 0;
  uint32_t instructionCount = 0;
  std::vector<FunctionPlan> functions;
  llvm::DenseMap<const llvm::Instruction*, uint32_t> ids;
  // Every symbol whose address replay needs: globals, functions, block addresses; value: index.
  llvm::MapVector<const llvm::Constant*, uint32_t> symbols;

  uint32_t symbol(const llvm::Constant* c) {
    return symbols.insert({c, uint32_t(symbols.size())}).first->second;
  }
};

ModulePlan planModule(llvm::Module& module, uint64_t hash);

// How a call is to be treated; Intrinsics and inline assembly are not asked about.
fir::CallKind classifyCall(const llvm::CallBase& call, const InsideNames& inside);

// enum fl_model of a direct call to a known outside function, or fir::kNone.
uint32_t modelOf(const llvm::CallBase& call);

// enum fl_computed of a direct call whose result replay computes; its result is used.
uint32_t computedOf(const llvm::CallBase& call);

// Direct calls that do just what an intrinsic does. For Copy: operands 0..2 are destination, source, size.
bool isCopyCall(const llvm::CallBase& call);
bool isFillCall(const llvm::CallBase& call);

// The intrinsic is computed by replay, has no effect at all, or neither (its result is recorded).
enum class IntrinsicUse { Computed, NoEffect, Recorded };
IntrinsicUse intrinsicUse(const llvm::CallBase& call, fir::Intrinsic& out);

} // namespace faultline::compiler
