#include "recording/leftover.h"

#include "recording/reader.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace faultline::recording {
namespace {

constexpr std::string_view kMark = ".flr.part-";

bool isLocked(const fs::path& file) {
  int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  bool locked = flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(fd);
  return locked;
}

// Never one that exists.
fs::path freeName(const fs::path& wanted) {
  std::error_code ignored;
  if (!fs::exists(wanted, ignored)) return wanted;
  std::string stem = (wanted.parent_path() / wanted.stem()).string();
  for (int k = 1;; ++k) {
    fs::path other = stem + "-cut" + (k > 1 ? std::to_string(k) : "") + ".flr";
    if (!fs::exists(other, ignored)) return other;
  }
}

} // namespace

std::vector<Leftover> leftoversIn(const fs::path& directory) {
  std::vector<Leftover> out;
  std::error_code failed;
  for (auto& entry : fs::directory_iterator(directory, failed)) {
    std::string name = entry.path().filename();
    size_t mark = name.find(kMark);
    std::error_code ignored;
    if (mark == std::string::npos || !entry.is_regular_file(ignored)) continue;
    out.push_back(
        {entry.path(), entry.path().parent_path() / name.substr(0, mark + 4), isLocked(entry.path())});
  }
  return out;
}

Result<fs::path> recover(const Leftover& leftover) {
  std::error_code failed;
  if (!Recording::open(leftover.file)) {
    fs::remove(leftover.file, failed);
    return fs::path();
  }
  fs::path name = freeName(leftover.recording);
  fs::rename(leftover.file, name, failed);
  if (failed) return errorf("cannot rename {}: {}", leftover.file.string(), failed.message());
  return name;
}

void markGrowing(int fd) { (void)flock(fd, LOCK_EX | LOCK_NB); }

} // namespace faultline::recording
