// FIR types and constants for LLVM ones, each made once per module.
#pragma once

#include "compiler/ir/plan.h"
#include "program/image.h"

#include <map>
#include <optional>

namespace faultline::compiler {

class TypeTable {
public:
  TypeTable(fir::ImageBuilder& out, const llvm::DataLayout& layout) : out_(out), layout_(layout) {}
  uint32_t index(llvm::Type* type);
  uint32_t words(llvm::Type* type) { return out_.types[index(type)].words; }

private:
  fir::Type describe(llvm::Type* type);
  fir::ImageBuilder& out_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<llvm::Type*, uint32_t> indices_;
};

// symbol + offset, or a plain number (symbol == nullptr).
struct Address {
  const llvm::Constant* symbol = nullptr;
  uint64_t offset = 0;
};
std::optional<Address> evaluateAddress(const llvm::Constant& c, const llvm::DataLayout& layout);

// False if only the linker knows some part of the constant, as with differences of labels. A variable with
// such an initial value counts as written by outside code.
bool hasKnownBytes(const llvm::Constant& c, const llvm::DataLayout& layout);

class ConstantTable {
public:
  ConstantTable(fir::ImageBuilder& out, TypeTable& types, ModulePlan& plan)
      : out_(out), types_(types), plan_(plan), layout_(plan.module->getDataLayout()) {}
  fir::Operand operand(const llvm::Constant& c);
  fir::Operand number(uint64_t value);

  // Writes the constant as memory holds it; addresses become relocations. Only for hasKnownBytes constants.
  void writeBytes(const llvm::Constant& c, uint64_t at, std::vector<uint8_t>& bytes,
                  std::vector<fir::Relocation>& relocations);

private:
  fir::Operand add(const fir::Constant& c);
  fir::Operand wide(const llvm::Constant& c);
  fir::ImageBuilder& out_;
  TypeTable& types_;
  ModulePlan& plan_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<const llvm::Constant*, fir::Operand> known_;
  std::map<std::pair<uint32_t, uint64_t>, fir::Operand> simple_;
};

} // namespace faultline::compiler
