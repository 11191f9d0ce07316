// FIR's records: the struct types that Geps and global variables name, each made once per module, and the
// ways from a pointer to a member.
#pragma once

#include "compiler/ir/lower_types.h"

#include <llvm/IR/Operator.h>

namespace faultline::compiler {

class RecordTable {
public:
  RecordTable(fir::ImageBuilder& out, TypeTable& types, const llvm::DataLayout& layout)
      : out_(out), types_(types), layout_(layout) {}

  // 1 + index of the path along the members that the Gep goes into; 0: it stays among array elements.
  uint32_t path(const llvm::GEPOperator& gep);
  // The record that a variable of this type is, or is an array of.
  void describe(llvm::Type& type, uint32_t& record, uint32_t& stride);

private:
  uint32_t record(llvm::Type* type); // 1 + index, or 0
  void fill(llvm::StructType& type, uint32_t index);

  fir::ImageBuilder& out_;
  TypeTable& types_;
  const llvm::DataLayout& layout_;
  llvm::DenseMap<llvm::Type*, uint32_t> records_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> paths_; // field, outer
};

} // namespace faultline::compiler
