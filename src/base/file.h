// Files as whole values: read one, replace one, hold a temporary one, and where our cache lives. Errors name
// the file and the reason.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace faultline {

Result<std::string> readFile(const std::filesystem::path& path);

// A reader sees the old content or the new, never a part, and so does the next start after a crash of ours.
// A path that names something else than a regular file (/dev/stdout, a pipe) is written to directly.
Result<void> writeFileAtomic(const std::filesystem::path& path, std::string_view content,
                             unsigned mode = 0666);

// An empty file of our own in the temporary directory ($TMPDIR), removed at the end of the scope.
class TemporaryFile {
public:
  static Result<TemporaryFile> create(std::string_view suffix = "");
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();

  const std::filesystem::path& path() const { return path_; }

private:
  explicit TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_; // empty when moved from
};

// $XDG_CACHE_HOME/faultline, or ~/.cache/faultline; made if it is not there. All in it can be made again.
Result<std::filesystem::path> cacheDir();

} // namespace faultline
