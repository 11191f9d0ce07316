#include "recording/input_pump.h"

#include <cerrno>
#include <fcntl.h>

namespace faultline::recording {

static constexpr size_t kPiece = 1 << 20;

InputPump::InputPump(int from, FileDescriptor to, std::function<void(const std::string&)> keep)
    : from_(from), to_(std::move(to)), keep_(std::move(keep)) {
  fcntl(to_.get(), F_SETFL, O_NONBLOCK);
}

pollfd InputPump::awaited() const {
  if (to_.get() < 0) return {-1, 0, 0};
  return pending_.empty() ? pollfd{from_, POLLIN, 0} : pollfd{to_.get(), POLLOUT, 0};
}

void InputPump::move() {
  if (to_.get() < 0) return;
  if (pending_.empty()) read();
  if (!pending_.empty()) write();
}

void InputPump::read() {
  char buffer[64 << 10];
  ssize_t got = ::read(from_, buffer, sizeof buffer);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return to_.reset();
  pending_.assign(buffer, size_t(got));
  total_ += uint64_t(got);
  if (total_ > kMaxInput) keptAll_ = false;
  if (!keptAll_) return;
  collected_ += pending_;
  if (collected_.size() >= kPiece) finish();
}

void InputPump::write() {
  ssize_t written = ::write(to_.get(), pending_.data(), pending_.size());
  if (written < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (written < 0) return to_.reset(); // the program reads no more
  pending_.erase(0, size_t(written));
}

void InputPump::finish() {
  if (!collected_.empty()) keep_(collected_);
  collected_.clear();
}

} // namespace faultline::recording
