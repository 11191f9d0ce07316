#include "experiment/server_process.h"

#include "base/lasting_thread.h"
#include "experiment/compare_logs.h"
#include "recording/time_limit.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

constexpr uint32_t kCapacity = 1024;
constexpr uint32_t kAlterations = 16384;
constexpr uint32_t kWakeAfter = 16; // experiments
constexpr uint64_t kMapsRoom = uint64_t(1) << 20;
constexpr uint64_t kVisitedRoom = 16384; // places in code
constexpr uint64_t kNamesRoom = 4 * 4096;
constexpr uint64_t kDataForInputs = uint64_t(64) << 20;

uint64_t rounded(uint64_t size) { return (size + 4095) & ~uint64_t(4095); }

void wake(uint32_t& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0); }

Result<recording::FileDescriptor> memory(const char* name) {
  recording::FileDescriptor fd(memfd_create(name, MFD_CLOEXEC));
  if (fd.get() < 0) return errorf("cannot make memory to share with the program: {}", std::strerror(errno));
  return fd;
}

// A stream that is never really used: it only has to be of the right kind.
Result<recording::FileDescriptor> inputStream(const ServerSetting& setting) {
  if (!setting.inputIsFile) {
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", std::strerror(errno));
    close(pipes[1]);
    return recording::FileDescriptor(pipes[0]);
  }
  return memory("stdin");
}

} // namespace

Result<void> ServerProcess::makeShared() {
  uint64_t expected = setting_.expected ? setting_.expected->size() : 0;
  uint64_t stream = setting_.limits.output ? setting_.limits.output : uint64_t(256) << 20;
  uint64_t experiments = rounded(sizeof(fl_experiments));
  uint64_t alterations = experiments + rounded(kCapacity * sizeof(fl_experiment));
  uint64_t input = alterations + rounded(kAlterations * sizeof(fl_alteration));
  uint64_t expectedAt = input + rounded(setting_.run.input.size() + 1);
  uint64_t output = expectedAt + rounded(expected + 1);
  uint64_t maps = output + 2 * rounded(stream);
  uint64_t visited = maps + kMapsRoom;
  namesAt_ = visited + rounded(kVisitedRoom * sizeof(fl_visited));
  dataStart_ = namesAt_ + kNamesRoom;
  dataEnd_ = dataStart_ + kDataForInputs;
  size_ = dataEnd_;
  FL_TRY(fd, memory("experiments"));
  memory_ = std::move(fd);
  void* at = ftruncate(memory_.get(), off_t(size_)) == 0
                 ? mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory_.get(), 0)
                 : MAP_FAILED;
  if (at == MAP_FAILED)
    return errorf("cannot map memory to share with the program: {}", std::strerror(errno));
  base_ = static_cast<uint8_t*>(at);
  fl_experiments& s = shared();
  s.version = FL_EXPERIMENT_VERSION;
  s.flags = (setting_.expected ? FL_EXPECTS_OUTPUT : 0) | (setting_.keepOutput ? FL_LOCKSTEP : 0) |
            (setting_.forkEach ? FL_FORK_EACH : 0) | (setting_.counted ? FL_COUNTS : 0);
  if (setting_.counted) {
    s.counted = setting_.counted->instruction;
    s.counted_slot = setting_.counted->slot;
  }
  s.size = size_;
  s.capacity = kCapacity;
  s.input_is_file = setting_.inputIsFile;
  s.experiments = experiments;
  s.alterations = alterations;
  s.input = input;
  s.input_size = setting_.run.input.size();
  s.expected = expectedAt;
  s.expected_size = expected;
  s.output = output;
  s.errors = output + rounded(stream);
  s.stream_size = stream;
  s.memory = setting_.limits.memory;
  s.maps = maps;
  s.maps_room = kMapsRoom;
  s.visited = visited;
  s.visited_room = kVisitedRoom;
  s.maps_size = setting_.maps.size();
  std::memcpy(placed<char>(maps), setting_.maps.data(), setting_.maps.size());
  std::memcpy(placed<char>(input), setting_.run.input.data(), setting_.run.input.size());
  if (setting_.expected) std::memcpy(placed<char>(expectedAt), setting_.expected->data(), expected);
  return {};
}

