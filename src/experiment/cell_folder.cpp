#include "experiment/cell_folder.h"

#include <fcntl.h>

namespace faultline::experiment {
namespace {

// The stack inside a cell is small.
constexpr int kDeepest = 40;

bool removeIn(int folder, const char* name, int depth) {
  if (unlinkat(folder, name, 0) == 0) return true;
  if (depth == kDeepest) return false;
  int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  bool done = forEachEntry(fd, [&](const char* entry) { return removeIn(fd, entry, depth + 1); });
  close(fd);
  return done && unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

} // namespace

bool isEmptyFolder(const char* path) {
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  bool empty = forEachEntry(fd, [](const char*) { return false; });
  close(fd);
  return empty;
}

bool removeTree(const char* path) { return removeIn(AT_FDCWD, path, 0); }
bool removeTreeIn(int folder, const char* name) { return removeIn(folder, name, 0); }

} // namespace faultline::experiment
