// What is kept beside a recording so that the next question is answered sooner: checkpoints, indexes. Each is
// a file in the folder RUN.flr.index; all can be made again. A file is used only if this very recording and
// this very tool made it: one that is missing, stale, cut off or damaged is the same as none.
//
//   SideFiles side(path, recording.identity());
//   if (auto file = side.open("dependence")) file->read(0, bytes);
//   FL_TRY(file, side.create("dependence"));   // grows under a name of its own; nobody sees it yet
//   FL_CHECK(file.put(bytes));
//   FL_CHECK(file.commit());
//
// Two processes at once do no harm: each writes its own file, and the last one to commit is seen. Only the
// header is checked here; whoever reads the content has to mind its checksums.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace faultline::recording {

class SideFile {
public:
  SideFile(SideFile&& other) noexcept;
  SideFile& operator=(SideFile&&) = delete;
  ~SideFile();

  uint64_t size() const { return size_; } // of the content
  // False: there are not so many bytes, or they cannot be read.
  bool read(uint64_t offset, std::span<uint8_t> out) const;
  // For those who want to map it: the content begins at kContentOffset.
  int fd() const { return fd_; }
  static constexpr uint64_t kContentOffset = 64;

private:
  friend class SideFiles;
  SideFile(int fd, uint64_t size) : fd_(fd), size_(size) {}
  int fd_;
  uint64_t size_;
};

class SideFileWriter {
public:
  SideFileWriter(SideFileWriter&& other) noexcept;
  SideFileWriter& operator=(SideFileWriter&&) = delete;
  ~SideFileWriter(); // without commit() nothing is left behind

  // Appends to the content. Fails when the size limit is passed or the disk is full.
  Result<void> put(std::span<const uint8_t> bytes);
  uint64_t size() const { return size_; } // of the content so far
  Result<void> commit();

private:
  friend class SideFiles;
  SideFileWriter(std::filesystem::path path, std::filesystem::path temporary, int fd, uint64_t recording,
                 uint64_t limit)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd), recording_(recording),
        limit_(limit) {}
  std::filesystem::path path_, temporary_;
  int fd_;
  uint64_t recording_;
  uint64_t limit_;
  uint64_t size_ = 0;
};

class SideFiles {
public:
  // `identity`: Recording::identity().
  SideFiles(const std::filesystem::path& recording, uint64_t identity);

  std::optional<SideFile> open(const std::string& name) const;
  Result<SideFileWriter> create(const std::string& name) const;

  const std::filesystem::path& directory() const { return directory_; }
  // Bytes that one file may have: $FAULTLINE_INDEX_SIZE, or 256 MB; 0: none may be written.
  uint64_t sizeLimit() const { return limit_; }

private:
  std::filesystem::path directory_;
  uint64_t identity_;
  uint64_t limit_;
};

struct SideFileInfo {
  std::string name;
  uint64_t bytes = 0;
};
// What lies beside a recording, of use or not.
std::vector<SideFileInfo> listSideFiles(const std::filesystem::path& recording);
// Removes what we put there, and the folder if nothing else is in it.
void removeSideFiles(const std::filesystem::path& recording);

// Names the build of this tool: another build may number or replay differently.
uint64_t toolIdentity();

} // namespace faultline::recording
