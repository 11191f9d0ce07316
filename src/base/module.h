// A part of Faultline that lies in a shared object of its own, since what it stands on takes long to load and
// most commands need none of it. Opened once, and kept.
//
//   FL_TRY(tools, moduleTable<IrTools>("ir"));     // `extern "C" const IrTools faultline_ir` in
//   libfaultline_ir.so
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>

namespace faultline {

// A library of ours: in lib/ or lib/faultline/ beside the folder of our executable, whether it was installed
// or only built.
Result<std::filesystem::path> ownLibrary(const std::string& name);

// The symbol faultline_NAME of libfaultline_NAME.so. May be asked from several threads; not in a process that
// was forked off a threaded one, if it was not asked before.
Result<const void*> openModule(const std::string& name);

template <class Table> Result<const Table*> moduleTable(const std::string& name) {
  FL_TRY(found, openModule(name));
  return static_cast<const Table*>(found);
}

} // namespace faultline
