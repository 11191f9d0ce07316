#include "experiment/fresh_runner.h"

#include "abi/experiment.h"
#include "experiment/cell_inside.h"
#include "recording/shared_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <future>
#include <mutex>
#include <sys/mman.h>

namespace faultline::experiment {
namespace {

using recording::FileDescriptor;

Result<FileDescriptor> nullInput() {
  FileDescriptor null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (null.get() < 0) return errorf("cannot open /dev/null: {}", std::strerror(errno));
  return null;
}

// A file without a name, open for reading only, as the recorder gives it.
Result<FileDescriptor> fileWith(std::string_view bytes) {
  FileDescriptor file(memfd_create("input", MFD_CLOEXEC));
  for (size_t done = 0; file.get() >= 0 && done < bytes.size();) {
    ssize_t n = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return errorf("cannot hold the program's input: {}", std::strerror(errno));
    done += size_t(n);
  }
  FileDescriptor reading(open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), O_RDONLY | O_CLOEXEC));
  if (reading.get() < 0) return errorf("cannot hold the program's input: {}", std::strerror(errno));
  return reading;
}

constexpr uint64_t kInsideData = FL_INSIDE_SIZE - FL_INSIDE_VISITED * sizeof(fl_visited);

// One experiment with its alterations, as the runtime reads it.
Result<void> layInside(const RunSpec& spec, uint64_t lastEpoch, const std::optional<Counted>& counted,
                       uint8_t* at) {
  const std::vector<Alteration>& alterations = spec.alterations;
  uint64_t first = (sizeof(fl_experiments) + sizeof(fl_experiment) + 63) & ~uint64_t(63);
  uint64_t data = first + alterations.size() * sizeof(fl_alteration);
  fl_experiments header{};
  header.version = FL_EXPERIMENT_VERSION;
  header.capacity = header.ready = 1;
  header.experiments = sizeof header;
  header.alterations = first;
  header.visited = kInsideData;
  header.visited_room = FL_INSIDE_VISITED;
  if (counted) {
    header.flags = FL_COUNTS;
    header.counted = counted->instruction;
    header.counted_slot = counted->slot;
  }
  fl_experiment experiment{};
  experiment.start = ~uint64_t(0);
  experiment.last_epoch = lastEpoch;
  experiment.count = uint32_t(alterations.size());
  for (size_t k = 0; k < alterations.size(); ++k) {
    const Alteration& a = alterations[k];
    if (data + a.bytes.size() > kInsideData) return errorf("too many alterations for one run");
    fl_alteration out = forRuntime(a, data);
    std::memcpy(at + data, a.bytes.data(), a.bytes.size());
    std::memcpy(at + first + k * sizeof out, &out, sizeof out);
    data += a.bytes.size();
    experiment.start = std::min(experiment.start, a.epoch);
  }
  if (alterations.empty()) experiment.start = lastEpoch; // there is nothing else to stop for
  if (spec.traceEnd) experiment.start = 1;
  experiment.trace_end = spec.traceEnd;
  std::memcpy(at, &header, sizeof header);
  std::memcpy(at + sizeof header, &experiment, sizeof experiment);
  return {};
}

std::optional<Visits> visitsInside(const uint8_t* at) {
  Visits out;
  for (size_t k = 0; k < FL_INSIDE_VISITED; ++k) {
    fl_visited entry;
    std::memcpy(&entry, at + kInsideData + k * sizeof entry, sizeof entry);
    if (entry.site) out[entry.site] = entry.count;
  }
  return out.size() < FL_INSIDE_VISITED ? std::optional(std::move(out)) : std::nullopt;
}

void readInside(const uint8_t* at, bool isCounted, Ending& ending) {
  fl_experiment experiment;
  std::memcpy(&experiment, at + sizeof(fl_experiments), sizeof experiment);
  ending.reached = experiment.reached;
  if (experiment.cut == FL_CUT_STEPS) ending.cut = Ending::Steps;
  if (experiment.trace_end) ending.visits = visitsInside(at);
  if (!isCounted) return;
  ending.executions = experiment.executions;
  ending.executionsBefore = experiment.executions_before;
}

} // namespace

FreshProgram FreshProgram::of(const compiler::Variant& variant, std::filesystem::path program) {
  return {variant.executable, std::move(program),
          variant.hasLibraries ? variant.directory : std::filesystem::path{}};
}

struct FreshRunner::Shared {
  FreshProgram program;
  Limits limits;
  Containment containment;
  InputKind input;
  std::mutex mutex;
  std::vector<std::unique_ptr<Cell>> idle;

  Result<std::unique_ptr<Cell>> takeCell() {
    {
      std::lock_guard guard(mutex);
      if (!idle.empty()) {
        auto cell = std::move(idle.back());
        idle.pop_back();
        return cell;
      }
    }
    return Cell::create(containment, limits);
  }
  void giveBack(std::unique_ptr<Cell> cell) {
    if (!cell->isAlive()) return;
    std::lock_guard guard(mutex);
    idle.push_back(std::move(cell));
  }

  std::vector<std::string> environment(const RunSpec& spec) const;
  Result<void> giveInput(const RunSpec& spec, CellRun& run, FileDescriptor& input) const;
};

