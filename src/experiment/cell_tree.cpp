#include "experiment/cell_tree.h"

#include "base/file.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

namespace fs = std::filesystem;

// "\040" is a space: the kernel writes blanks and backslashes in octal.
std::string unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool octal = text[i] == '\\' && i + 3 < text.size();
    if (octal) {
      out += char((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool isSystem(const std::string& path) { return path == "/proc" || path == "/dev" || path == "/sys"; }

class Planner {
public:
  Planner(CellMemory& memory, std::vector<std::string> mounts)
      : memory_(memory), mounts_(std::move(mounts)) {}

  void plan() {
    add(MountStep::Directory, "/");
    split("/");
  }
  void planPlace(const std::string& path) { add(MountStep::Overlay, path); }
  const std::vector<MountStep>& steps() const { return steps_; }
  bool isFull() const { return full_; }

private:
  bool hasMountBelow(const std::string& path) const {
    std::string prefix = path == "/" ? path : path + "/";
    auto at = std::ranges::upper_bound(mounts_, prefix);
    return at != mounts_.end() && at->starts_with(prefix);
  }

  void split(const std::string& directory) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(directory, ignored)) {
      const std::string& path = entry.path().native();
      auto type = entry.symlink_status(ignored).type();
      if (type == fs::file_type::symlink)
        add(MountStep::Link, path, fs::read_symlink(path, ignored).native());
      else if (type == fs::file_type::regular)
        add(MountStep::File, path);
      else if (type == fs::file_type::directory && !isSystem(path))
        place(path);
    }
  }

  void place(const std::string& path) {
    // What we may not list cannot be split; the cell shows it read only.
    bool splits = hasMountBelow(path) && access(path.c_str(), R_OK | X_OK) == 0;
    add(splits ? MountStep::Directory : MountStep::Overlay, path);
    if (splits) split(path);
  }

  void add(MountStep::Kind kind, const std::string& path, const std::string& target = {}) {
    struct stat status;
    if (lstat(path.c_str(), &status) != 0) return;
    MountStep step{kind,          memory_.copy(path), memory_.copy(target), status.st_mode & 07777,
                   status.st_uid, status.st_gid};
    if (!step.path || !step.target) full_ = true;
    // Who is not root owns whatever is made for him, but must find the same rights.
    if (geteuid() != 0) {
      uint32_t rights = 0;
      for (int right : {R_OK, W_OK, X_OK})
        if (access(path.c_str(), right) == 0) rights |= uint32_t(right);
      step.mode = (step.mode & 01000) | rights * 0111;
    }
    steps_.push_back(step);
  }

  CellMemory& memory_;
  std::vector<std::string> mounts_;
  std::vector<MountStep> steps_;
  bool full_ = false;
};

} // namespace

std::vector<std::string> mountPoints(std::string_view mountinfo) {
  std::vector<std::string> points;
  while (!mountinfo.empty()) {
    size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    // number parent device root POINT ...
    for (int i = 0; i < 4 && !line.empty(); ++i)
      line.remove_prefix(std::min(line.find(' ') + 1, line.size()));
    if (!line.empty()) points.push_back(unescaped(line.substr(0, line.find(' '))));
  }
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

namespace {

// More of them are left as they are.
constexpr size_t kMostPlaces = 64;

bool isOverlay(const CellPlan& plan, const std::string& path) {
  return std::any_of(plan.steps, plan.steps + plan.stepCount, [&](const MountStep& step) {
    return step.kind == MountStep::Overlay && path == step.path;
  });
}

bool isOurs(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && status.st_uid == geteuid() && status.st_gid == getegid();
}

// Directories on the way to this one that need an overlay of their own, outer ones first.
std::vector<std::string> placesOnTheWayTo(const CellPlan& plan, const std::string& directory) {
  std::error_code failed;
  fs::path path = fs::canonical(directory, failed), at = "/";
  std::vector<std::string> places;
  bool foreign = false; // since the last overlay
  if (failed) return places;
  for (const fs::path& part : path.relative_path()) {
    at /= part;
    if (isSystem(at.native())) return places;
    if (isOverlay(plan, at.native())) {
      foreign = false;
      continue;
    }
    foreign |= !isOurs(at.native());
    if (!foreign || access(at.c_str(), W_OK | X_OK) != 0) continue;
    places.push_back(at.native());
    foreign = false;
  }
  return places;
}

} // namespace

std::vector<std::string> likelyPlaces(const std::string& cwd, const std::vector<std::string>& env,
                                      const recording::KeptFiles* before) {
  std::vector<std::string> places = {cwd, "/tmp", "/var/tmp"};
  for (const std::string& entry : env)
    if (entry.starts_with("HOME=") || entry.starts_with("TMPDIR="))
      places.push_back(entry.substr(entry.find('=') + 1));
  for (size_t k = 0; before && k < before->size(); ++k)
    places.push_back(fs::path((*before)[k].path).parent_path());
  return places;
}

bool planPlaces(CellMemory& memory, const std::vector<std::string>& directories) {
  CellPlan& plan = memory.plan();
  if (geteuid() == 0) return false;
  size_t before = plan.stepCount;
  for (const std::string& directory : directories)
    for (const std::string& place : placesOnTheWayTo(plan, directory)) {
      Planner planner(memory, {});
      planner.planPlace(place);
      if (planner.steps().empty() || planner.isFull() || plan.stepCount == plan.stepRoom) continue;
      plan.steps[plan.stepCount++] = planner.steps()[0];
    }
  return plan.stepCount != before;
}

Result<void> planTree(CellMemory& memory) {
  FL_TRY(mountinfo, readFile("/proc/self/mountinfo"));
  Planner planner(memory, mountPoints(mountinfo));
  planner.plan();
  size_t room = planner.steps().size() + kMostPlaces;
  auto* steps = memory.array<MountStep>(room);
  if (!steps || planner.isFull()) return errorf("the root directory has too many entries to be contained");
  std::ranges::copy(planner.steps(), steps);
  memory.plan().steps = steps;
  memory.plan().stepCount = planner.steps().size();
  memory.plan().stepRoom = room;
  return {};
}

} // namespace faultline::experiment
