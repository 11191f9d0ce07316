// What a recording says about its run: what was started and how (Meta, at the start of the file), and how it
// ended (End, at its end; missing when the recorder itself was cut off). Kept as JSON in the file.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::recording {

// What the user says is right of a run, beyond that it must not crash.
struct Expectation {
  std::optional<std::string> output = {}; // all of standard output
  std::optional<int> status = {};
  std::string oracle = {}; // a shell command whose status 0 means: passed
  bool isGiven() const { return output || status || !oracle.empty(); }
};

// Of a forked child that was recorded too.
struct ChildOf {
  std::string number; // "2": second child of the program; "2.1": first child of that one; empty: none
  int pid = 0;
  std::string recording; // of the program itself: a file in the same folder
};

// Of a run that hangs, recorded again only until it was well within what it does not get out of.
struct Shortened {
  uint64_t steps = 0;   // that it had made when its time was over; 0: this is no such recording
  double seconds = 0;   // that it was given
  uint64_t entered = 0; // the step at which it came into what it does not get out of; 0: not known
};

struct Meta {
  std::vector<std::string> argv; // argv[0] as the user typed it
  std::vector<std::string> env;  // NAME=value
  std::string cwd;
  std::string program;   // path of the program that was asked for
  std::string programId; // names the IR that the program carries
  std::string variant;   // key of the variant that ran
  std::string created;   // UTC, ISO 8601
  std::string input;     // "inherited", "captured" or "none"
  bool captureOutput = false;
  uint64_t seed = 0;
  uint64_t sizeLimit = 0; // bytes on disk; 0: none
  double timeout = 0;     // seconds; 0: none
  bool alters = false;    // by an alter variant (built quickly?), in a given world:
  bool quick = false;
  uint32_t worldPid = 0;   // the number that the process believed to have
  uint64_t worldClock = 0; // and its clock at the start, nanoseconds since 1970
  uint64_t last = 0;       // only the end of the run was to be kept, in so many bytes; 0: all
  Shortened shortened = {};
  Expectation expectation;
  ChildOf child; // the input is kept, and the output, with the recording of the program itself
};

// A shared object with IR that the program opened by itself (dlopen).
struct LoadedObject {
  std::string path;     // as the program meant it
  std::string objectId; // names the IR that it carries
  std::string variant;  // key of the variant that ran in its place
};

struct End {
  int waitStatus = 0; // as waitpid gave it
  bool timedOut = false;
  bool ended = false; // the program's runtime closed its log; else it was killed
  // The shared state as the program left it (abi/state.h).
  uint64_t epoch = 0;
  uint64_t ext = 0;
  uint64_t counter = 0;     // of the machine, where it crashed
  uint64_t instruction = 0; // ... of a copy of code that may be altered: as fl_state has it
  uint32_t thread = 0;
  uint64_t records = 0;
  uint64_t rawBytes = 0;    // log before compression
  uint64_t storedBytes = 0; // chunks on disk
  uint32_t forks = 0;       // children that it split off
  bool threaded = false;    // it had more than one thread
  uint64_t inputRead = 0;   // how far a run that crashed had come in the file that was its standard input
  double seconds = 0;
  std::vector<std::string> caveats; // what is not in the file, and why

  bool signalled() const;
  int signal() const;     // 0 if it ended by itself
  int exitStatus() const; // meaningful when signal() is 0
};

std::string toJson(const Meta& meta);
std::string toJson(const End& end);
std::string toJson(const LoadedObject& object);
Result<Meta> metaFromJson(std::string_view text);
Result<End> endFromJson(std::string_view text);
Result<LoadedObject> objectFromJson(std::string_view text);

} // namespace faultline::recording
