// /proc/self/exe names the variant; the program must see its own name there.
#include "runtime/raw.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

using namespace fl;

static bool meansUs(const char* path) {
  if (!path || strncmp(path, "/proc/", 6) != 0 || !originalProgram()) return false;
  if (strcmp(path, "/proc/self/exe") == 0) return true;
  char own[32];
  snprintf(own, sizeof own, "/proc/%d/exe", processId());
  return strcmp(path, own) == 0;
}

static ssize_t putName(char* buffer, size_t size) {
  size_t length = strlen(originalProgram());
  if (length > size) length = size;
  memcpy(buffer, originalProgram(), length);
  return ssize_t(length);
}

FL_EXPORT ssize_t readlink(const char* path, char* buffer, size_t size) {
  return meansUs(path) ? putName(buffer, size) : REAL(readlink)(path, buffer, size);
}

FL_EXPORT ssize_t readlinkat(int fd, const char* path, char* buffer, size_t size) {
  return meansUs(path) ? putName(buffer, size) : REAL(readlinkat)(fd, path, buffer, size);
}

FL_EXPORT ssize_t __readlink_chk(const char* path, char* buffer, size_t size, size_t) {
  return readlink(path, buffer, size);
}

FL_EXPORT char* realpath(const char* path, char* resolved) {
  return REAL_VERSION(realpath, "GLIBC_2.3")(meansUs(path) ? originalProgram() : path, resolved);
}

FL_EXPORT char* __realpath_chk(const char* path, char* resolved, size_t) { return realpath(path, resolved); }
FL_EXPORT char* canonicalize_file_name(const char* path) { return realpath(path, nullptr); }
