#include "recording/recorder.h"

#include "base/text.h"
#include "recording/child.h"
#include "recording/file_keeper.h"
#include "recording/input_pump.h"
#include "recording/last_window.h"
#include "recording/log_decode.h"
#include "recording/output_tee.h"
#include "recording/shared_log.h"
#include "recording/signal_forwarder.h"
#include "recording/time_limit.h"
#include "recording/writer.h"

#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <set>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

namespace faultline::recording {
namespace {

using Clock = std::chrono::steady_clock;

// How long the program may take to close its log after the time limit.
constexpr std::chrono::seconds kHangGrace{5};
// Milliseconds after which it is looked again whether a child has ended.
constexpr int kChildTick = 20;
// Bytes of output at once after which more of it is awaited for a millisecond: far from filling a pipe.
constexpr size_t kLittle = 8 << 10;
constexpr int kMoment = 1;
// Milliseconds after which it is looked again how much memory the program has.
constexpr int kMemoryTick = 20;
// After this long we say that we wait for children.
constexpr std::chrono::seconds kSilence{1};

std::string utcNow() {
  std::time_t now = std::time(nullptr);
  std::tm parts;
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Not one that is closed (or will be when the program starts), and no device that may refuse what is written
// to it (/dev/full): the program must see what it would see without us.
bool canBeTaken(int stream) {
  struct stat status;
  if (fstat(stream, &status) != 0 || (fcntl(stream, F_GETFD) & FD_CLOEXEC)) return false;
  return !S_ISCHR(status.st_mode) || isatty(stream) || status.st_rdev == makedev(1, 3);
}

bool isSameStream(int a, int b) {
  struct stat first, second;
  return fstat(a, &first) == 0 && fstat(b, &second) == 0 && !S_ISCHR(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

// Bytes that the process has in memory; what cannot be read counts as none.
uint64_t memoryOf(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * uint64_t(sysconf(_SC_PAGESIZE));
}

Meta describe(const RecordRequest& request, const Input& input) {
  Meta meta;
  meta.argv = request.argv;
  meta.env = request.env;
  meta.cwd = request.cwd.empty() ? std::filesystem::current_path().string() : request.cwd;
  meta.program = request.program;
  meta.programId = request.programId;
  meta.variant = request.variantKey;
  meta.created = utcNow();
  meta.input = input.kind;
  meta.captureOutput = request.captureOutput;
  meta.seed = request.seed;
  meta.sizeLimit = request.sizeLimit;
  meta.last = request.last;
  meta.alters = request.alters;
  meta.quick = request.quick;
  meta.worldPid = request.worldPid;
  meta.worldClock = request.worldClock;
  meta.expectation = request.expectation;
  meta.shortened = request.shortened;
  if (request.timeout) meta.timeout = std::chrono::duration<double>(*request.timeout).count();
  return meta;
}

// One run, from start to end of file.
class Run {
public:
  Run(const RecordRequest& request, Writer writer, ControlSocket control, SharedLog log, Input input)
      : request_(request), writer_(std::move(writer)), control_(std::move(control)), log_(std::move(log)),
        input_(std::move(input)), store_(std::make_shared<LogStore>(writer_.duplicate())) {}

  Result<RecordResult> record() {
    RecordResult result{describe(request_, input_), {}, 0};
    if (request_.last > 0) beginWindow(result.meta);
    storeStart(result.meta);
    if (request_.children > 0) beginChildren(result.meta);
    begin_ = Clock::now();
    FL_CHECK(start());
    {
      SignalForwarder forwarder(child_.pid);
      drainer_ = std::thread([this] { drain(); });
      watch(forwarder);
    }
    for (std::thread& worker : workers_) worker.join();
    if (window_) window_->finish();
    for (OutputTee& tee : tees_) tee.finish();
    if (pump_) pump_->finish();
    if (pump_ && !pump_->keptAll())
      end_.caveats.push_back(
          fmt::format("only the first {} of standard input were kept", humanSize(kMaxInput)));
    if (children_) result.children = children_->result();
    result.files = storeFiles();
    storeEnd();
    FL_CHECK(file().commit());
    result.end = end_;
    result.fileSize = file().size();
    if (window_) result.start = window_->startTime();
    result.outOfMemory = isOutOfMemory_;
    return result;
  }

private:
  // Once the log is complete.
  Writer& file() { return window_ ? window_->writer() : writer_; }

  void beginWindow(const Meta& meta) {
    uint64_t size = request_.sizeLimit ? std::min(request_.last, request_.sizeLimit) : request_.last;
    LastWindow::Setting setting{request_.output, size, size, packMeta(meta), request_.follower};
    window_.emplace(std::move(setting), std::move(writer_));
  }

  void add(const PackedChunk& chunk) {
    if (window_) return window_->add(chunk);
    std::lock_guard guard(writerMutex_);
    writer_.add(chunk);
  }

  void storeStart(const Meta& meta) {
    if (!window_) add(packMeta(meta));
    const size_t kPiece = window_ ? 256 << 10 : 16 << 20; // a window keeps only the first ones
    for (size_t at = 0; at < input_.bytes.size(); at += kPiece)
      add(packInput(std::string_view(input_.bytes).substr(at, kPiece)));
    if (!input_.caveat.empty()) end_.caveats.push_back(input_.caveat);
  }

  Result<void> start() {
    ChildRequest child{
        request_.variant.string(), request_.argv, request_.env, request_.cwd, log_.fd(), {-1, -1, -1}};
    // Always of the same length: the environment lies above the stack, and decides about its addresses.
    child.env.push_back(fmt::format("FAULTLINE_RECORD={:06}", log_.fd()));
    if (request_.seed != 0) child.env.push_back(fmt::format("FAULTLINE_SEED={}", request_.seed));
    if (!request_.program.empty()) child.env.push_back("FAULTLINE_EXE=" + request_.program);
    child.streams[0] = input_.fd.get();
    if (input_.to.get() >= 0)
      pump_.emplace(std::max(input_.from.get(), 0), std::move(input_.to),
                    [this](const std::string& bytes) { add(packInput(bytes)); });
    if (request_.captureOutput) {
      auto keep = [this](uint32_t stream, const std::string& bytes) { add(packOutput(stream, bytes)); };
      for (uint32_t stream : {1u, 2u}) {
        if (request_.passOutput && !canBeTaken(int(stream))) continue;
        // What is to be compared must not be mixed with messages.
        bool apart =
            request_.keepsApart || request_.expectation.output || !request_.expectation.oracle.empty();
        if (stream == 2 && request_.passOutput && !apart && !tees_.empty() && isSameStream(1, 2)) {
          child.streams[2] = child.streams[1]; // `2>&1`: one stream, whose order counts
          continue;
        }
        tees_.emplace_back(stream, request_.passOutput ? int(stream) : -1, keep);
        FL_CHECK(tees_.back().open(apart && isSameStream(1, 2)));
        child.streams[stream] = tees_.back().childEnd();
      }
    }
    child.surroundings = request_.surroundings;
    const uint64_t room = request_.files || window_ ? 0 : keptSize();
    child.watchesFiles = room > 0;
    FL_TRY(started, startChild(child));
    child_ = std::move(started);
    if (child_.fileCalls.get() >= 0)
      keeper_.emplace(std::move(child_.fileCalls), room);
    else if (room > 0)
      end_.caveats.push_back("the kernel does not let us see which files the run changes: experiments begin "
                             "with them as the run left them");
    for (OutputTee& tee : tees_) tee.closeChildEnd();
    if (pump_) input_.fd.reset(); // else it is a file, and tells how far it was read
    if (child_.randomised)
      end_.caveats.push_back("the address space was laid out at random: the kernel does not let us fix it");
    return {};
  }

  void drain() {
    log_.drain([this](std::string_view bytes) {
      auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
      end_.rawBytes += bytes.size();
      // The writer has no use for it any more, but the program must not wait.
      if (!window_ && stopped()) return;
      PackedChunk chunk = packLog(firstEpoch(data, data + bytes.size()), bytes);
      if (window_) return window_->add(chunk);
      std::lock_guard guard(writerMutex_);
      if (writer_.add(chunk))
        store_->stored(chunk, writer_.size());
      else
        store_->close();
    });
    store_->close();
  }

  void beginChildren(Meta meta) {
    meta.input = "inherited";
    meta.captureOutput = false;
    meta.expectation = {};
    children_.emplace(Children::Setting{.meta = std::move(meta),
                                        .output = request_.output,
                                        .variant = request_.variant,
                                        .sizeLimit = request_.sizeLimit,
                                        .most = request_.children,
                                        .control = control_.name(),
                                        .token = control_.token(),
                                        .objects = [this] { return objects(); }},
                      store_);
  }

  bool stopped() {
    std::lock_guard guard(writerMutex_);
    return !writer_.stopped().empty();
  }

  // Until the program is dead, and its children if they are recorded: passes its output on and minds the time
  // limit.
  void watch(SignalForwarder& forwarder) {
    std::optional<Clock::time_point> deadline;
    if (request_.timeout) deadline = begin_ + *request_.timeout;
    while (!isOver(forwarder)) {
      int wait = children_ && (dead_ || children_->running() > 0) ? kChildTick : -1;
      if (deadline) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
        if (left <= 0) deadline = timeIsUp();
        int most = wait < 0 ? 1'000'000 : wait;
        wait = left > 0 ? int(std::min<int64_t>(left, most)) : 0;
      }
      if (request_.memory && !dead_ && !end_.timedOut) {
        wait = wait < 0 ? kMemoryTick : std::min(wait, kMemoryTick);
        isOutOfMemory_ = memoryOf(child_.pid) > request_.memory;
        if (isOutOfMemory_) deadline = timeIsUp();
      }
      waitForNews(wait);
    }
  }

  // A program that writes line by line would wake us for each line, at its own cost. What it writes can wait
  // a moment.
  void waitForNews(int milliseconds) {
    const bool looksAtOutput = !std::exchange(tookLittle_, false);
    if (!looksAtOutput) milliseconds = milliseconds < 0 ? kMoment : std::min(milliseconds, kMoment);
    std::array<pollfd, 5> fds{};
    fds[0] = {dead_ ? -1 : child_.pidFd.get(), POLLIN, 0};
    fds[1] = pump_ ? pump_->awaited() : pollfd{-1, 0, 0};
    fds[2] = {control_.fd(), POLLIN, 0};
    for (size_t i = 0; i < tees_.size(); ++i) fds[i + 3] = {tees_[i].fd(), POLLIN, 0};
    if (poll(fds.data(), 3 + (looksAtOutput ? tees_.size() : 0), milliseconds) <= 0) return;
    if (fds[1].revents) pump_->move();
    if (fds[2].revents) serve();
    size_t taken = 0;
    for (size_t i = 0; i < tees_.size(); ++i)
      if (fds[i + 3].revents) taken += tees_[i].readSome();
    tookLittle_ = taken > 0 && taken < kLittle;
  }

  void serve() {
    while (auto asked = control_.accept())
      if (asked->request.kind == FL_REQUEST_CHILD && children_)
        children_->begin(*asked);
      else if (asked->request.kind == FL_REQUEST_OBJECT && request_.objectVariant)
        startWorker(std::move(*asked));
  }

  void startWorker(ControlRequest asked) {
    constexpr size_t kMostWorkers = 16;
    if (workers_.size() == kMostWorkers) {
      workers_.front().join();
      workers_.pop_front();
    }
    workers_.emplace_back([this, asked = std::move(asked)] { giveObject(asked); });
  }

  // Its variant may have to be made first, which takes a while.
  void giveObject(const ControlRequest& asked) {
    auto made = request_.objectVariant(asked.path);
    if (made && !*made) return;
    std::lock_guard guard(writerMutex_);
    if (!made) {
      end_.caveats.push_back(
          fmt::format("{} is not part of the recording: {}", asked.path, made.error().message));
      return;
    }
    const LoadedObject& object = (*made)->object;
    if (!object.variant.empty() && objectKeys_.insert(object.variant).second) {
      objects_.push_back(packObject(object));
      writer_.add(objects_.back());
    }
    asked.grant((*made)->file.string());
  }

  std::vector<PackedChunk> objects() {
    std::lock_guard guard(writerMutex_);
    return objects_;
  }

  bool isOver(SignalForwarder& forwarder) {
    if (!dead_ && !reap()) return children_ && children_->settle(), false;
    if (!dead_) {
      dead_ = Clock::now();
      end_.seconds = std::chrono::duration<double>(*dead_ - begin_).count();
      forwarder.programEnded();
      log_.programEnded();
      drainer_.join();
      if (children_) children_->parentEnded(0, log_.state().forks);
    }
    if (!children_) return true;
    if (int signal = SignalForwarder::taken()) children_->signal(signal);
    bool running = children_->settle();
    if (running && !toldOfChildren_ && Clock::now() > *dead_ + kSilence) {
      toldOfChildren_ = true;
      if (request_.onlyChildrenRun) request_.onlyChildrenRun(children_->running());
    }
    return !running && !children_->awaitsMore();
  }

  bool reap() {
    int status;
    if (waitpid(child_.pid, &status, WNOHANG) != child_.pid) return false;
    end_.waitStatus = status;
    return true;
  }

  // First the program is asked to close its log where it stands; then it is killed. Returns the time of the
  // next step.
  Clock::time_point timeIsUp() {
    if (dead_) {
      // Its children are late.
    } else if (!end_.timedOut) {
      end_.timedOut = true;
      sendTimeLimit(child_.pid);
    } else {
      kill(child_.pid, SIGKILL);
    }
    if (children_) children_->endByTimeLimit();
    return Clock::now() + kHangGrace;
  }

  std::shared_ptr<const KeptFiles> storeFiles() {
    auto files = request_.files;
    if (keeper_) {
      files = std::make_shared<const KeptFiles>(keeper_->finish());
      end_.caveats.insert(end_.caveats.end(), keeper_->caveats().begin(), keeper_->caveats().end());
    }
    if (!files) return std::make_shared<const KeptFiles>();
    for (const KeptFile& kept : *files) file().add(packFile(kept));
    return files;
  }

  void storeEnd() {
    const fl_state& state = log_.state();
    end_.ended = state.ended != 0;
    end_.epoch = log_.epoch();
    if (request_.steps != 0 && end_.epoch >= request_.steps && end_.signal() == SIGKILL) end_.timedOut = true;
    end_.ext = state.ext;
    if (end_.signalled() && state.fault_signal) {
      end_.counter = state.fault_counter;
      end_.instruction = state.fault_instruction;
    }
    // The place in the file is the same for all who have it open.
    if (off_t at = end_.signalled() && input_.fd.get() >= 0 ? lseek(input_.fd.get(), 0, SEEK_CUR) : 0; at > 0)
      end_.inputRead = uint64_t(at);
    end_.thread = state.thread;
    end_.records = state.records;
    end_.forks = state.forks;
    end_.threaded = (state.flags & FL_FLAG_THREADED) != 0;
    end_.storedBytes = file().size();
    if (state.log_position == nullptr) end_.caveats.push_back("the program ended before it began to record");
    if (!log_.damage().empty()) end_.caveats.push_back("the end of the log is lost: " + log_.damage());
    if (window_)
      for (std::string& caveat : window_->caveats()) end_.caveats.push_back(std::move(caveat));
    if (!file().stopped().empty())
      end_.caveats.push_back("the recording is not complete: " + file().stopped());
    file().add(packEnd(end_));
  }

  const RecordRequest& request_;
  std::mutex writerMutex_;
  Writer writer_;
  ControlSocket control_;
  SharedLog log_;
  Input input_;
  std::shared_ptr<LogStore> store_;
  Child child_;
  Clock::time_point begin_;
  std::optional<Clock::time_point> dead_;
  std::thread drainer_;
  std::optional<Children> children_;
  std::optional<LastWindow> window_;
  bool toldOfChildren_ = false;
  bool isOutOfMemory_ = false;
  bool tookLittle_ = false; // of the output, just now
  std::deque<std::thread> workers_;
  std::vector<PackedChunk> objects_;
  std::set<std::string> objectKeys_;
  std::optional<InputPump> pump_;
  std::optional<FileKeeper> keeper_;
  std::vector<OutputTee> tees_;
  End end_;
};

} // namespace

Result<RecordResult> recordRun(const RecordRequest& request) {
  if (request.argv.empty()) return errorf("there is no program to record");
  if (request.last > 0 && request.last < LastWindow::kLeastSize)
    return errorf("--last needs at least {}: the state of the program has to fit, too",
                  humanSize(LastWindow::kLeastSize));
  if (request.last > 0 && request.children > 0)
    return errorf("--last and --children do not go together yet: leave one of them out");
  FL_TRY(input, takeInput(request.input, request.keepInput));
  // A window's file begins small, and must never be larger.
  uint64_t most = request.sizeLimit ? request.sizeLimit : request.last;
  if (request.last) most = std::min(most, request.last);
  FL_TRY(writer, Writer::create(request.output, most));
  FL_TRY(control, ControlSocket::create());
  FL_TRY(log, SharedLog::create({.control = control.name(),
                                 .token = control.token(),
                                 .stream = 0,
                                 .flags = request.children > 0 ? uint32_t(FL_FLAG_CHILDREN) : 0,
                                 .worldPid = request.worldPid,
                                 .worldClock = request.worldClock,
                                 .lastEpoch = request.steps}));
  return Run(request, std::move(writer), std::move(control), std::move(log), std::move(input)).record();
}

} // namespace faultline::recording
