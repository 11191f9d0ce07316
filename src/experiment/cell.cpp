#include "experiment/cell.h"

#include "base/file.h"
#include "experiment/cell_inside.h"
#include "experiment/cell_names.h"
#include "experiment/cell_session.h"
#include "experiment/cell_tree.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace faultline::experiment {
namespace {

using recording::FileDescriptor;

constexpr int kNameSpaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

// Settings that are known to forbid it, and what to do about them.
std::string whatForbids() {
  struct {
    const char *file, *forbidding, *advice;
  } const settings[] = {
      {"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
      {"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
      {"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
       "sysctl kernel.apparmor_restrict_unprivileged_userns=0"}};
  for (const auto& setting : settings) {
    auto text = readFile(setting.file);
    if (text && text->substr(0, text->find('\n')) == setting.forbidding)
      return fmt::format("ask for `{}`", setting.advice);
  }
  return "the kernel, or the container that this runs in, must allow user name spaces and mounts in them";
}

Error notContained(std::string_view what, int error) {
  return errorf("experiments cannot be contained here: {}: {}; {}, or let the program do what it wants with "
                "--uncontained",
                what, std::strerror(error), whatForbids());
}

} // namespace

Result<std::unique_ptr<Cell>> Cell::create(const Containment& containment, const Limits& limits) {
  FL_TRY(memory, CellMemory::create());
  std::unique_ptr<Cell> cell(new Cell(std::move(memory), limits));
  FL_CHECK(cell->start(containment));
  return cell;
}

Result<void> Cell::start(const Containment& containment) {
  CellPlan& plan = memory_.plan();
  plan.contained = containment.on;
  plan.scratch = containment.scratch;
  plan.memory = limits_.memory;
  plan.processes = limits_.processes;
  if (plan.contained) FL_CHECK(planTree(memory_));
  memory_.mark();

  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return errorf("cannot make a socket: {}", std::strerror(errno));
  socket_ = FileDescriptor(ends[0]);
  FileDescriptor inner(ends[1]);
  CellShare share{&plan, &memory_.order(), &memory_.report(), inner.get()};
  std::vector<char> stack(256 << 10);
  auto top = reinterpret_cast<uintptr_t>(stack.data() + stack.size()) & ~uintptr_t(15);
  pid_ =
      clone(&runInside, reinterpret_cast<void*>(top), (plan.contained ? kNameSpaces : 0) | SIGCHLD, &share);
  if (pid_ < 0 && plan.contained) return notContained("a user name space is refused", errno);
  if (pid_ < 0) return errorf("cannot start a process: {}", std::strerror(errno));
  if (plan.contained && !mapNames(pid_)) return notContained("names cannot be mapped", errno);

  char what = cell::kBegin;
  inner.reset();
  if (send(socket_.get(), &what, 1, MSG_NOSIGNAL) != 1 || recv(socket_.get(), &what, 1, 0) != 1)
    return errorf("the process in which experiments were to run has died");
  const CellReport& report = memory_.report();
  if (report.failed)
    return notContained(fmt::format("cannot {}{}{}", report.failed, report.about ? " " : "",
                                    report.about ? report.about : ""),
                        report.error);
  alive_ = true;
  return {};
}

Cell::~Cell() {
  if (pid_ <= 0) return;
  socket_.reset(); // it ends by itself and takes with it what runs; where it is stuck, it is killed
  bool first = memory_.plan().contained;
  if (first) kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool Cell::planPlacesOf(const CellRun& run) {
  std::vector<std::string> places = likelyPlaces(run.cwd, run.env, run.before);
  if (run.files)
    for (const FileContent& file : *run.files) {
      std::error_code failed;
      auto path = std::filesystem::canonical(file.path, failed);
      places.push_back((failed ? std::filesystem::path(file.path) : path).parent_path());
    }
  // Mostly those of the run before.
  if (places == places_) return false;
  bool changed = planPlaces(memory_, places);
  places_ = std::move(places);
  return changed;
}

bool Cell::isLikeTheLast(const CellRun& run) {
  if (run.executable == executable_ && run.argv == argv_ && run.env == env_ && run.cwd == cwd_) return true;
  executable_ = run.executable;
  cwd_ = run.cwd;
  argv_ = run.argv;
  env_ = run.env;
  return false;
}

namespace {

CellFile givenFile(CellMemory& memory, const FileContent& file) {
  return {recording::KeptFile::File, memory.copy(file.path), memory.copy(file.bytes), file.bytes.size()};
}

} // namespace

Result<void> Cell::layOut(const CellRun& run) {
  memory_.rewind();
  CellOrder& order = memory_.order();
  order.planChanged = memory_.plan().contained && planPlacesOf(run);
  memory_.mark();
  order.repeats = isLikeTheLast(run);
  order.onlyInputDiffers = run.onlyInputDiffers;
  order.seconds = limits_.seconds;
  order.executable = memory_.copy(run.executable);
  order.argv = memory_.list(run.argv);
  order.env = memory_.list(run.env);
  order.cwd = memory_.copy(run.cwd.empty() ? "/" : run.cwd);
  bool fits = order.executable && order.argv && order.env && order.cwd;
  const bool putsBack = run.before && memory_.plan().contained;
  const size_t before = putsBack ? run.before->size() : 0;
  order.fileCount = before + (run.files ? run.files->size() : 0);
  auto* files = memory_.array<CellFile>(order.fileCount);
  for (size_t i = 0; i < order.fileCount && files && fits; ++i) {
    if (i < before)
      files[i] = memory_.place((*run.before)[i]);
    else
      files[i] = givenFile(memory_, (*run.files)[i - before]);
    fits = files[i].path && files[i].bytes;
  }
  order.files = files;
  if (!fits || !files)
    return errorf("the experiment's files are too large: together they must be below 1 GiB");
  if (order.fileCount > 0 && !memory_.plan().contained)
    return errorf("without containment the program would write over real files: leave out --uncontained");
  order.memory = limits_.memory;
  order.fileSize = limits_.fileSize;
  order.processes = limits_.processes;
  return {};
}

Result<Ending> Cell::run(CellRun run) {
  if (!alive_) return errorf("the process in which experiments run has died");
  FL_CHECK(layOut(run));
  CellSession session(std::move(run), limits_, socket_.get());
  FL_CHECK(session.begin());
  if (!session.follow()) {
    // Stuck in the kernel, or killed from outside (the system ran out of memory).
    alive_ = false;
    if (memory_.plan().contained) kill(pid_, SIGKILL);
    return session.ending(nullptr);
  }
  const CellReport& report = memory_.report();
  if (report.failed)
    return errorf("an experiment cannot be run: cannot {}{}{}: {}", report.failed, report.about ? " " : "",
                  report.about ? report.about : "", std::strerror(report.error));
  return session.ending(&report);
}

} // namespace faultline::experiment
