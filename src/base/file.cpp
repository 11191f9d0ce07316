#include "base/file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace faultline {
namespace fs = std::filesystem;
namespace {

Error fileError(std::string_view action, const fs::path& path, int code) {
  return errorf("cannot {} {}: {}", action, path.string(), strerror(code));
}

Result<std::string> readAll(int fd, const fs::path& path) {
  struct stat info{};
  std::string content;
  if (fstat(fd, &info) == 0 && info.st_size > 0) content.reserve(static_cast<size_t>(info.st_size));
  // To the end, not to the stated size: files in /proc and pipes state none.
  char buffer[65536];
  while (true) {
    ssize_t n = read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fileError("read", path, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<size_t>(n));
  }
}

int writeAll(int fd, std::string_view content) {
  while (!content.empty()) {
    ssize_t n = write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

Result<void> writeDirectly(const fs::path& path, std::string_view content) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return fileError("write", path, errno);
  int code = writeAll(fd, content);
  close(fd);
  if (code != 0) return fileError("write", path, code);
  return {};
}

struct Sibling {
  fs::path path;
  int fd;
};

// In the same folder, so that the rename stays within one file system. Not mkstemp: the mode must go through
// the umask, as for any file that a user asks for.
Result<Sibling> createSibling(const fs::path& path, unsigned mode) {
  std::random_device random;
  while (true) {
    fs::path candidate = path;
    candidate += fmt::format(".{:08x}.tmp", random());
    int fd = open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) return Sibling{candidate, fd};
    if (errno != EEXIST) return fileError("write", path, errno);
  }
}

} // namespace

Result<std::string> readFile(const fs::path& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fileError("read", path, errno);
  Result<std::string> content = readAll(fd, path);
  close(fd);
  return content;
}

Result<void> writeFileAtomic(const fs::path& path, std::string_view content, unsigned mode) {
  std::error_code ignored;
  fs::file_status target = fs::status(path, ignored);
  if (fs::exists(target) && !fs::is_regular_file(target)) return writeDirectly(path, content);

  FL_TRY(sibling, createSibling(path, mode));
  int code = writeAll(sibling.fd, content);
  // Without it a crash of the machine may leave the new name with no content.
  if (code == 0 && fsync(sibling.fd) != 0) code = errno;
  if (close(sibling.fd) != 0 && code == 0) code = errno;
  if (code == 0 && rename(sibling.path.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return {};
  unlink(sibling.path.c_str());
  return fileError("write", path, code);
}

Result<TemporaryFile> TemporaryFile::create(std::string_view suffix) {
  std::error_code failed;
  fs::path folder = fs::temp_directory_path(failed);
  if (failed) return errorf("no temporary directory: {}; set TMPDIR", failed.message());
  std::string name = (folder / "faultline-XXXXXX").string() + std::string(suffix);
  int fd = mkostemps(name.data(), static_cast<int>(suffix.size()), O_CLOEXEC);
  if (fd < 0) return fileError("make a temporary file in", folder, errno);
  close(fd);
  return TemporaryFile(name);
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept { path_.swap(other.path_); }

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  path_.swap(other.path_);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

Result<fs::path> cacheDir() {
  const char* base = getenv("XDG_CACHE_HOME");
  const char* home = getenv("HOME");
  fs::path folder;
  if (base && base[0] == '/') // the specification has relative ones ignored
    folder = base;
  else if (home && home[0] == '/')
    folder = fs::path(home) / ".cache";
  else
    return errorf("no place for the cache: set XDG_CACHE_HOME to a folder that you can write to");
  folder /= "faultline";
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    return errorf("cannot make {}: {}; set XDG_CACHE_HOME to a folder that you can write to", folder.string(),
                  failed.message());
  return folder;
}

} // namespace faultline
