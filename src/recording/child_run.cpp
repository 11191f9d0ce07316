#include "recording/child_run.h"

#include "recording/log_decode.h"
#include "recording/time_limit.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace faultline::recording {

Result<std::unique_ptr<ChildRun>> ChildRun::create(Setting setting, SharedLog log,
                                                   std::shared_ptr<LogStore> parent, uint32_t before) {
  FL_TRY(spool, Writer::create(setting.path, setting.sizeLimit));
  FileDescriptor pidFd(int(syscall(SYS_pidfd_open, setting.pid, 0)));
  if (pidFd.get() < 0) return errorf("child {} is gone already", setting.pid);
  auto store = std::make_shared<LogStore>(spool.duplicate(), std::move(parent), before);
  return std::make_unique<ChildRun>(std::move(setting), std::move(log), std::move(spool), std::move(pidFd),
                                    std::move(store));
}

ChildRun::ChildRun(Setting setting, SharedLog log, Writer spool, FileDescriptor pidFd,
                   std::shared_ptr<LogStore> store)
    : setting_(std::move(setting)), log_(std::move(log)), spool_(std::move(spool)), pidFd_(std::move(pidFd)),
      store_(std::move(store)) {}

ChildRun::~ChildRun() {
  if (drainer_.joinable()) drainer_.join();
}

void ChildRun::start() {
  drainer_ = std::thread([this] { drain(); });
}

void ChildRun::signal(int number) const { syscall(SYS_pidfd_send_signal, pidFd_.get(), number, nullptr, 0); }

void ChildRun::endByTimeLimit() {
  if (timeLimits_++ == 0)
    sendTimeLimit(setting_.pid);
  else
    signal(SIGKILL);
}

void ChildRun::drain() {
  log_.drain(
      [this](std::string_view bytes) {
        auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
        end_.rawBytes += bytes.size();
        if (!spool_.stopped().empty()) return;
        PackedChunk chunk = packLog(firstEpoch(data, data + bytes.size()), bytes);
        if (spool_.add(chunk))
          store_->stored(chunk, spool_.size());
        else
          store_->close();
      },
      [this] { return isOver(); });
  store_->close();
  takeEnd();
  done_.store(true, std::memory_order_release);
}

bool ChildRun::isOver() {
  pollfd dead{pidFd_.get(), POLLIN, 0};
  if (poll(&dead, 1, 0) > 0) return true;
  return execed_ = hasReplacedItself();
}

bool ChildRun::hasReplacedItself() const {
  if (log_.state().execs == 0) return false;
  struct stat variant, now;
  if (stat(setting_.variant.c_str(), &variant) != 0) return false;
  if (stat(fmt::format("/proc/{}/exe", setting_.pid).c_str(), &now) != 0) return errno == EACCES;
  return variant.st_dev != now.st_dev || variant.st_ino != now.st_ino;
}

void ChildRun::takeEnd() {
  const fl_state& state = log_.state();
  // Dead in the moment that it replaced itself is rare, and its log says nothing else.
  if (state.execs != 0 && state.ended == 0) execed_ = true;
  forks_ = state.forks;
  end_.ended = state.ended != 0;
  end_.timedOut = timeLimits_ > 0;
  end_.waitStatus = end_.ended ? int(state.wait_status) : SIGKILL;
  end_.epoch = log_.epoch();
  end_.ext = state.ext;
  end_.thread = state.thread;
  end_.records = state.records;
  end_.forks = state.forks;
  end_.threaded = (state.flags & FL_FLAG_THREADED) != 0;
  end_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (!end_.ended && !execed_)
    end_.caveats.push_back("the child did not close its log: it was killed, and only its parent knows how");
  if (!log_.damage().empty()) end_.caveats.push_back("the end of the log is lost: " + log_.damage());
}

Result<bool> ChildRun::write(const std::vector<PackedChunk>& objects, uint64_t& fileSize) {
  FL_TRY(writer, Writer::create(setting_.path, setting_.sizeLimit));
  writer.add(packMeta(setting_.meta));
  for (const PackedChunk& object : objects) writer.add(object);
  if (!store_->readAll([&](const PackedChunk& chunk) { writer.add(chunk); })) return false;
  std::string stopped = !writer.stopped().empty() ? writer.stopped() : spool_.stopped();
  if (!stopped.empty()) end_.caveats.push_back("the recording is not complete: " + stopped);
  end_.storedBytes = writer.size();
  writer.add(packEnd(end_));
  FL_CHECK(writer.commit());
  fileSize = writer.size();
  return true;
}

} // namespace faultline::recording