Result<void> ServerProcess::makeFile() {
  if (!setting_.file) return {};
  FL_TRY(fd, memory("file"));
  file_ = std::move(fd);
  const ServedFile& file = *setting_.file;
  struct stat status;
  if (stat(file.path.c_str(), &status) != 0 || fchmod(file_.get(), status.st_mode & 0777) != 0)
    return errorf("cannot look at {}: {}", file.path, std::strerror(errno));
  shared().file_device = status.st_dev;
  shared().file_inode = status.st_ino;
  if (file.name.size() + file.path.size() + 2 > kNamesRoom || !writeFile(file.bytes))
    return errorf("cannot make a copy of {} to give to the program", file.path);
  uint64_t at = namesAt_;
  auto put = [&](const std::string& text) {
    std::memcpy(placed<char>(at), text.c_str(), text.size() + 1);
    at += text.size() + 1;
    return at - text.size() - 1;
  };
  shared().file_name = put(file.name);
  shared().file_path = put(file.path);
  shared().file_fd = uint32_t(file_.get());
  return {};
}

bool ServerProcess::writeFile(const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = pwrite(file_.get(), bytes.data() + done, bytes.size() - done, off_t(done));
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) done += size_t(written);
  }
  return ftruncate(file_.get(), off_t(bytes.size())) == 0;
}

Result<void> ServerProcess::start() {
  FL_CHECK(makeShared());
  FL_CHECK(makeFile());
  FL_TRY(input, inputStream(setting_));
  input_ = std::move(input);
  if (setting_.inputIsFile && ftruncate(input_.get(), off_t(setting_.run.input.size())) != 0)
    return errorf("cannot make a file for standard input: {}", std::strerror(errno));
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", std::strerror(errno));
  close(pipes[0]);
  nowhere_ = recording::FileDescriptor(pipes[1]);
  FL_TRY(log, recording::SharedLog::create({.worldPid = setting_.worldPid,
                                            .worldClock = setting_.worldClock,
                                            .experiment = memory_.get()}));
  log_.emplace(std::move(log));
  recording::ChildRequest request{setting_.variant.string(),
                                  setting_.run.argv,
                                  setting_.run.env,
                                  setting_.run.cwd,
                                  log_->fd(),
                                  {input_.get(), nowhere_.get(), nowhere_.get()},
                                  {memory_.get(), file_.get()}};
  // As the recorder has it, so that addresses come out the same.
  request.env.push_back(fmt::format("FAULTLINE_RECORD={:06}", log_->fd()));
  if (setting_.seed) request.env.push_back(fmt::format("FAULTLINE_SEED={}", setting_.seed));
  if (!setting_.program.empty()) request.env.push_back("FAULTLINE_EXE=" + setting_.program);
  // It is asked by other threads, too, when this one has ended.
  std::optional<Result<recording::Child>> started;
  onLastingThread([&] { started = recording::startChild(request); });
  FL_TRY(child, std::move(*started));
  child_ = std::move(child);
  drainer_ = std::thread([this] { log_->drain([this](std::string_view buffer) { compare(buffer); }); });
  return {};
}

std::optional<std::string> ServerProcess::differs(uint32_t number, std::string_view buffer) {
  auto different = [&](const std::string& how) {
    return fmt::format("the repeated run is not the recorded one: {} (chunk {} of the log)", how, number);
  };
  if (number >= setting_.reference->chunkCount()) return different("it goes on beyond its end");
  auto chunk = setting_.reference->load(number);
  if (!chunk) return chunk.error().message;
  auto* bytes = reinterpret_cast<const uint8_t*>(buffer.data());
  LogComparison compared = compareLogs({bytes, buffer.size()}, **chunk);
  otherValues_ += compared.otherValues.size();
  if (isWalk_) passing_.insert(passing_.end(), compared.otherValues.begin(), compared.otherValues.end());
  if (compared.difference) return different(*compared.difference);
  return std::nullopt;
}

