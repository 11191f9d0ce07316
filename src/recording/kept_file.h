// What stood at a path before the run first changed it, so that the run can be repeated as it was.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace faultline::recording {

struct KeptFile {
  enum Kind : uint32_t { Absent, File, Directory, Link };

  std::string path; // absolute, without links on the way
  Kind kind = Absent;
  uint32_t mode = 0;    // rights
  int64_t modified = 0; // nanoseconds since 1970
  std::string bytes{};  // content, or where the link leads
  bool operator==(const KeptFile&) const = default;
};

// In the order of their paths: a directory stands before what is in it.
using KeptFiles = std::vector<KeptFile>;

// The entry for a path; null: the run did not change what is there.
const KeptFile* findKept(const KeptFiles& files, const std::string& path);

} // namespace faultline::recording
