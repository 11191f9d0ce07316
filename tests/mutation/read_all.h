// Does with a file all that the reading commands do with it (info, list, verify, show), and more, as it comes
// through the layers below them. An error is a fine answer; it must be one line. What cannot be told from
// inside (a crash, a hang, all memory gone) is for the caller to watch: support/sandbox.h, or a fuzzer.
#pragma once

#include "mutation/mutator.h"
#include "program/image.h"

#include <optional>
#include <string>

namespace faultline::test {

struct ReadLimits {
  uint64_t memory = uint64_t(256) << 20;   // of the replayed program
  uint64_t stackWords = uint64_t(4) << 20; // of each of its threads
  uint64_t steps = 5'000'000;              // instructions
  bool thorough = true;                    // walk back and forth, too
};

// A file in memory that has a path.
class MemoryFile {
public:
  explicit MemoryFile(const Bytes& bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

private:
  int fd_;
  std::string path_;
};

// Each returns what is wrong, or nothing.
std::string readRecording(const Bytes& file, const std::vector<fir::Image>& images, const ReadLimits& limits);
std::string readImage(const Bytes& file);
std::string readProgram(const Bytes& file);

} // namespace faultline::test
