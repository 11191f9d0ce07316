// The forked children of a run that are recorded beside it, each in a file of its own: crash.flr has
// crash.child-1.flr, crash.child-2.flr, and crash.child-2.1.flr for a child of that child. A child's
// recording begins with the start of the program, as its parent's does.
//
// Those that fail are what the user looks for. So all are recorded, and of those that end well no more are
// kept than asked for; one that replaces itself by another program (exec) is not kept.
#pragma once

#include "recording/child_run.h"
#include "recording/control.h"

#include <list>

namespace faultline::recording {

struct ChildResult {
  std::filesystem::path path;
  std::string number; // "2.1"
  pid_t pid = 0;
  End end;
  uint64_t fileSize = 0;
  bool failed() const { return end.timedOut || end.waitStatus != 0; }
};

struct ChildrenResult {
  std::vector<ChildResult> kept;    // by number
  size_t replaced = 0;              // became other programs
  size_t dropped = 0;               // ended well, more than were to be kept
  std::vector<std::string> trouble; // why a child is missing
};

class Children {
public:
  struct Setting {
    Meta meta; // of the program's own recording
    std::filesystem::path output, variant;
    uint64_t sizeLimit = 0;
    size_t most = 0; // recordings to keep
    uint64_t control = 0, token = 0;
    std::function<std::vector<PackedChunk>()> objects; // that were loaded so far
  };
  // `store`: where the log of the program itself lies.
  Children(Setting setting, std::shared_ptr<LogStore> store);

  // A child asks for its log.
  void begin(const ControlRequest& asked);
  // Looks for those that have ended, and keeps or drops their recordings. False: none runs.
  bool settle();
  // The program itself has ended, after so many forks: a child of which we have not heard may yet ask.
  void parentEnded(uint32_t stream, uint32_t forks);
  bool awaitsMore() const;
  size_t running() const { return runs_.size(); }
  void signal(int number) const;
  void endByTimeLimit();
  ChildrenResult result();

private:
  // A process that may have children of which we have not heard yet.
  struct Parent {
    uint32_t stream;
    std::string number; // empty: the program itself
    std::shared_ptr<LogStore> store;
    uint32_t asked = 0;
    uint32_t forks = 0; // known at its end
    std::optional<std::chrono::steady_clock::time_point> ended = {};
  };
  struct Running {
    uint32_t stream;
    std::unique_ptr<ChildRun> run;
  };
  Parent* parent(uint32_t stream);
  Result<void> tryBegin(const ControlRequest& asked);
  void keep(ChildRun& run);
  bool makeRoom(bool failed);
  void forgetOldParents();

  Setting setting_;
  std::list<Parent> parents_;
  std::list<Running> runs_;
  uint32_t streams_ = 0;
  ChildrenResult result_;
};

} // namespace faultline::recording
