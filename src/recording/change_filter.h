// Lets the recorder look at each system call by which a program, or what it starts, may change a file, before
// the kernel does it (seccomp with user notification). Calls that only read are not held up.
#pragma once

#include <cstdint>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <vector>

namespace faultline::recording {

class ChangeFilter {
public:
  ChangeFilter();
  // For this process and all that it starts; system calls only. Returns the descriptor at which calls are
  // seen, or -1.
  int install() const;

private:
  std::vector<sock_filter> code_;
};

// An argument of a call, as one that names a file: relative to what, and where the name stands.
struct NamedFile {
  int directory; // AT_FDCWD, or a descriptor of the program's
  uint64_t name; // in the program's memory; 0: `directory` is the file itself
};

// What a call may do to files.
struct FileChange {
  enum Kind { None, Write, Make, Remove, Rename };
  Kind kind = None;
  NamedFile file = {}, target = {}; // Rename: to what
  bool follows = false;             // a link as the last part of the name
  bool makes = false;               // Write: a file that is not there is made
};

// `wordAt`: reads the program's memory.
FileChange changeBy(const seccomp_data& call, const std::function<uint64_t(uint64_t)>& wordAt);

} // namespace faultline::recording
