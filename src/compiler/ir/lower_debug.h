// Debug info of a module as FIR tables: where instructions come from, which variables there are and where
// they live, and the types to print them with.
#pragma once

#include "program/image.h"

#include <functional>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <map>
#include <tuple>

namespace faultline::compiler {

class DebugTable {
public:
  explicit DebugTable(fir::ImageBuilder& out);

  struct Place {
    fir::Home home;
    uint32_t word;
    uint32_t offset;
    uint32_t instruction;
  };
  uint32_t location(const llvm::DebugLoc& location);
  uint32_t functionLocation(const llvm::Function& function);
  void describeFunction(llvm::Function& function, fir::Function& record,
                        const std::function<Place(const llvm::Value*)>& placeOf);
  void describeSymbol(const llvm::GlobalValue& global, fir::Symbol& symbol);

private:
  uint32_t addLocation(const llvm::DIFile* file, unsigned line, unsigned column, uint32_t scope);
  uint32_t scope(const llvm::DILocalScope* scope);
  uint32_t file(const llvm::DIFile* file);
  uint32_t text(llvm::StringRef text);
  uint32_t type(const llvm::DIType* type);
  void describeBasic(const llvm::DIBasicType& in, fir::DebugType& out);
  void describeDerived(const llvm::DIDerivedType& in, fir::DebugType& out);
  void describeSignature(const llvm::DISubroutineType& in, uint32_t index);
  void describeComposite(const llvm::DICompositeType& in, uint32_t index);
  uint32_t arrayDimension(const llvm::DICompositeType& array, unsigned dimension, uint64_t bytes);
  void addMembers(const llvm::DICompositeType& in, uint32_t index);
  void addVariable(const llvm::DILocalVariable& variable, const llvm::DIExpression& expression, Place place);

  fir::ImageBuilder& out_;
  std::map<std::tuple<uint32_t, unsigned, unsigned, uint32_t>, uint32_t> locations_;
  llvm::DenseMap<const llvm::DILocalScope*, uint32_t> scopes_;
  llvm::DenseMap<const llvm::DIFile*, uint32_t> files_;
  llvm::DenseMap<const llvm::DIType*, uint32_t> types_;
  std::map<std::string, uint32_t, std::less<>> texts_;
};

} // namespace faultline::compiler
