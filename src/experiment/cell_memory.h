// The memory that the two sides of a cell share (cell.h): what is to be done inside, and how it went.
//
// The inside is a copy of our process, made by clone without exec. The memory lies at the same address in
// both, so pointers into it hold on both sides. Inside nothing may be allocated (a thread of ours that held
// the allocator's lock is not there to release it), so everything is laid out here first.
#pragma once

#include "base/result.h"
#include "experiment/run.h"
#include "recording/kept_file.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace faultline::experiment {

// How the file system that the program sees is put together, in this order.
struct MountStep {
  enum Kind : uint32_t {
    Directory, // an empty one, for what follows
    Link,      // a symbolic link
    File,      // a file as it is, read only
    Overlay,   // a directory and all below it, with a layer of our own above
  };
  Kind kind;
  const char* path;   // absolute
  const char* target; // Link
  uint32_t mode;
  uid_t user;
  gid_t group;
  bool layered = false; // inside: an overlay is mounted there
};

struct CellPlan {
  bool contained = true;
  bool onlyFiles = false; // processes and all else are those outside
  MountStep* steps = nullptr;
  size_t stepCount = 0, stepRoom = 0;
  uint64_t scratch = 0; // bytes that may be written
  uint64_t memory = 0;
  unsigned processes = 0;
};

struct CellFile {
  recording::KeptFile::Kind kind;
  const char* path;
  const char* bytes;
  size_t size;
  bool isKept = false; // as recording::KeptFile has it, else only its bytes are given
  uint32_t mode = 0;
  int64_t modified = 0;
};

struct CellOrder {
  const char* executable = nullptr;
  char** argv = nullptr;
  char** env = nullptr;
  const char* cwd = nullptr;
  const CellFile* files = nullptr;
  size_t fileCount = 0;
  uint64_t memory = 0, fileSize = 0;
  unsigned processes = 0;
  bool planChanged = false;      // since the last run
  bool repeats = false;          // executable, arguments, environment and directory are those of the last run
  bool onlyInputDiffers = false; // ... and all else but standard input
  double seconds = 0;            // that the run may take; 0: no limit
};

struct CellReport {
  // What could not be done, and why; null: nothing. A string of the program text, the same on both sides.
  const char* failed = nullptr;
  int error = 0;
  const char* about = nullptr; // the path that it was about
  Ending::Cut cut = Ending::None;
  int waitStatus = 0;
  bool isCopy = false, isLateCopy = false;
  uint64_t blocked = 0;
};

class CellMemory {
public:
  static Result<CellMemory> create();
  CellMemory(CellMemory&& other) noexcept;
  CellMemory& operator=(CellMemory&&) = delete;
  ~CellMemory();

  CellPlan& plan() const { return head().plan; }
  CellOrder& order() const { return head().order; }
  CellReport& report() const { return head().report; }

  // Space behind what was taken before; null once it is full.
  void* take(size_t size);
  template <class T> T* array(size_t count) { return static_cast<T*>(take(count * sizeof(T))); }
  const char* copy(std::string_view bytes); // with a zero behind it
  char** list(const std::vector<std::string>& strings);
  // What is taken from here on is given back by rewind().
  void mark() { mark_ = used_; }
  void rewind();

  // A null path or content: it is full.
  CellFile place(const recording::KeptFile& file);

private:
  struct Head {
    CellPlan plan;
    CellOrder order;
    CellReport report;
  };
  explicit CellMemory(char* base) : base_(base) {}
  Head& head() const { return *reinterpret_cast<Head*>(base_); }

  char* base_;
  size_t used_ = sizeof(Head), mark_ = sizeof(Head);
};

} // namespace faultline::experiment
