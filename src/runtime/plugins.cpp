// Shared objects that the program opens by itself. One that was built by faultline-cc is replaced by its
// record variant, which the recorder makes while we wait; any other is loaded as it is.
#include "abi/control.h"

#include "runtime/real.h"
#include "runtime/runtime.h"

#include <alloca.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace fl {

static bool isSystemPath(const char* path) {
  return strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0;
}

// Where the loader would look for a name without a slash, as the program's own search path has it.
static bool findByName(void* program, const char* name, char* found) {
  Dl_serinfo size;
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0) return false;
  auto* places = static_cast<Dl_serinfo*>(alloca(size.dls_size));
  *places = size;
  if (dlinfo(program, RTLD_DI_SERINFOSIZE, places) != 0 || dlinfo(program, RTLD_DI_SERINFO, places) != 0)
    return false;
  for (unsigned i = 0; i < places->dls_cnt; ++i) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", places->dls_serpath[i].dls_name, name);
    if (length > 0 && size_t(length) < sizeof path && access(path, R_OK) == 0)
      return realpath(path, found) != nullptr;
  }
  return false;
}

// The variant to load in place of `path`.
static bool variantOf(const char* path, char* variant) {
  if (!path || !*path || !self || off() || !holds(self)) return false;
  KeepErrno keep;
  enterBusy(self);
  char file[PATH_MAX];
  bool known;
  if (strchr(path, '/')) {
    known = realpath(path, file) != nullptr;
  } else {
    void* program = REAL(dlopen)(nullptr, RTLD_LAZY);
    known = program && findByName(program, path, file);
    if (program) dlclose(program);
  }
  bool granted = known && !isSystemPath(file) && askForVariant(file, variant);
  leaveBusy(self);
  return granted;
}

static void* openVariant(const char* path, int flags) {
  char variant[FL_CONTROL_PATH + 1];
  if (!variantOf(path, variant)) return nullptr;
  void* handle = REAL(dlopen)(variant, flags);
  if (!handle) dlerror(); // the object itself is tried next
  return handle;
}

} // namespace fl

using namespace fl;

// A name is looked up as its caller's search path says, so libc must see our caller's address, not ours.
FL_EXPORT void* dlopen(const char* path, int flags) {
  if (void* handle = openVariant(path, flags)) return handle;
  auto* real = REAL(dlopen);
  __attribute__((musttail)) return real(path, flags);
}
