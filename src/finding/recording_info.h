// A recording seen from outside, for `info` and `list`, and the proof that it replays, for `verify`.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct RecordingInfo {
  ProgramInfo program;
  std::string path; // of the recording
  std::string created;
  std::string outcome; // "Segmentation fault", "exit status 1", "passed", "cut off"
  bool failed = false;
  double seconds = 0;
  uint64_t epochs = 0;
  uint64_t records = 0;
  uint64_t rawBytes = 0;
  uint64_t storedBytes = 0;
  uint32_t threads = 1;
  std::vector<std::string> caveats;
};

struct VerifyReport {
  RecordingInfo recording;
  bool isSame = false;
  std::vector<std::string> checked; // what was compared and found equal
  std::string difference;           // the first one, if not
  std::string instance;             // where
  Place place;
  uint64_t instructions = 0;
  double seconds = 0; // of the replay
  std::vector<std::string> caveats;
};

Document toDocument(const RecordingInfo& info);
Document toDocument(const VerifyReport& report);

} // namespace faultline::finding
