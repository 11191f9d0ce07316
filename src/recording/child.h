// Starts a record variant with the address space laid out the same way each time.
#pragma once

#include "base/result.h"
#include "recording/input.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace faultline::recording {

// What a child does to be elsewhere before it becomes the program, where files are others than ours. Inside
// the child: system calls only, nothing is allocated.
struct Surroundings {
  std::function<bool()> leave;           // the name spaces that it was born in
  std::function<bool(pid_t)> letIn;      // by its maker, when it has left them
  std::function<const char*()> settleIn; // null: done; else what cannot be done
};

struct ChildRequest {
  std::string executable;
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string cwd;
  int sharedFd = -1;             // stays open in the child, under the number given in its environment
  int streams[3] = {-1, -1, -1}; // its descriptors 0, 1, 2; -1: ours
  int kept[2] = {-1, -1};        // others that stay open
  bool watchesFiles = false;     // Child::fileCalls is wanted
  const Surroundings* surroundings = nullptr;
};

struct Child {
  pid_t pid = 0;
  FileDescriptor pidFd;
  bool randomised = false;       // the kernel did not let us fix the layout
  FileDescriptor fileCalls = {}; // see change_filter.h; none: the kernel refused it
};

Result<Child> startChild(const ChildRequest& request);

} // namespace faultline::recording