std::vector<std::string> FreshRunner::Shared::environment(const RunSpec& spec) const {
  std::vector<std::string> env = spec.env;
  if (!program.libraries.empty()) {
    const std::string name = "LD_LIBRARY_PATH=", first = name + program.libraries.string();
    auto found = std::ranges::find_if(env, [&](const std::string& e) { return e.starts_with(name); });
    if (found == env.end())
      env.push_back(first);
    else if (*found != first && !found->starts_with(first + ":"))
      *found = first + ":" + found->substr(name.size());
  }
  env.push_back(fmt::format("FAULTLINE_RECORD={:06}", cell::kSharedDescriptor));
  if (uint64_t seed = spec.seed ? spec.seed : program.seed)
    env.push_back(fmt::format("FAULTLINE_SEED={}", seed));
  // The environment lies above the stack: the longer it is, the lower lies the stack.
  if (spec.layout)
    env.push_back(
        fmt::format("FAULTLINE_LAYOUT={} {}", spec.layout, std::string(16 * (spec.layout % 61), '.')));
  if (!program.program.empty()) env.push_back("FAULTLINE_EXE=" + program.program.string());
  return env;
}

Result<void> FreshRunner::Shared::giveInput(const RunSpec& spec, CellRun& run, FileDescriptor& input) const {
  if (this->input == InputKind::Pipe) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errorf("cannot make a pipe: {}", std::strerror(errno));
    input = FileDescriptor(ends[0]);
    run.inputEnd = FileDescriptor(ends[1]);
    run.inputBytes = spec.input;
  } else {
    FL_TRY(made, this->input == InputKind::File ? fileWith(spec.input) : nullInput());
    input = std::move(made);
  }
  run.input = input.get();
  return {};
}

FreshRunner::FreshRunner(std::unique_ptr<Shared> shared) : shared_(std::move(shared)) {}
FreshRunner::FreshRunner(FreshRunner&&) noexcept = default;
FreshRunner& FreshRunner::operator=(FreshRunner&&) noexcept = default;
FreshRunner::~FreshRunner() = default;

const Limits& FreshRunner::limits() const { return shared_->limits; }

void FreshRunner::setSeconds(double seconds) {
  shared_->limits.seconds = seconds;
  for (const auto& cell : shared_->idle) cell->setSeconds(seconds);
}

Result<FreshRunner> FreshRunner::create(FreshProgram program, const Limits& limits,
                                        const Containment& containment, InputKind input, unsigned atOnce) {
  std::vector<std::future<Result<std::unique_ptr<Cell>>>> others;
  for (unsigned k = 1; k < atOnce; ++k)
    others.push_back(std::async(std::launch::async, [&] { return Cell::create(containment, limits); }));
  FL_TRY(cell, Cell::create(containment, limits));
  auto shared = std::make_unique<Shared>();
  shared->program = std::move(program);
  shared->limits = limits;
  shared->containment = containment;
  shared->input = input;
  shared->idle.push_back(std::move(cell));
  for (auto& other : others)
    if (auto made = other.get())
      shared->idle.push_back(std::move(*made)); // else it is made when it is needed
  return FreshRunner(std::move(shared));
}

Result<Ending> FreshRunner::run(const RunSpec& spec, int stop) const {
  // Under a seed the counter of epochs is not what it seems: turns end by it, and the program itself knows
  // when it has made too many steps.
  const std::optional<Counted>& counted = shared_->program.counted;
  bool alters = !spec.alterations.empty() || spec.seed != 0 || shared_->program.seed != 0 || counted ||
                spec.traceEnd != 0;
  FL_TRY(log, recording::SharedLog::create({.flags = FL_FLAG_DROP,
                                            .worldPid = shared_->program.worldPid,
                                            .worldClock = shared_->program.worldClock,
                                            .experiment = alters ? FL_EXPERIMENT_INSIDE : 0}));
  uint64_t lastEpoch = spec.lastEpoch ? spec.lastEpoch : shared_->limits.epochs;
  if (alters) FL_CHECK(layInside(spec, lastEpoch, counted, log.inside()));
  CellRun order{.executable = shared_->program.variant.string(),
                .argv = spec.argv,
                .env = shared_->environment(spec),
                .cwd = spec.cwd,
                .files = &spec.files,
                .before = spec.before.get(),
                .onlyInputDiffers = !alters && spec.files.empty() && (!spec.before || spec.before->empty())};
  FileDescriptor input;
  FL_CHECK(shared_->giveInput(spec, order, input));
  order.shared = log.fd();
  order.stop = stop;
  if (!alters) order.epochs = log.epochCounter(); // which otherwise stops the run where it is altered
  FL_TRY(cell, shared_->takeCell());
  auto ending = cell->run(std::move(order));
  shared_->giveBack(std::move(cell));
  if (!ending) return ending.error();
  const fl_state& state = log.state();
  ending->site = state.ext;
  if (state.fault_signal) {
    ending->counter = state.fault_counter;
    ending->instruction = state.fault_instruction;
  }
  ending->epochs = log.epoch();
  // The place in the file is the same for all who have it open.
  if (shared_->input == InputKind::File && ending->signalled())
    if (off_t at = lseek(input.get(), 0, SEEK_CUR); at > 0) ending->inputRead = uint64_t(at);
  if (alters) readInside(log.inside(), counted.has_value(), *ending);
  return ending;
}

} // namespace faultline::experiment
