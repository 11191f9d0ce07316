#include "recording/file_keeper.h"

#include "base/file.h"
#include "base/text.h"
#include "recording/change_filter.h"
#include "recording/format.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>

namespace fs = std::filesystem;

namespace faultline::recording {
namespace {

constexpr size_t kMostEntries = 4096;
// So that path and content fit into a chunk.
constexpr uint64_t kLargestFile = kMaxRawSize - PATH_MAX;
constexpr int kMostLinks = 16;

// What is there is not the program's, or is not there in an experiment.
bool isOfKernel(const std::string& path) {
  for (const char* root : {"/proc", "/sys", "/dev"})
    if (path == root || path.starts_with(std::string(root) + "/")) return true;
  return false;
}

int64_t nanoseconds(const timespec& time) { return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec; }

bool readFrom(uint32_t process, uint64_t address, void* to, size_t size, size_t& got) {
  iovec here{to, size}, there{reinterpret_cast<void*>(address), size};
  ssize_t n = process_vm_readv(pid_t(process), &here, 1, &there, 1, 0);
  got = n > 0 ? size_t(n) : 0;
  return n > 0;
}

// A page at a time: what is behind it need not be there.
std::string textAt(uint32_t process, uint64_t address) {
  std::string out;
  char page[4096];
  while (out.size() < PATH_MAX) {
    size_t got, size = 4096 - address % 4096;
    if (!readFrom(process, address, page, size, got)) return "";
    size_t length = strnlen(page, got);
    out.append(page, length);
    if (length < got) return out;
    address += got;
  }
  return "";
}

std::string linkText(const std::string& path) {
  std::error_code failed;
  fs::path target = fs::read_symlink(path, failed);
  return failed ? "" : target.string();
}

// The place that a name means: all links on the way followed, and the last part if asked. Empty: there is no
// such directory, or it is none that we look at.
std::string placeOf(fs::path path, bool follows) {
  for (int k = 0; k < kMostLinks; ++k) {
    if (isOfKernel(path.lexically_normal().string())) return "";
    if (!path.has_filename()) path = path.parent_path(); // "folder/"
    std::error_code failed;
    const bool isDots = path.filename() == "." || path.filename() == "..";
    fs::path place = isDots ? fs::canonical(path, failed) : fs::canonical(path.parent_path(), failed);
    if (failed) return "";
    if (!isDots) place /= path.filename();
    if (isOfKernel(place.string())) return "";
    std::string target = follows ? linkText(place.string()) : "";
    if (target.empty()) return place.string();
    path = place.parent_path() / target;
  }
  return "";
}

std::string placeOf(uint32_t process, const NamedFile& file, bool follows) {
  const std::string folder = fmt::format("/proc/{}/", process);
  if (linkText(folder + "root") != "/") return ""; // it sees other files than we do
  if (file.name == 0) {
    std::string path = linkText(fmt::format("{}fd/{}", folder, file.directory));
    return path.starts_with("/") ? placeOf(path, false) : "";
  }
  fs::path name = textAt(process, file.name);
  if (name.empty()) return "";
  if (name.is_absolute()) return placeOf(name, follows);
  std::string base =
      linkText(file.directory == AT_FDCWD ? folder + "cwd" : fmt::format("{}fd/{}", folder, file.directory));
  return base.starts_with("/") ? placeOf(fs::path(base) / name, follows) : "";
}

bool awaitsMore(int listener) {
  pollfd fd{listener, 0, 0};
  return poll(&fd, 1, 0) == 0; // else nobody is left who could ask
}

bool letGo(int listener) {
  seccomp_notif asked{};
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return errno == EINTR || errno == ENOENT;
  seccomp_notif_resp answer{asked.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  (void)!ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  return true;
}

// What the program has left running would otherwise be refused what it asks for, once we are gone.
void answerOnBehalf(int listener) {
  pid_t pid = fork();
  if (pid > 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (pid != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  (void)!chdir("/");
  dup2(listener, 0);
  close_range(1, ~0u, 0);
  for (pollfd fd{0, POLLIN, 0};;) {
    if (poll(&fd, 1, -1) < 0 && errno != EINTR) break;
    if (fd.revents & (POLLHUP | POLLERR | POLLNVAL)) break;
    if ((fd.revents & POLLIN) && !letGo(0)) break;
  }
  _exit(0);
}

} // namespace

const KeptFile* findKept(const KeptFiles& files, const std::string& path) {
  auto at = std::ranges::lower_bound(files, path, {}, &KeptFile::path);
  return at != files.end() && at->path == path ? &*at : nullptr;
}

uint64_t keptSize() {
  constexpr uint64_t kUsual = 128'000'000;
  const char* said = getenv("FAULTLINE_KEEP_SIZE");
  auto size = parseSize(said ? said : "");
  return size ? *size : kUsual;
}

FileKeeper::FileKeeper(FileDescriptor listener, uint64_t room)
    : listener_(std::move(listener)), stop_(eventfd(0, EFD_CLOEXEC)), room_(room),
      thread_([this] { serve(); }) {}

FileKeeper::~FileKeeper() {
  if (thread_.joinable()) finish();
}

void FileKeeper::serve() {
  for (;;) {
    pollfd fds[] = {{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    if ((fds[0].revents & POLLIN) && !answer()) return;
    if ((fds[0].revents & (POLLHUP | POLLERR)) || fds[1].revents) return;
  }
}

bool FileKeeper::answer() {
  seccomp_notif asked{};
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0) return errno == EINTR || errno == ENOENT;
  look(asked.id, asked.pid, changeBy(asked.data, [&](uint64_t address) {
         uint64_t word = 0;
         size_t got;
         readFrom(asked.pid, address, &word, sizeof word, got);
         return word;
       }));
  seccomp_notif_resp answer{asked.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  (void)!ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
  return true;
}

void FileKeeper::look(uint64_t id, uint32_t process, const FileChange& change) {
  if (change.kind == FileChange::None) return;
  std::string path = placeOf(process, change.file, change.follows), target;
  if (change.kind == FileChange::Rename) target = placeOf(process, change.target, false);
  // Killed meanwhile, and perhaps another process has its number.
  if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0) return;
  struct stat status;
  const bool isThere = !path.empty() && lstat(path.c_str(), &status) == 0;
  switch (change.kind) {
  case FileChange::Make:
    if (!path.empty() && !isThere) keep(path, false);
    return;
  case FileChange::Write:
    if (isThere ? S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) : !path.empty() && change.makes)
      keep(path, false);
    return;
  case FileChange::Remove:
    if (isThere) keep(path, false);
    return;
  case FileChange::Rename:
    if (!isThere || target.empty()) return;
    keep(path, true);
    keep(target, true);
    return;
  case FileChange::None:
    return;
  }
}

bool FileKeeper::isKnown(const std::string& path) const {
  if (entries_.contains(path)) return true;
  for (size_t slash = path.rfind('/'); slash != 0 && slash != path.npos; slash = path.rfind('/', slash - 1)) {
    auto above = entries_.find(path.substr(0, slash));
    if (above != entries_.end() && above->second.isWhole) return true;
  }
  return false;
}

// `withAll`: of a directory, all that is in it.
void FileKeeper::keep(const std::string& path, bool withAll) {
  struct stat status{};
  const bool isThere = lstat(path.c_str(), &status) == 0;
  auto known = entries_.find(path);
  const bool isNew = known == entries_.end() && !isKnown(path);
  if (isNew && entries_.size() >= kMostEntries) {
    if (!std::exchange(isFull_, true))
      caveats_.push_back(fmt::format("the run changed more than {} files: how the others were before was not "
                                     "kept, so that experiments begin with them as the run left them",
                                     kMostEntries));
    return;
  }
  if (isNew) known = entries_.emplace(path, isThere ? entryOf(path, status) : Entry{.isWhole = true}).first;
  if (isNew) known->second.file.path = path;
  if (known == entries_.end() || !withAll || !S_ISDIR(status.st_mode) || known->second.isWhole) return;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, failed))
    keep(entry.path().string(), true);
  known->second.isWhole = true;
}

FileKeeper::Entry FileKeeper::entryOf(const std::string& path, const struct stat& status) {
  Entry entry{.device = status.st_dev, .inode = status.st_ino, .changed = nanoseconds(status.st_ctim)};
  entry.file.path = path;
  entry.file.mode = status.st_mode & 07777;
  entry.file.modified = nanoseconds(status.st_mtim);
  if (S_ISDIR(status.st_mode)) {
    entry.file.kind = KeptFile::Directory;
  } else if (S_ISLNK(status.st_mode)) {
    entry.file.kind = KeptFile::Link;
    entry.file.bytes = linkText(path);
  } else if (!S_ISREG(status.st_mode)) {
    lose(entry, "it is no regular file");
  } else {
    entry.file.kind = KeptFile::File;
    uint64_t size = uint64_t(status.st_size);
    if (size > std::min(room_, kLargestFile)) {
      lose(entry, fmt::format("its {} are more than is kept", humanSize(size)));
      return entry;
    }
    auto bytes = readFile(path);
    if (!bytes)
      lose(entry, bytes.error().message);
    else
      entry.file.bytes = std::move(*bytes);
    room_ -= std::min<uint64_t>(room_, entry.file.bytes.size());
  }
  return entry;
}

void FileKeeper::lose(Entry& entry, const std::string& why) {
  entry.isLost = true;
  entry.why = why;
}

bool FileKeeper::isUnchanged(const Entry& entry) const {
  const KeptFile& file = entry.file;
  struct stat now;
  if (lstat(file.path.c_str(), &now) != 0) return file.kind == KeptFile::Absent;
  if (file.kind == KeptFile::Absent) return false;
  if (now.st_dev == entry.device && now.st_ino == entry.inode && nanoseconds(now.st_ctim) == entry.changed)
    return true;
  if (entry.isLost) return false;
  const bool hasSameMode = (now.st_mode & 07777) == file.mode;
  if (file.kind == KeptFile::Directory) return S_ISDIR(now.st_mode) && hasSameMode;
  if (file.kind == KeptFile::Link) return S_ISLNK(now.st_mode) && linkText(file.path) == file.bytes;
  if (!S_ISREG(now.st_mode) || !hasSameMode || uint64_t(now.st_size) != file.bytes.size()) return false;
  auto bytes = readFile(file.path);
  return bytes && *bytes == file.bytes;
}

KeptFiles FileKeeper::finish() {
  uint64_t one = 1;
  (void)!write(stop_.get(), &one, sizeof one);
  thread_.join();
  if (awaitsMore(listener_.get())) answerOnBehalf(listener_.get());
  listener_.reset();
  KeptFiles out;
  for (auto& [path, entry] : entries_) {
    if (isUnchanged(entry)) continue;
    if (!entry.isLost)
      out.push_back(std::move(entry.file));
    else if (!entry.why.empty())
      caveats_.push_back(fmt::format("how {} was before the run changed it was not kept ({}): experiments "
                                     "begin with it as the run left it",
                                     path, entry.why));
  }
  return out;
}

} // namespace faultline::recording
