// Keeps what files were before a program changes them, while it runs: each is copied when the program, or
// what it starts, is about to change it for the first time (change_filter.h).
//
// A program that only makes new files costs a note for each; what is large, or very much, is not kept, and
// caveats() says so.
#pragma once

#include "recording/input.h"
#include "recording/kept_file.h"

#include <map>
#include <thread>

namespace faultline::recording {

// Bytes of files that are kept: $FAULTLINE_KEEP_SIZE, or 128 MB; 0: files are not kept.
uint64_t keptSize();

class FileKeeper {
public:
  FileKeeper(FileDescriptor listener, uint64_t room);
  ~FileKeeper();
  FileKeeper(const FileKeeper&) = delete;
  FileKeeper& operator=(const FileKeeper&) = delete;

  // Once the program has ended. What stands there as it did before is not among them.
  KeptFiles finish();
  const std::vector<std::string>& caveats() const { return caveats_; }

private:
  struct Entry {
    KeptFile file = {};
    uint64_t device = 0, inode = 0;
    int64_t changed = 0;  // of the inode, nanoseconds
    bool isWhole = false; // nothing below it is asked for any more
    bool isLost = false;  // it could not be kept
    std::string why = {};
  };

  void serve();
  bool answer();
  void look(uint64_t id, uint32_t process, const struct FileChange& change);
  bool isKnown(const std::string& path) const;
  void keep(const std::string& path, bool withAll);
  Entry entryOf(const std::string& path, const struct stat& status);
  void lose(Entry& entry, const std::string& why);
  bool isUnchanged(const Entry& entry) const;

  FileDescriptor listener_, stop_;
  uint64_t room_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> caveats_;
  bool isFull_ = false;
  std::thread thread_;
};

} // namespace faultline::recording
