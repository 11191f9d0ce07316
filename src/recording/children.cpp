#include "recording/children.h"

#include <algorithm>

namespace faultline::recording {
namespace {

using Clock = std::chrono::steady_clock;

// Each takes a thread and four descriptors of ours.
constexpr size_t kMostAtOnce = 128;
// How long a child of a process that is dead may take to ask for its log.
constexpr std::chrono::seconds kPatience{1};
// Dead processes whose log is held ready for children that have not asked yet.
constexpr size_t kMostDeadParents = 128;

std::filesystem::path childPath(const std::filesystem::path& output, const std::string& number) {
  std::string name = output.stem().string() + ".child-" + number + output.extension().string();
  return output.parent_path() / name;
}

} // namespace

Children::Children(Setting setting, std::shared_ptr<LogStore> store) : setting_(std::move(setting)) {
  parents_.push_back({0, "", std::move(store)});
}

Children::Parent* Children::parent(uint32_t stream) {
  auto found = std::ranges::find(parents_, stream, &Parent::stream);
  return found == parents_.end() ? nullptr : &*found;
}

void Children::begin(const ControlRequest& asked) {
  if (auto begun = tryBegin(asked); !begun)
    result_.trouble.push_back(fmt::format("child {} is not recorded: {}", asked.pid, begun.error().message));
}

Result<void> Children::tryBegin(const ControlRequest& asked) {
  Parent* from = parent(asked.request.stream);
  if (!from) return errorf("it came too late");
  ++from->asked;
  if (runs_.size() >= kMostAtOnce) return errorf("{} others run at the same time", kMostAtOnce);
  ChildRun::Setting child{
      .number = fmt::format("{}{}{}", from->number, from->number.empty() ? "" : ".", asked.request.number),
      .pid = asked.pid,
      .meta = setting_.meta,
      .path = {},
      .variant = setting_.variant,
      .sizeLimit = setting_.sizeLimit};
  child.path = childPath(setting_.output, child.number);
  child.meta.child = {child.number, asked.pid, setting_.output.filename().string()};
  uint32_t stream = ++streams_;
  FL_TRY(log, SharedLog::create({.control = setting_.control,
                                 .token = setting_.token,
                                 .stream = stream,
                                 .flags = FL_FLAG_CHILDREN}));
  FileDescriptor descriptor(dup(log.fd()));
  FL_TRY(run, ChildRun::create(std::move(child), std::move(log), from->store, asked.request.buffers));
  parents_.push_back({stream, run->setting().number, run->store()});
  asked.grant(descriptor.get());
  run->start();
  runs_.push_back({stream, std::move(run)});
  return {};
}

bool Children::settle() {
  for (auto at = runs_.begin(); at != runs_.end();) {
    if (!at->run->isDone()) {
      ++at;
      continue;
    }
    parentEnded(at->stream, at->run->forks());
    keep(*at->run);
    at = runs_.erase(at);
  }
  forgetOldParents();
  return !runs_.empty();
}

void Children::keep(ChildRun& run) {
  ChildResult child{run.setting().path, run.setting().number, run.setting().pid, run.end(), 0};
  if (run.becameAnotherProgram()) {
    ++result_.replaced;
    return;
  }
  if (!makeRoom(child.failed())) {
    ++result_.dropped;
    return;
  }
  auto written = run.write(setting_.objects(), child.fileSize);
  child.end = run.end();
  if (written && *written)
    result_.kept.push_back(std::move(child));
  else
    result_.trouble.push_back(
        fmt::format("child {} (process {}) has no recording: {}", child.number, child.pid,
                    written ? "its parent's is not complete, because of the size limit or a full disk"
                            : written.error().message));
}

// One that failed takes the place of one that did not.
bool Children::makeRoom(bool failed) {
  if (result_.kept.size() < setting_.most) return true;
  if (!failed) return false;
  auto well = std::ranges::find_if(result_.kept, [](const ChildResult& c) { return !c.failed(); });
  if (well == result_.kept.end()) return false;
  std::error_code ignored;
  std::filesystem::remove(well->path, ignored);
  result_.kept.erase(well);
  ++result_.dropped;
  return true;
}

void Children::parentEnded(uint32_t stream, uint32_t forks) {
  Parent* ended = parent(stream);
  if (!ended) return;
  ended->forks = forks;
  ended->ended = Clock::now();
}

void Children::forgetOldParents() {
  size_t dead = size_t(std::ranges::count_if(parents_, [](const Parent& p) { return p.ended.has_value(); }));
  for (auto at = parents_.begin(); at != parents_.end() && dead > 0;) {
    bool heardOfAll = at->ended && at->asked >= at->forks;
    if (heardOfAll || (at->ended && dead > kMostDeadParents)) {
      at = parents_.erase(at);
      --dead;
    } else {
      ++at;
    }
  }
}

bool Children::awaitsMore() const {
  return std::ranges::any_of(parents_, [](const Parent& p) {
    return p.ended && p.asked < p.forks && Clock::now() < *p.ended + kPatience;
  });
}

void Children::signal(int number) const {
  for (const Running& running : runs_) running.run->signal(number);
}

void Children::endByTimeLimit() {
  for (const Running& running : runs_) running.run->endByTimeLimit();
}

ChildrenResult Children::result() {
  // "10" behind "2".
  auto key = [](const ChildResult& child) {
    std::vector<int> parts;
    size_t at = 0;
    while (at < child.number.size()) {
      size_t dot = std::min(child.number.find('.', at), child.number.size());
      parts.push_back(std::stoi(child.number.substr(at, dot - at)));
      at = dot + 1;
    }
    return parts;
  };
  std::ranges::sort(result_.kept, {}, key);
  return std::move(result_);
}

} // namespace faultline::recording
