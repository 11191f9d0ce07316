// Memory that the program maps must lie where it has a shadow. A wish for another address is only a wish; one
// that must be met fails as it does on a machine with less address space.
#include "runtime/experiment.h"
#include "runtime/raw.h"
#include "runtime/real.h"

#include <sys/mman.h>
#include <sys/syscall.h>

using namespace fl;

static void* mapped(long result) {
  if (result < 0 && result > -4096) {
    errno = int(-result);
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(result);
}

FL_EXPORT void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) noexcept {
  if (address && !hasShadow(uintptr_t(address), size)) {
    if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
      errno = ENOMEM;
      return MAP_FAILED;
    }
    address = nullptr;
  }
  // Where system calls are caught, ours are not: this one is the program's.
  if (serving || scouting) return REAL(mmap)(address, size, protection, flags, fd, offset);
  return mapped(raw(SYS_mmap, long(address), long(size), protection, flags, fd, offset));
}

FL_EXPORT void* mmap64(void* address, size_t size, int protection, int flags, int fd,
                       off64_t offset) noexcept {
  return mmap(address, size, protection, flags, fd, offset);
}
