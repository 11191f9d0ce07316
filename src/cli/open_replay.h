// A recording, ready to be walked: the file, the program's FIR that fits it, the replay.
#pragma once

#include "cli/run.h"
#include "compiler/variant.h"
#include "replay/replay.h"

namespace faultline::cli {

struct OpenRun {
  std::filesystem::path path;
  recording::Recording recording;
  replay::Replay replay;
  std::vector<std::string> caveats; // of the file
};

// The code of a variant, for replay.
Result<std::vector<fir::Image>> imagesOf(const compiler::Variant& variant);

// Refuses a recording whose program has changed since, and says so. `leavesNothing`: nothing is kept beside
// the recording for the next question.
Result<OpenRun> openRun(const Context& context, const RunOptions& options, bool leavesNothing = false);

} // namespace faultline::cli
