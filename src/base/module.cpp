#include "base/module.h"

#include <dlfcn.h>

namespace fs = std::filesystem;

namespace faultline {

Result<fs::path> ownLibrary(const std::string& name) {
  std::error_code failed;
  fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return errorf("cannot find my own file: /proc is not mounted");
  fs::path bin = self.parent_path();
  for (const char* place : {"../lib", "../lib/faultline"}) {
    fs::path library = fs::canonical(bin / place / name, failed);
    if (!failed) return library;
  }
  return errorf("{} is not beside {}: install Faultline again", name, bin.string());
}

Result<const void*> openModule(const std::string& name) {
  FL_TRY(library, ownLibrary("libfaultline_" + name + ".so"));
  // The loader knows what it has opened before.
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!opened) return errorf("cannot load {}", dlerror());
  const void* table = dlsym(opened, ("faultline_" + name).c_str());
  if (!table) return errorf("{} is of another version: install Faultline again", library.string());
  return table;
}

} // namespace faultline
