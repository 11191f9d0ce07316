#include "experiment/cell_session.h"

#include "base/descriptors.h"
#include "experiment/cell_inside.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace faultline::experiment {
namespace {

using recording::FileDescriptor;

// How long the inside may take to end a run.
constexpr std::chrono::seconds kGrace{20};
// Milliseconds between looks at the program's count of steps.
constexpr int kTick = 2;
// Bytes of output at once after which more of it is awaited for some milliseconds: far from filling a pipe.
constexpr size_t kLittle = 8 << 10;
constexpr int kMoment = 1;

Result<void> makePipe(FileDescriptor& reading, FileDescriptor& writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", std::strerror(errno));
  reading = FileDescriptor(ends[0]);
  writing = FileDescriptor(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {};
}

bool sendOrder(int socket, const int (&descriptors)[cell::kDescriptors]) {
  char what = cell::kRun;
  const iovec part{&what, 1};
  return sendDescriptors(socket, {&part, 1}, descriptors) == 1;
}

} // namespace

Result<void> CellSession::begin() {
  FileDescriptor output, errors;
  FL_CHECK(makePipe(output_, output));
  FL_CHECK(makePipe(errors_, errors));
  start_ = Clock::now();
  if (!sendOrder(socket_, {run_.input, output.get(), errors.get(), run_.shared}))
    return errorf("the process in which experiments run has died");
  unread_ = run_.inputBytes;
  if (run_.inputEnd.get() >= 0) fcntl(run_.inputEnd.get(), F_SETFL, O_NONBLOCK);
  return {};
}

bool CellSession::follow() {
  while (!wait(millisecondsLeft())) {
    if (stopped_ && Clock::now() > *stopped_ + kGrace) return false;
    if (!stopped_ && isOverdue()) continue;
  }
  char what = 0;
  bool heard = recv(socket_, &what, 1, 0) == 1 && what == cell::kDone;
  ending_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  takeRest();
  return heard;
}

int CellSession::millisecondsLeft() const {
  if (stopped_) return 1000;
  int most = limits_.epochs > 0 && run_.epochs ? kTick : 1'000'000;
  if (limits_.seconds <= 0) return most;
  std::chrono::duration<double> used = Clock::now() - start_;
  return std::clamp(int((limits_.seconds - used.count()) * 1000) + 1, 0, most);
}

bool CellSession::isOverdue() {
  std::chrono::duration<double> used = Clock::now() - start_;
  if (limits_.seconds > 0 && used.count() >= limits_.seconds)
    stop(Ending::Time);
  else if (limits_.epochs > 0 && run_.epochs &&
           *static_cast<const volatile uint64_t*>(run_.epochs) > limits_.epochs)
    stop(Ending::Steps);
  return stopped_.has_value();
}

void CellSession::stop(Ending::Cut why) {
  if (stopped_) return;
  ending_.cut = why;
  stopped_ = Clock::now();
  char what = cell::kStop;
  send(socket_, &what, 1, MSG_NOSIGNAL);
}

// Returns true once the inside has spoken.
bool CellSession::wait(int milliseconds) {
  // Who writes line by line would wake us for each line, at its own cost.
  const bool looksAtOutput = !std::exchange(tookLittle_, false);
  if (!looksAtOutput) milliseconds = std::min(milliseconds, kMoment);
  pollfd fds[] = {{socket_, POLLIN, 0},
                  {looksAtOutput ? output_.get() : -1, POLLIN, 0},
                  {looksAtOutput ? errors_.get() : -1, POLLIN, 0},
                  {run_.inputEnd.get(), POLLOUT, 0},
                  {stopped_ ? -1 : run_.stop, POLLIN, 0}};
  if (poll(fds, 5, milliseconds) <= 0) return false;
  const size_t before = ending_.output.size() + ending_.errors.size();
  if (fds[1].revents) take(output_, ending_.output);
  if (fds[2].revents) take(errors_, ending_.errors);
  const size_t taken = ending_.output.size() + ending_.errors.size() - before;
  tookLittle_ = taken > 0 && taken < kLittle;
  if (fds[3].revents) feed();
  if (fds[4].revents) stop(Ending::Broken);
  return fds[0].revents != 0;
}

// A pipe that nobody reads any more would end us by SIGPIPE, at any moment.
void CellSession::feed() {
  sigset_t broken, before;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken, &before);
  ssize_t n = unread_.empty() ? 0 : write(run_.inputEnd.get(), unread_.data(), unread_.size());
  int error = n < 0 ? errno : 0;
  timespec now{};
  if (error == EPIPE) sigtimedwait(&broken, nullptr, &now);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == EAGAIN || error == EINTR) return;
  if (n > 0) unread_.remove_prefix(size_t(n));
  if (n < 0 || unread_.empty()) run_.inputEnd.reset(); // nobody reads it, or that was all
}

void CellSession::take(FileDescriptor& stream, std::string& text) {
  char buffer[64 << 10];
  ssize_t n = read(stream.get(), buffer, sizeof buffer);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) return stream.reset();
  size_t room =
      limits_.output ? size_t(limits_.output - std::min<uint64_t>(limits_.output, text.size())) : size_t(n);
  text.append(buffer, std::min(size_t(n), room));
  if (size_t(n) > room) stop(Ending::Output);
}

// All that could write is dead, so the streams end.
void CellSession::takeRest() {
  while (output_.get() >= 0 && ending_.cut != Ending::Output) {
    size_t before = ending_.output.size();
    take(output_, ending_.output);
    if (output_.get() >= 0 && ending_.output.size() == before) break;
  }
  while (errors_.get() >= 0 && ending_.cut != Ending::Output) {
    size_t before = ending_.errors.size();
    take(errors_, ending_.errors);
    if (errors_.get() >= 0 && ending_.errors.size() == before) break;
  }
}

Ending CellSession::ending(const CellReport* report) {
  ending_.method = Ending::Fresh;
  if (!report) {
    ending_.cut = Ending::Broken;
    ending_.broken = "the process in which experiments run was killed, or does not answer";
    return std::move(ending_);
  }
  if (ending_.cut == Ending::None) ending_.cut = report->cut;
  if (ending_.cut == Ending::Broken) ending_.broken = "it was no longer wanted";
  ending_.waitStatus = report->waitStatus;
  ending_.isCopy = report->isCopy;
  ending_.isLateCopy = report->isLateCopy;
  ending_.blocked = report->blocked;
  ending_.errorBytes = ending_.errors.size();
  return std::move(ending_);
}

} // namespace faultline::experiment
