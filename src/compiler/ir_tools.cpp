#include "compiler/ir_tools.h"

#include "base/module.h"

namespace faultline::compiler {

Result<const IrTools*> irTools() {
  // Not asked again: in a fork another thread may have left the loader locked.
  static const Result<const IrTools*> opened = moduleTable<IrTools>("ir");
  return opened;
}

Result<std::string> irToolsFile() {
  FL_TRY(file, ownLibrary("libfaultline_ir.so"));
  return file.string();
}

} // namespace faultline::compiler
