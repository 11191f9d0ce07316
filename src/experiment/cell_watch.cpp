#include "experiment/cell_watch.h"

#include "experiment/cell_filter.h"
#include "experiment/cell_folder.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

// Calls `each` with every number that is a name in the folder.
template <class Each> void forEachNumber(const char* folder, Each each) {
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  forEachEntry(fd, [&](const char* name) {
    if (name[0] >= '0' && name[0] <= '9') each(atoi(name));
    return true;
  });
  close(fd);
}

template <class Each> void forEachProcess(Each each) { forEachNumber("/proc", each); }

bool readSmall(pid_t pid, const char* name, char* text, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", int(pid), name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t got = read(fd, text, room - 1);
  close(fd);
  text[got > 0 ? got : 0] = 0;
  return got > 0;
}

uint64_t residentBytes(pid_t pid) {
  char text[128];
  unsigned long long size = 0, resident = 0;
  if (!readSmall(pid, "statm", text, sizeof text)) return 0;
  return sscanf(text, "%llu %llu", &size, &resident) == 2 ? resident * 4096 : 0;
}

uint64_t memoryFileBytes(pid_t pid) {
  uint64_t bytes = 0;
  char directory[64];
  snprintf(directory, sizeof directory, "/proc/%d/fd", int(pid));
  forEachNumber(directory, [&](int fd) {
    char path[64], name[16];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", int(pid), fd);
    struct stat status;
    bool isOne = readlink(path, name, sizeof name) >= 7 && strncmp(name, "/memfd:", 7) == 0;
    if (isOne && stat(path, &status) == 0) bytes += uint64_t(status.st_blocks) * 512;
  });
  return bytes;
}

pid_t parentOf(pid_t pid) {
  char text[512];
  if (!readSmall(pid, "stat", text, sizeof text)) return 0;
  // "12 (a name, with anything in it) S 1 ..."
  char* end = nullptr;
  for (char* at = text; *at; ++at)
    if (*at == ')') end = at;
  int parent = 0;
  char state;
  return end && sscanf(end + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

// An orphan is a child of ours: if we have one child, it and we are all there is.
bool isOnlyChild(pid_t pid) {
  char path[64], text[64], alone[32];
  snprintf(path, sizeof path, "task/%d/children", int(getpid()));
  snprintf(alone, sizeof alone, "%d ", int(pid));
  return readSmall(getpid(), path, text, sizeof text) && strcmp(text, alone) == 0;
}

bool isDescendant(pid_t pid) {
  pid_t self = getpid();
  for (int depth = 0; depth < 1000 && pid > 1; ++depth)
    if ((pid = parentOf(pid)) == self) return true;
  return false;
}

} // namespace

CellUse useOfDescendants(bool memoryFiles, pid_t except) {
  CellUse use;
  bool alone = getpid() == 1;
  forEachProcess([&](pid_t pid) {
    if (pid == except || (alone ? pid == 1 : !isDescendant(pid))) return;
    ++use.processes;
    use.memory += residentBytes(pid);
    if (memoryFiles) use.memory += memoryFileBytes(pid);
  });
  return use;
}

void killDescendants(bool alone) {
  if (alone) {
    // Mostly there is nobody: an orphan would be our child.
    if (waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    // One sweep reaches all: who is just being forked sees the signal pending and is not made.
    if (getpid() == 1) killAllOthers();
    while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
    }
    return;
  }
  // Orphans become our children, so there is an end to it as soon as we have none.
  for (;;) {
    pid_t reaped;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) return;
    forEachProcess([](pid_t pid) {
      if (isDescendant(pid)) kill(pid, SIGKILL);
    });
    usleep(200);
  }
}

bool killAllBut(pid_t kept) {
  pid_t reaped;
  while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0)
    if (reaped == kept) kept = 0;
  if (kept > 0 && isOnlyChild(kept)) return true;
  killDescendants(true);
  return false;
}

} // namespace faultline::experiment