// Full buffers are compared as they come, by a thread of its own.
void ServerProcess::compare(std::string_view buffer) {
  uint32_t number = compared_++;
  // The last one is the run's own only if there was no experiment.
  bool isRun = isWalk_ || buffer.size() == FL_LOG_BUFFER_SIZE;
  if (!setting_.reference || differsIn_ >= 0 || !isRun) return;
  if (auto how = differs(number, buffer)) {
    difference_ = std::move(*how);
    differsIn_ = number;
  }
}

// The current buffer, up to where an experiment left the run.
std::optional<std::string> ServerProcess::differsBefore(const fl_experiment& answer) {
  if (!setting_.reference) return std::nullopt;
  if (differsIn_ >= 0 && uint64_t(differsIn_) < answer.log_buffers) return difference_;
  if (answer.log_bytes > FL_LOG_BUFFER_SIZE) return "the program overwrote the memory of its log";
  std::pair place(answer.log_buffers, answer.log_bytes);
  if (place == comparedUpTo_) return std::nullopt; // many experiments leave the run at the same point
  std::string_view buffer = log_->bufferAt(uint32_t(answer.log_buffers)).substr(0, answer.log_bytes);
  auto how = differs(uint32_t(answer.log_buffers), buffer);
  if (!how) comparedUpTo_ = place;
  return how;
}

size_t ServerProcess::submit(std::span<const Request> batch) {
  fl_experiments& s = shared();
  firstOfBatch_ = s.ready;
  uint32_t alteration = 0;
  uint64_t data = dataStart_;
  uint32_t count = 0;
  for (const Request& request : batch) {
    const Experiment& e = *request.experiment;
    uint64_t need = e.input ? e.input->size() + 1 : 0;
    for (const Alteration& a : e.alterations) need += a.bytes.size();
    if (e.file && (count > 0 || !writeFile(*e.file))) break;
    if (count == kCapacity || alteration + e.alterations.size() > kAlterations || data + need > dataEnd_)
      break;
    fl_experiment out{};
    out.start = request.start;
    out.last_epoch = e.lastEpoch ? e.lastEpoch : setting_.limits.epochs;
    out.trace_end = e.isTraced ? setting_.traceEnd : 0;
    out.first = alteration;
    out.count = uint32_t(e.alterations.size());
    auto put = [&](const std::string& bytes) {
      std::memcpy(placed<char>(data), bytes.data(), bytes.size());
      uint64_t at = data;
      data += bytes.size();
      return at;
    };
    if (e.input) {
      out.input = put(*e.input);
      out.input_size = e.input->size();
    }
    for (const Alteration& a : e.alterations)
      placed<fl_alteration>(s.alterations)[alteration++] = forRuntime(a, a.bytes.empty() ? 0 : put(a.bytes));
    placed<fl_experiment>(s.experiments)[(firstOfBatch_ + count) % kCapacity] = out;
    position_ = std::max(position_, request.start);
    ++count;
  }
  __atomic_store_n(&s.ready, firstOfBatch_ + count, __ATOMIC_RELEASE);
  wake(s.ready);
  return count;
}

bool ServerProcess::reap() {
  if (!alive()) return true;
  if (waitpid(child_.pid, &waitStatus_, WNOHANG) != child_.pid) return false;
  child_.pid = 0;
  return true;
}

