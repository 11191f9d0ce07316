// A FIR file, mapped into memory, and the builder that writes one. `openImage` checks that every array lies
// within the file; `validateImage` that every index within the arrays points somewhere.
#pragma once

#include "base/result.h"
#include "program/fir.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::fir {

// X(type, name): the arrays of a FIR file, in file order.
#define FL_FIR_ARRAYS(X)                                                                                     \
  X(Type, types)                                                                                             \
  X(Constant, constants)                                                                                     \
  X(uint64_t, wideWords)                                                                                     \
  X(Operand, operands)                                                                                       \
  X(Instruction, instructions)                                                                               \
  X(Block, blocks)                                                                                           \
  X(CallInfo, calls)                                                                                         \
  X(Argument, arguments)                                                                                     \
  X(Function, functions)                                                                                     \
  X(Symbol, symbols)                                                                                         \
  X(Relocation, relocations)                                                                                 \
  X(Record, records)                                                                                         \
  X(Field, fields)                                                                                           \
  X(FieldPath, fieldPaths)                                                                                   \
  X(Location, locations)                                                                                     \
  X(Scope, scopes)                                                                                           \
  X(File, files)                                                                                             \
  X(Variable, variables)                                                                                     \
  X(DebugType, debugTypes)                                                                                   \
  X(Member, members)                                                                                         \
  X(uint8_t, bytes)                                                                                          \
  X(char, strings)

struct Image {
  uint64_t hash = 0; // of the IR record it was made from
#define FL_FIR_SPAN(type, name) std::span<const type> name;
  FL_FIR_ARRAYS(FL_FIR_SPAN)
#undef FL_FIR_SPAN
  std::shared_ptr<const void> storage; // keeps the spans alive

  std::string_view string(uint32_t offset) const;
  std::span<const Operand> operandsOf(const Instruction& i) const {
    return operands.subspan(i.operands, i.operandCount);
  }
  std::span<const Instruction> instructionsOf(const Function& f) const {
    return instructions.subspan(f.firstInstruction, f.instructionCount);
  }
  std::span<const Block> blocksOf(const Function& f) const {
    return blocks.subspan(f.firstBlock, f.blockCount);
  }
  std::span<const Argument> argumentsOf(const Function& f) const {
    return arguments.subspan(f.firstArgument, f.argumentCount);
  }
  // Index of the function that instruction `local` belongs to.
  uint32_t functionOf(uint32_t local) const;
  std::string sourcePath(const Location& location) const;
};

struct ImageBuilder {
#define FL_FIR_VECTOR(type, name) std::vector<type> name;
  FL_FIR_ARRAYS(FL_FIR_VECTOR)
#undef FL_FIR_VECTOR
  uint32_t addString(std::string_view text); // offset of a NUL-terminated copy
  std::vector<char> finish(uint64_t hash) const;
};

Result<Image> openImage(const std::string& path);
Result<Image> imageFromBytes(std::vector<char> bytes);
Result<void> validateImage(const Image& image);

} // namespace faultline::fir
