// Documents as text for a person at a terminal, 80 columns wide unless it is wider.
#pragma once

#include "finding/recording_info.h"
#include "finding/stop.h"
#include "report/excerpt.h"

namespace faultline::report {

struct StopOptions {
  bool allFrames = false; // variables of every frame
};

// What happened, the line it happened at, how the program got there, and what its variables held.
std::string renderStop(const finding::StopReport& report, SourceFiles& files, const Screen& screen,
                       const StopOptions& options = {});
std::string renderInfo(const finding::RecordingInfo& info, const Screen& screen);
std::string renderVerify(const finding::VerifyReport& report, SourceFiles& files, const Screen& screen);

// "Segmentation fault: write to 0x8 (...) in sum_list() at list.c:12:9".
std::string headline(const finding::FailureInfo& failure, const Screen& screen);

// Pieces for other reports. `indent` goes before every line; a value that is too long goes on below.
std::string renderValues(const std::vector<finding::Value>& values, uint32_t indent, const Screen& screen);
std::string renderCaveats(const std::vector<std::string>& caveats, const Screen& screen);
// Broken at blanks to fit the width; lines after the first are indented.
std::string wrapped(std::string_view text, uint32_t width, uint32_t indent);

} // namespace faultline::report
