// Every index from one array of an image into another. What the code of a function means is checked when it
// is made ready to run (replay/validate.h); here it is enough that nothing points outside.
#include "program/image.h"

namespace faultline::fir {
namespace {

class ImageValidator {
public:
  explicit ImageValidator(const Image& image) : image_(image) {}

  Result<void> run() const {
    FL_CHECK(checkCode());
    FL_CHECK(checkFunctions());
    FL_CHECK(checkSymbols());
    FL_CHECK(checkRecords());
    return checkDebug();
  }

private:
  template <class T> static bool has(std::span<const T> array, uint32_t index) {
    return index < array.size();
  }
  template <class T> static bool hasOrNone(std::span<const T> array, uint32_t index) {
    return index == kNone || index < array.size();
  }
  template <class T> static bool hasRange(std::span<const T> array, uint64_t first, uint64_t count) {
    return first <= array.size() && count <= array.size() - first;
  }
  // 1 + an index, or 0.
  template <class T> static bool isCounted(std::span<const T> array, uint32_t index) {
    return index <= array.size();
  }
  // 0 is the unknown one, also where there are none at all.
  bool isLocation(uint32_t index) const { return index == 0 || hasOrNone(image_.locations, index); }

  // "damaged FIR: functions[3] points outside".
  template <class T, class Fits>
  Result<void> check(const char* name, std::span<const T> array, Fits fits) const {
    for (size_t k = 0; k < array.size(); ++k)
      if (!fits(array[k])) return errorf("damaged FIR: {}[{}] does not fit the rest of the file", name, k);
    return {};
  }

  Result<void> checkCode() const {
    const Image& m = image_;
    FL_CHECK(check("types", m.types, [&](const Type& t) {
      return t.kind <= TypeKind::Aggregate && (t.kind != TypeKind::Vector || has(m.types, t.element));
    }));
    FL_CHECK(check("constants", m.constants, [&](const Constant& c) {
      return hasOrNone(m.symbols, c.symbol) && hasOrNone(m.wideWords, c.wide);
    }));
    FL_CHECK(check("instructions", m.instructions, [&](const Instruction& i) {
      return i.op <= Op::Trap && has(m.types, i.type) && hasRange(m.operands, i.operands, i.operandCount) &&
             isLocation(i.location) && (i.op != Op::Call || has(m.calls, i.aux)) &&
             (i.op != Op::Gep || isCounted(m.fieldPaths, i.aux));
    }));
    FL_CHECK(check("blocks", m.blocks,
                   [&](const Block& b) { return hasRange(m.instructions, b.first, b.count); }));
    FL_CHECK(check("calls", m.calls, [&](const CallInfo& c) { return hasOrNone(m.symbols, c.symbol); }));
    return check("arguments", m.arguments, [&](const Argument& a) { return has(m.types, a.type); });
  }

  // In the order of their instructions, which functionOf relies on.
  Result<void> checkFunctions() const {
    const Image& m = image_;
    uint64_t next = 0;
    return check("functions", m.functions, [&](const Function& f) {
      bool follows = f.firstInstruction >= next;
      next = uint64_t(f.firstInstruction) + f.instructionCount;
      return follows && hasOrNone(m.symbols, f.symbol) &&
             hasRange(m.instructions, f.firstInstruction, f.instructionCount) &&
             hasRange(m.blocks, f.firstBlock, f.blockCount) &&
             hasRange(m.arguments, f.firstArgument, f.argumentCount) &&
             hasRange(m.variables, f.firstVariable, f.variableCount) &&
             hasRange(m.scopes, f.firstScope, f.scopeCount) && has(m.types, f.returnType) &&
             isLocation(f.location) && has(m.strings, f.name);
    });
  }

  Result<void> checkSymbols() const {
    const Image& m = image_;
    FL_CHECK(check("symbols", m.symbols, [&](const Symbol& s) {
      bool hasValue = s.initial != ~uint64_t(0);
      if (hasValue && !hasRange(m.bytes, s.initial, s.size)) return false;
      if (!hasRange(m.relocations, s.firstRelocation, s.relocationCount)) return false;
      for (const Relocation& r : m.relocations.subspan(s.firstRelocation, s.relocationCount))
        if (r.offset > s.size || s.size - r.offset < 8) return false;
      return hasOrNone(m.functions, s.function) && hasOrNone(m.debugTypes, s.debugType) &&
             isCounted(m.records, s.record) && isLocation(s.location) && has(m.strings, s.name) &&
             has(m.strings, s.displayName);
    }));
    return check("relocations", m.relocations, [&](const Relocation& r) { return has(m.symbols, r.symbol); });
  }

  // A path leads to paths before it, so it ends. That records do not contain themselves, points_to.h sees to.
  Result<void> checkRecords() const {
    const Image& m = image_;
    FL_CHECK(check("records", m.records, [&](const Record& r) {
      return hasRange(m.fields, r.firstField, r.fieldCount) && has(m.strings, r.name);
    }));
    FL_CHECK(check("fields", m.fields, [&](const Field& f) {
      return has(m.records, f.record) && has(m.types, f.type) && isCounted(m.records, f.inner);
    }));
    uint32_t index = 0;
    return check("fieldPaths", m.fieldPaths,
                 [&](const FieldPath& p) { return has(m.fields, p.field) && p.outer <= index++; });
  }

  Result<void> checkDebug() const {
    const Image& m = image_;
    FL_CHECK(check("locations", m.locations, [&](const Location& l) {
      return (l.line == 0 || hasOrNone(m.files, l.file)) && hasOrNone(m.scopes, l.scope);
    }));
    FL_CHECK(check("scopes", m.scopes,
                   [&](const Scope& s) { return hasOrNone(m.scopes, s.parent) && isLocation(s.location); }));
    FL_CHECK(check("files", m.files,
                   [&](const File& f) { return has(m.strings, f.path) && has(m.strings, f.directory); }));
    FL_CHECK(check("variables", m.variables, [&](const Variable& v) {
      return v.home <= Home::Gone && hasOrNone(m.debugTypes, v.debugType) && hasOrNone(m.scopes, v.scope) &&
             isLocation(v.location) && hasOrNone(m.instructions, v.instruction) && has(m.strings, v.name);
    }));
    FL_CHECK(check("debugTypes", m.debugTypes, [&](const DebugType& t) {
      return t.kind <= DebugKind::Unspecified && hasOrNone(m.debugTypes, t.base) &&
             hasRange(m.members, t.firstMember, t.memberCount) && has(m.strings, t.name);
    }));
    return check("members", m.members,
                 [&](const Member& x) { return hasOrNone(m.debugTypes, x.type) && has(m.strings, x.name); });
  }

  const Image& image_;
};

} // namespace

Result<void> validateImage(const Image& image) { return ImageValidator(image).run(); }

} // namespace faultline::fir
