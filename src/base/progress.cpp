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

namespace {

bool isWatched(const Log& log) { return log.terminal().interactive && log.verbosity() != Verbosity::Quiet; }

// One column stays free: some terminals wrap when the last one is written.
int widthOf(const Log& log) { return log.terminal().width - 1; }

void draw(std::FILE* stream, std::string_view line) {
  fmt::print(stream, "\r\x1b[K{}", line);
  std::fflush(stream);
}

} // namespace

Progress::Progress(const Log& log, std::string title, uint64_t total, std::FILE* stream)
    : title_(std::move(title)), total_(total), stream_(stream), width_(widthOf(log)), shown_(isWatched(log)) {
}

Progress::~Progress() {
  if (drawn_) draw(stream_, "");
}

void Progress::look(Clock::time_point now) {
  std::chrono::duration<double> elapsed = now - start_;
  // At the rate so far, a fiftieth of a second may pass before the clock is read again.
  double perSecond = static_cast<double>(done_) / std::max(elapsed.count(), 1e-3);
  lookAgainAt_ = done_ + static_cast<uint64_t>(perSecond / 50) + 1;
  if (now < nextDraw_) return;
  nextDraw_ = now + std::chrono::milliseconds(200);
  draw(stream_, progressLine(title_, done_, total_, elapsed, width_));
  drawn_ = true;
}

StatusLine::StatusLine(const Log& log, std::FILE* stream)
    : stream_(stream), width_(widthOf(log)), shown_(isWatched(log)) {}

void StatusLine::clear() {
  if (drawn_) draw(stream_, "");
  drawn_ = false;
}

void StatusLine::show(std::string line) {
  if (!shown_) return;
  if (width_ > 0 && line.size() > static_cast<size_t>(width_)) {
    size_t end = static_cast<size_t>(width_);
    while (end > 0 && (line[end] & 0xc0) == 0x80) --end; // no half letter
    line.resize(end);
  }
  draw(stream_, line);
  drawn_ = true;
}

} // namespace faultline
