// Fills a StopReport from a stopped replay.
#pragma once

#include "finding/stop.h"
#include "replay/failure_point.h"

namespace faultline::finding {

struct StopQuestion {
  ProgramInfo program = {};
  std::vector<replay::FrameView> frames = {}; // innermost first
  const replay::MemoryView* memory = nullptr;
  const replay::SymbolView* symbols = nullptr;
  std::vector<replay::HeapBlock> heap = {};
  std::optional<replay::RunEnd> end = {};      // set if the stop is the run's end
  std::optional<replay::Failure> failure = {}; // set if it is known already
  std::string instance = {};
  bool allFrames = false; // variables of every frame, not of the innermost alone
  bool globals = false;
  std::vector<std::string> print = {}; // expressions, over the innermost frame of the program's own
};

StopReport describeStop(const StopQuestion& question);

// The failure alone, for the other techniques.
FailureInfo describeFailure(const replay::Failure& failure, const StopQuestion& question);

// The wrong byte, and who wrote it.
OutputInfo describeOutput(const replay::OutputDifference& difference,
                          const std::optional<replay::OutputOrigin>& origin);

// Where a frame stands; absolute path, qualified name of the function.
Place placeOf(const replay::FrameView& frame, std::string_view workingDirectory);

// Frames whose source belongs to the system: /usr/include, the compiler's own headers.
bool isLibraryFrame(const Place& place);

} // namespace faultline::finding
