// What a recorder leaves that was killed itself: RUN.flr.part-XXXXXX, a recording without an end. While the
// recorder lives it holds a lock on the file, so nobody takes one for left that still grows.
//
//   for (const Leftover& l : leftoversIn(directory))
//     if (!l.isGrowing) FL_TRY(path, recover(l));   // RUN.flr, or RUN-cut.flr if that is taken
#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace faultline::recording {

struct Leftover {
  std::filesystem::path file;
  std::filesystem::path recording; // the name that it was to get
  bool isGrowing = false;          // its recorder lives
};

// Nothing if the directory cannot be read.
std::vector<Leftover> leftoversIn(const std::filesystem::path& directory);

// Gives it a name as recordings have it, and returns that. A file without one usable chunk is removed, and
// the name is empty.
Result<std::filesystem::path> recover(const Leftover& leftover);

// Holds for as long as the descriptor is open.
void markGrowing(int fd);

} // namespace faultline::recording
