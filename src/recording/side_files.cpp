#include "recording/side_files.h"

#include "base/text.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace faultline::recording {
namespace {

constexpr char kSideMagic[8] = {'F', 'L', 'T', 'S', 'I', 'D', 'E', 1};
constexpr uint64_t kDefaultLimit = 256'000'000;
constexpr const char* kPart = ".part-";

struct SideHeader {
  char magic[8];
  uint64_t recording;
  uint64_t tool;
  uint64_t size; // of the content
  uint64_t hash; // XXH3 of what stands before
};
static_assert(sizeof(SideHeader) <= SideFile::kContentOffset);

uint64_t hashOf(const SideHeader& header) { return XXH3_64bits(&header, offsetof(SideHeader, hash)); }

bool readAt(int fd, uint64_t offset, void* to, size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    ssize_t got = pread(fd, at, size, off_t(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, offset += uint64_t(got), size -= size_t(got);
  }
  return true;
}

bool writeAt(int fd, uint64_t offset, const void* from, size_t size) {
  auto* at = static_cast<const char*>(from);
  while (size > 0) {
    ssize_t written = pwrite(fd, at, size, off_t(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    at += written, offset += uint64_t(written), size -= size_t(written);
  }
  return true;
}

fs::path folderOf(const fs::path& recording) {
  fs::path folder = recording;
  folder += ".index";
  return folder;
}

bool isOurs(const fs::path& file) {
  int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return false;
  char magic[sizeof kSideMagic];
  bool same = readAt(fd, 0, magic, sizeof magic) && std::memcmp(magic, kSideMagic, sizeof magic) == 0;
  close(fd);
  return same || file.filename().string().find(kPart) != std::string::npos;
}

// A process that was killed while it wrote leaves its part behind.
void removeOldParts(const fs::path& folder) {
  std::error_code ignored;
  auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().find(kPart) != std::string::npos &&
        entry.last_write_time(ignored) < old)
      fs::remove(entry.path(), ignored);
}

uint64_t chosenLimit() {
  const char* said = getenv("FAULTLINE_INDEX_SIZE");
  if (!said || !*said) return kDefaultLimit;
  auto size = parseSize(said);
  return size ? *size : kDefaultLimit;
}

// The linker's build id of the executable, which is the first object that is listed.
int takeBuildId(dl_phdr_info* object, size_t, void* to) {
  for (int k = 0; k < object->dlpi_phnum; ++k) {
    const ElfW(Phdr)& part = object->dlpi_phdr[k];
    if (part.p_type != PT_NOTE) continue;
    auto* at = reinterpret_cast<const uint8_t*>(object->dlpi_addr + part.p_vaddr);
    for (const uint8_t* end = at + part.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const uint8_t* name = at + sizeof note;
      const uint8_t* content = name + ((note.n_namesz + 3) & ~3u);
      at = content + ((note.n_descsz + 3) & ~3u);
      if (at > end || note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
          std::memcmp(name, "GNU", 4) != 0)
        continue;
      *static_cast<uint64_t*>(to) = XXH3_64bits(content, note.n_descsz);
    }
  }
  return 1;
}

} // namespace

uint64_t toolIdentity() {
  static const uint64_t identity = [] {
    uint64_t id = 0;
    dl_iterate_phdr(takeBuildId, &id);
    if (id) return id;
    // Linked without one: when the file was made tells as much.
    struct stat status{};
    stat("/proc/self/exe", &status);
    int64_t parts[] = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    return uint64_t(XXH3_64bits(parts, sizeof parts));
  }();
  return identity;
}

SideFile::SideFile(SideFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)), size_(other.size_) {}
SideFile::~SideFile() {
  if (fd_ >= 0) close(fd_);
}

bool SideFile::read(uint64_t offset, std::span<uint8_t> out) const {
  if (offset > size_ || out.size() > size_ - offset) return false;
  return readAt(fd_, kContentOffset + offset, out.data(), out.size());
}

SideFileWriter::SideFileWriter(SideFileWriter&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, fs::path())),
      fd_(std::exchange(other.fd_, -1)), recording_(other.recording_), limit_(other.limit_),
      size_(other.size_) {}

SideFileWriter::~SideFileWriter() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<void> SideFileWriter::put(std::span<const uint8_t> bytes) {
  if (size_ + bytes.size() > limit_)
    return errorf("{} would be larger than {}: set FAULTLINE_INDEX_SIZE to allow more", path_.string(),
                  humanSize(limit_));
  if (!writeAt(fd_, SideFile::kContentOffset + size_, bytes.data(), bytes.size()))
    return errorf("cannot write {}: {}", path_.string(), std::strerror(errno));
  size_ += bytes.size();
  return {};
}

Result<void> SideFileWriter::commit() {
  SideHeader header{};
  std::memcpy(header.magic, kSideMagic, sizeof kSideMagic);
  header.recording = recording_;
  header.tool = toolIdentity();
  header.size = size_;
  header.hash = hashOf(header);
  bool written =
      writeAt(fd_, 0, &header, sizeof header) && ftruncate(fd_, off_t(SideFile::kContentOffset + size_)) == 0;
  if (!written || close(std::exchange(fd_, -1)) != 0 || rename(temporary_.c_str(), path_.c_str()) != 0)
    return errorf("cannot write {}: {}", path_.string(), std::strerror(errno));
  temporary_.clear();
  return {};
}

SideFiles::SideFiles(const fs::path& recording, uint64_t identity)
    : directory_(folderOf(recording)), identity_(identity), limit_(chosenLimit()) {}

std::optional<SideFile> SideFiles::open(const std::string& name) const {
  int fd = ::open((directory_ / name).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  SideFile file(fd, 0);
  SideHeader header;
  struct stat status;
  if (!readAt(fd, 0, &header, sizeof header) || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  bool good = std::memcmp(header.magic, kSideMagic, sizeof kSideMagic) == 0 &&
              header.hash == hashOf(header) && header.recording == identity_ &&
              header.tool == toolIdentity() && uint64_t(status.st_size) >= SideFile::kContentOffset &&
              uint64_t(status.st_size) - SideFile::kContentOffset == header.size;
  if (!good) return std::nullopt;
  file.size_ = header.size;
  return file;
}

Result<SideFileWriter> SideFiles::create(const std::string& name) const {
  if (limit_ == 0) return errorf("FAULTLINE_INDEX_SIZE allows no files beside the recording");
  if (mkdir(directory_.c_str(), 0777) != 0 && errno != EEXIST)
    return errorf("cannot make {}: {}", directory_.string(), std::strerror(errno));
  removeOldParts(directory_);
  fs::path path = directory_ / name;
  std::string temporary = path.string() + kPart + "XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return errorf("cannot write {}: {}", path.string(), std::strerror(errno));
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  return SideFileWriter(path, temporary, fd, identity_, limit_);
}

std::vector<SideFileInfo> listSideFiles(const fs::path& recording) {
  std::vector<SideFileInfo> files;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator(folderOf(recording), ignored))
    if (entry.is_regular_file(ignored) && isOurs(entry.path()))
      files.push_back({entry.path().filename().string(), entry.file_size(ignored)});
  return files;
}

void removeSideFiles(const fs::path& recording) {
  std::error_code ignored;
  fs::path folder = folderOf(recording);
  for (const SideFileInfo& file : listSideFiles(recording)) fs::remove(folder / file.name, ignored);
  rmdir(folder.c_str()); // stays if something else is in it
}

} // namespace faultline::recording
