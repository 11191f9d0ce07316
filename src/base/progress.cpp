#include "base/progress.h"

#include "base/text.h"

#include <algorithm>

namespace faultline {

std::string progressLine(std::string_view title, uint64_t done, uint64_t total,
                         std::chrono::duration<double> elapsed, int width) {
  double rate = elapsed.count() > 0 ? static_cast<double>(done) / elapsed.count() : 0;
  std::string line = fmt::format("{}  {}", title, withThousands(done));
  if (total > 0)
    line += fmt::format("/{}  {:.0f}%", withThousands(total),
                        100.0 * static_cast<double>(done) / static_cast<double>(total));
  line += fmt::format("  {}/s", withThousands(static_cast<uint64_t>(rate)));
  if (total > done && rate > 0)
    line += fmt::format("  {} left", humanDuration(static_cast<double>(total - done) / rate));
  if (width > 0 && line.size() > static_cast<size_t>(width)) line.resize(static_cast<size_t>(width));
  return line;
}

Progress::Progress(const Log& log, std::string title, uint64_t total, std::FILE* stream)
    : title_(std::move(title)), total_(total), stream_(stream),
      // One column stays free: some terminals wrap when the last one is written.
      width_(log.terminal().width - 1),
      shown_(log.terminal().interactive && log.verbosity() != Verbosity::Quiet) {}

Progress::~Progress() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
}

void Progress::look(Clock::time_point now) {
  std::chrono::duration<double> elapsed = now - start_;
  // At the rate so far, a fiftieth of a second may pass before the clock is read again.
  double perSecond = static_cast<double>(done_) / std::max(elapsed.count(), 1e-3);
  lookAgainAt_ = done_ + static_cast<uint64_t>(perSecond / 50) + 1;
  if (now < nextDraw_) return;
  nextDraw_ = now + std::chrono::milliseconds(200);
  fmt::print(stream_, "\r\x1b[K{}", progressLine(title_, done_, total_, elapsed, width_));
  std::fflush(stream_);
  drawn_ = true;
}

} // namespace faultline
