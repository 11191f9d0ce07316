// Folders, read without allocating (cell_memory.h tells why).
#pragma once

#include <cstdint>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace faultline::experiment {

// Calls `each` with the name of every entry of an open folder, until it returns false.
template <class Each> bool forEachEntry(int folder, Each each) {
  struct Entry { // as the kernel writes it
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
  };
  alignas(Entry) char buffer[2048];
  for (long got; (got = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < got;) {
      auto* entry = reinterpret_cast<Entry*>(buffer + at);
      bool isDots = std::strcmp(entry->name, ".") == 0 || std::strcmp(entry->name, "..") == 0;
      if (!isDots && !each(static_cast<const char*>(entry->name))) return false;
      at += entry->length;
    }
  return true;
}

bool isEmptyFolder(const char* path);
// With all in it; links are not followed. False: it is deeper than we go, or somebody holds on to it.
bool removeTree(const char* path);
bool removeTreeIn(int folder, const char* name);

} // namespace faultline::experiment
