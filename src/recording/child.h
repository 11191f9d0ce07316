// Starts a record variant with the address space laid out the same way each time.
#pragma once

#include "base/result.h"
#include "recording/input.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace faultline::recording {

struct ChildRequest {
  std::string executable;
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string cwd;
  int sharedFd = -1;             // stays open in the child, under the number given in its environment
  int streams[3] = {-1, -1, -1}; // its descriptors 0, 1, 2; -1: ours
  int kept[2] = {-1, -1};        // others that stay open
};

struct Child {
  pid_t pid = 0;
  FileDescriptor pidFd;
  bool randomised = false; // the kernel did not let us fix the layout
};

Result<Child> startChild(const ChildRequest& request);

} // namespace faultline::recording
