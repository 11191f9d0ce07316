// The summaries of a run's windows, and the file beside the recording that has them for the next process.
#pragma once

#include "depend/window_summary.h"
#include "recording/side_files.h"

namespace faultline::depend {

class Summaries {
public:
  // Null: there is none of a window with just these ends.
  const WindowSummary* find(uint64_t start, uint64_t end) const;
  // `end` may lie behind that of the summary, if the run is over before. Of windows that begin together the
  // longest stays.
  void add(uint64_t start, uint64_t end, WindowSummary summary);
  size_t size() const { return windows_.size(); }

  // Replaces all by what the file has, if there is one, it is whole, and its windows are of that size.
  void load(const recording::SideFiles& side, uint64_t windowInstructions);
  // Writes them if there are any that the file does not have.
  Result<void> write(const recording::SideFiles& side, uint64_t windowInstructions);

private:
  struct Entry {
    uint64_t end;
    WindowSummary summary;
  };
  std::map<uint64_t, Entry> windows_; // by start
  bool isNew_ = false;
};

// The content of the file, without its checksum. Nothing: it is not well-formed.
std::vector<uint8_t> encodeSummary(const WindowSummary& summary);
std::optional<WindowSummary> decodeSummary(std::span<const uint8_t> bytes);

} // namespace faultline::depend