double ServerProcess::processorSeconds() const {
  clockid_t clock;
  timespec time;
  if (clock_getcpuclockid(child_.pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

// For the way to its start, and several times what the steps that it may take would take in the run. An
// altered run that asks for a larger block in each round, and has it copied, has no end that can be awaited.
double ServerProcess::secondsAllowed(uint32_t number) const {
  // A short run mostly takes the time to begin it, which says nothing of its steps.
  constexpr double kAtLeast = 0.5, kTimes = 4, kMostRuns = 10, kPerStep = 1e-6;
  const fl_experiment& asked = placed<fl_experiment>(shared().experiments)[number % kCapacity];
  if (isWalk_ || asked.last_epoch == 0 || setting_.walkEpochs == 0) return 1e6;
  const auto steps = double(asked.last_epoch - std::min(asked.start, asked.last_epoch));
  const double runs = std::min(steps / double(setting_.walkEpochs), kMostRuns);
  return kAtLeast + setting_.walkSeconds * (1 + kTimes * runs) + kPerStep * steps;
}

// Its own time, not the clock's: on a busy machine it may just not have had its turn.
void ServerProcess::giveUpIfStuck(uint32_t finished) {
  uint64_t epoch = __atomic_load_n(log_->epochCounter(), __ATOMIC_RELAXED);
  double now = processorSeconds();
  if (finished != moved_.finished)
    moved_ = {finished, epoch, now, now};
  else if (epoch != moved_.epoch)
    moved_.epoch = epoch, moved_.at = now;
  const bool isSlow = now - moved_.begun >= secondsAllowed(finished);
  if (!isSlow && now - moved_.at < setting_.stuckSeconds) return;
  moved_.at = moved_.begun = now;
  moved_.isSlow = isSlow;
  __atomic_store_n(&shared().give_up, finished + 1, __ATOMIC_SEQ_CST);
  recording::sendTimeLimit(child_.pid);
}

// False: it is not going to be.
bool ServerProcess::awaitFinished(uint32_t number, std::string& why) {
  using Clock = std::chrono::steady_clock;
  auto limit = std::chrono::duration<double>(setting_.limits.seconds > 0 ? setting_.limits.seconds : 1e6);
  Clock::time_point begin = Clock::now();
  uint32_t seen = 0;
  // Not for every single one, unless it waits for us.
  uint32_t several = setting_.keepOutput ? number + 1 : number + kWakeAfter;
  uint32_t last = shared().ready;
  __atomic_store_n(&shared().wake_at, int32_t(several - last) > 0 ? last : several, __ATOMIC_SEQ_CST);
  for (;;) {
    uint32_t finished = __atomic_load_n(&shared().finished, __ATOMIC_SEQ_CST);
    if (int32_t(finished - number) > 0) return true;
    if (finished != seen) begin = Clock::now();
    seen = finished;
    timespec tick{0, 20'000'000};
    syscall(SYS_futex, &shared().finished, FUTEX_WAIT, finished, &tick, nullptr, 0);
    if (reap()) {
      if (__atomic_load_n(&shared().finished, __ATOMIC_ACQUIRE) != finished) continue;
      why = shared().broken ? "the kernel lacks what experiments in one process need"
                            : fmt::format("the process was lost (status {:#x})", waitStatus_);
      return false;
    }
    giveUpIfStuck(finished);
    if (Clock::now() - begin > limit) {
      why = "time";
      return false;
    }
  }
}

Ending ServerProcess::endingOf(const fl_experiment& answer) const {
  static constexpr Ending::Cut kCuts[] = {Ending::None,        Ending::Steps,  Ending::Output, Ending::None,
                                          Ending::Containment, Ending::Broken, Ending::Time,   Ending::Time};
  Ending ending;
  ending.method = shared().forks ? Ending::Fork : Ending::Rollback;
  ending.cut = answer.cut < std::size(kCuts) ? kCuts[answer.cut] : Ending::Broken;
  ending.waitStatus = answer.wait_status;
  ending.site = answer.site;
  ending.counter = answer.counter;
  ending.instruction = answer.instruction;
  ending.epochs = answer.epochs;
  ending.blocked = answer.blocked;
  ending.reached = answer.reached;
  ending.inputRead = answer.input_read;
  if (setting_.expected && ending.cut == Ending::None) ending.outputRight = answer.output_right != 0;
  ending.rightOutput = answer.output_prefix;
  ending.errorBytes = answer.errors_size;
  if (setting_.counted) {
    ending.executions = answer.executions;
    ending.executionsBefore = answer.executions_before;
  }
  if (answer.cut == FL_CUT_UNREACHED) ending.broken = "the run ended before";
  if (answer.cut == FL_CUT_STRANGE)
    ending.broken = fmt::format("{} cannot be taken back in one process", callName(answer.call));
  if (setting_.keepOutput) {
    ending.output.assign(placed<char>(shared().output), answer.output_size);
    ending.errors.assign(placed<char>(shared().errors), answer.errors_size);
  }
  return ending;
}

Visits ServerProcess::visits() const {
  Visits out;
  const fl_visited* visited = placed<fl_visited>(shared().visited);
  for (uint64_t k = 0; k < kVisitedRoom; ++k)
    if (visited[k].site) out[visited[k].site] = visited[k].count;
  return out;
}

Ending ServerProcess::await(size_t k) {
  uint32_t number = firstOfBatch_ + uint32_t(k);
  std::string why;
  if (!awaitFinished(number, why)) {
    kill();
    Ending ending;
    ending.method = Ending::Rollback;
    // Lost: an altered program may ruin the server's own memory. Another way to run it is left.
    ending.cut = why == "time" ? Ending::Time : Ending::Containment;
    ending.broken = why;
    return ending;
  }
  const fl_experiment& answer = placed<fl_experiment>(shared().experiments)[number % kCapacity];
  Ending ending = endingOf(answer);
  if (answer.cut == FL_CUT_STUCK) {
    ending.isSlow = moved_.isSlow;
    if (ending.isSlow) ending.cut = Ending::Steps; // with more of them it may take longer
    ++(ending.isSlow ? slow_ : stuck_);
  }
  if (setting_.keepOutput) {
    __atomic_store_n(&shared().taken, number + 1, __ATOMIC_RELEASE);
    wake(shared().taken);
  }
  if (answer.cut == FL_CUT_UNREACHED) return ending;
  if (auto difference = differsBefore(answer)) {
    ending.cut = Ending::Broken;
    ending.broken = *difference;
  }
  return ending;
}

Result<Walk> ServerProcess::walkToEnd() {
  isWalk_ = true;
  // Asked for beyond every end.
  Experiment beyond;
  Request request{&beyond, ~uint64_t(0) >> 1};
  submit({&request, 1});
  std::string why;
  bool finished = awaitFinished(firstOfBatch_, why);
  Walk walk;
  const fl_experiments& s = shared();
  walk.seconds = processorSeconds();
  walk.ending.method = Ending::Rollback;
  if (!finished) {
    if (why != "time") return errorf("the run cannot be walked: {}", why);
    walk.ending.cut = Ending::Time;
    return walk;
  }
  walk.ending.waitStatus = s.walk_status;
  walk.ending.site = s.walk_site;
  walk.ending.counter = s.walk_counter;
  walk.ending.instruction = s.walk_instruction;
  walk.ending.epochs = s.walk_epochs;
  walk.ending.output.assign(placed<char>(s.output), s.walk_output_size);
  walk.ending.errors.assign(placed<char>(s.errors), s.walk_errors_size);
  walk.outputRight = s.walk_output_right;
  walk.ending.rightOutput = s.walk_output_prefix;
  walk.ending.errorBytes = s.walk_errors_size;
  if (setting_.counted) walk.ending.executions = s.walk_executions + setting_.counted->isBehind;
  walk.refused = s.walk_refused;
  walk.mapped = s.walk_mapped;
  walk.maps.assign(placed<char>(s.maps), std::min(s.maps_size, kMapsRoom));
  if (s.walk_state == FL_WALK_STRANGE) walk.strange = callName(s.walk_call);
  kill(); // it waits for nothing any more; what is left of its log is compared
  walk.isCompared = setting_.reference && differsIn_ < 0;
  if (differsIn_ >= 0) walk.difference = difference_;
  walk.passing = std::move(passing_);
  return walk;
}

void ServerProcess::addTo(ServerStats& stats) const {
  stats.snapshots += shared().snapshots;
  stats.rollbacks += shared().rollbacks;
  stats.forks += shared().forks;
  stats.pagesSaved += shared().pages_saved;
  stats.pagesRestored += shared().pages_restored;
  stats.fileUses += shared().file_uses;
  stats.landlock = shared().landlock;
  stats.stuck += stuck_;
  stats.slow += slow_;
  stats.otherValues = std::max<uint64_t>(stats.otherValues, otherValues_);
}

void ServerProcess::kill() {
  if (alive()) {
    ::kill(child_.pid, SIGKILL);
    waitpid(child_.pid, &waitStatus_, 0);
    child_.pid = 0;
  }
  if (log_) log_->programEnded();
  if (drainer_.joinable()) drainer_.join();
}

ServerProcess::~ServerProcess() {
  kill();
  if (base_) munmap(base_, size_);
}

} // namespace faultline::experiment
