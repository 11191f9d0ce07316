#include "compiler/ir/lower_records.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

using namespace llvm;

namespace faultline::compiler {
namespace {

Type* withoutArrays(Type* type) {
  while (auto* array = dyn_cast<ArrayType>(type)) type = array->getElementType();
  return type;
}

// "struct.S.12" and "class.B.base" are S and B: LLVM numbers types of one name, and clang has a second type
// for a class whose tail a derived class may use. What clang calls "anon" has no name at all.
std::string recordName(const StructType& type) {
  StringRef name = type.getName();
  auto number = name.rfind('.');
  if (number != StringRef::npos && name.substr(number + 1).find_if_not(isDigit) == StringRef::npos)
    name = name.substr(0, number);
  name.consume_back(".base");
  return name.ends_with(".anon") ? "" : name.str();
}

} // namespace

uint32_t RecordTable::record(Type* type) {
  auto* structure = dyn_cast<StructType>(type);
  // clang writes types without a name only for values that it takes apart or puts together for a call.
  if (!structure || structure->isLiteral() || structure->isOpaque()) return 0;
  if (auto it = records_.find(type); it != records_.end()) return it->second;
  fir::Record r{};
  r.name = out_.addString(recordName(*structure));
  r.flags = structure->getName().starts_with("union.") ? fir::kUnion : 0;
  r.bytes = layout_.getTypeAllocSize(type);
  out_.records.push_back(r);
  auto index = uint32_t(out_.records.size() - 1);
  records_[type] = index + 1;
  fill(*structure, index);
  return index + 1;
}

// The fields of a record stand together, so those of the records inside it are made first.
void RecordTable::fill(StructType& type, uint32_t index) {
  std::vector<fir::Field> fields;
  const StructLayout* offsets = layout_.getStructLayout(&type);
  for (unsigned k = 0; k < type.getNumElements(); ++k) {
    Type* member = type.getElementType(k);
    Type* element = withoutArrays(member);
    fir::Field f{};
    f.record = index;
    f.type = types_.index(element);
    f.offset = offsets->getElementOffset(k);
    f.bytes = layout_.getTypeAllocSize(member);
    f.inner = record(element);
    f.stride = element == member ? 0 : uint32_t(layout_.getTypeAllocSize(element));
    fields.push_back(f);
  }
  out_.records[index].firstField = uint32_t(out_.fields.size());
  out_.records[index].fieldCount = uint32_t(fields.size());
  out_.fields.insert(out_.fields.end(), fields.begin(), fields.end());
}

uint32_t RecordTable::path(const GEPOperator& gep) {
  uint32_t path = 0;
  for (auto step = gep_type_begin(gep), end = gep_type_end(gep); step != end; ++step) {
    StructType* type = step.getStructTypeOrNull();
    if (!type) continue;
    uint32_t owner = record(type);
    if (!owner) return 0;
    auto member = uint32_t(cast<ConstantInt>(step.getOperand())->getZExtValue());
    uint32_t field = out_.records[owner - 1].firstField + member;
    auto [it, added] = paths_.try_emplace({field, path}, 0);
    if (added) {
      out_.fieldPaths.push_back({field, path});
      it->second = uint32_t(out_.fieldPaths.size());
    }
    path = it->second;
  }
  return path;
}

void RecordTable::describe(Type& type, uint32_t& index, uint32_t& stride) {
  Type* element = withoutArrays(&type);
  index = record(element);
  stride = index ? uint32_t(layout_.getTypeAllocSize(element)) : 0;
}

} // namespace faultline::compiler
