#include "experiment/cell_files.h"

#include "experiment/cell_folder.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

// Inodes take kernel memory, which no other limit bounds.
constexpr unsigned kMostFiles = 100'000;

bool failed(CellReport& report, const char* what, const char* about = nullptr) {
  report.failed = what;
  report.error = errno;
  report.about = about;
  return false;
}

// A path of the cell's own tree, without allocating.
class Path {
public:
  Path(const char* before, const char* path) { snprintf(text_, sizeof text_, "%s%s", before, path); }
  Path(const char* before, size_t number) { snprintf(text_, sizeof text_, "%s%zu", before, number); }
  operator const char*() const { return text_; }

private:
  char text_[PATH_MAX + 64];
};

bool bind(const char* from, const char* to, unsigned long more = 0) {
  return mount(from, to, nullptr, MS_BIND | more, nullptr) == 0;
}

// Adds to the restrictions that are there already, which may not be taken away.
bool makeReadOnly(const char* path, bool recursive) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return syscall(SYS_mount_setattr, AT_FDCWD, path, recursive ? AT_RECURSIVE : 0, &attributes,
                 sizeof attributes) == 0;
}

bool makeFile(const char* path) {
  int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) close(fd);
  return fd >= 0;
}

void setRights(const char* path, const MountStep& step) {
  // Who is not root can give it to nobody else.
  if (lchown(path, step.user, step.group) != 0 && errno != EINVAL && errno != EPERM) return;
  chmod(path, step.mode);
}

} // namespace

bool CellFiles::setUp(const CellPlan& plan, CellReport& report) {
  plan_ = &plan;
  return makeStage(report) && makeDevices(report) && build(report);
}

// A small tree of the cell's own, with the real one in /old.
bool CellFiles::makeStage(CellReport& report) {
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return failed(report, "separate the mounts");
  if (mount("faultline", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m") != 0)
    return failed(report, "mount a file system in memory");
  for (const char* name :
       {"/tmp/old", "/tmp/root", "/tmp/scratch", "/tmp/proc", "/tmp/calm", "/tmp/sys", "/tmp/dev"})
    if (mkdir(name, 0755) != 0) return failed(report, "make a folder", name);
  if (chdir("/tmp") != 0 || syscall(SYS_pivot_root, ".", "old") != 0 || chdir("/") != 0)
    return failed(report, "change the root directory");
  if (plan_->onlyFiles) {
    if (!bind("/old/proc", "/calm", MS_REC)) return failed(report, "bind", "/proc");
  } else {
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
      return failed(report, "mount /proc");
    // For root the rights to most of it go by the user alone.
    if (!bind("/proc", "/calm", MS_REC) || !makeReadOnly("/calm", true))
      return failed(report, "make /proc read only");
  }
  if (!bind("/old/sys", "/sys", MS_REC) || !makeReadOnly("/sys", true))
    return failed(report, "make /sys read only");
  return true;
}

bool CellFiles::makeDevices(CellReport& report) {
  if (mount("faultline", "/dev", "tmpfs", MS_NOSUID, "mode=755,size=64k") != 0)
    return failed(report, "mount /dev");
  for (const char* name : {"/null", "/zero", "/full", "/random", "/urandom", "/tty"}) {
    Path from("/old/dev", name), to("/dev", name);
    if (!makeFile(to)) return failed(report, "make a file for a device", name);
    // Read only concerns its rights, owner and times, which are everybody's: it can be written to all the
    // same.
    if (bind(from, to) ? !makeReadOnly(to, false) : errno != ENOENT)
      return failed(report, "bind a device", name);
  }
  mkdir("/dev/shm", 01777);
  mkdir("/dev/pts", 0755);
  (void)!symlink("/proc/self/fd", "/dev/fd");
  (void)!symlink("/proc/self/fd/0", "/dev/stdin");
  (void)!symlink("/proc/self/fd/1", "/dev/stdout");
  (void)!symlink("/proc/self/fd/2", "/dev/stderr");
  (void)!symlink("pts/ptmx", "/dev/ptmx");
  // A program without terminals of its own can do without.
  (void)!mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620");
  return true;
}

bool CellFiles::build(CellReport& report) {
  if (built_) {
    umount2(kRoot, MNT_DETACH);
    umount2("/scratch", MNT_DETACH);
    built_ = false;
  }
  ++builds_;
  char options[128];
  snprintf(options, sizeof options, "mode=755,size=%llu,nr_inodes=%u",
           static_cast<unsigned long long>(plan_->scratch), kMostFiles);
  if (mount("faultline", "/scratch", "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
    return failed(report, "mount a scratch layer");
  built_ = true;
  if (mkdir("/scratch/root", 0755) != 0 || !bind("/scratch/root", kRoot))
    return failed(report, "make the scratch layer's root");
  mkdir("/scratch/upper", 0700);
  mkdir("/scratch/work", 0700);
  for (size_t i = 0; i < plan_->stepCount; ++i)
    if (!apply(plan_->steps[i], i, report)) return false;
  struct {
    const char *from, *to;
  } const system[] = {{"/calm", "/root/proc"}, {"/sys", "/root/sys"}, {"/dev", "/root/dev"}};
  for (const auto& [from, to] : system) {
    mkdir(to, 0755);
    if (!bind(from, to, MS_REC)) return failed(report, "bind", from);
  }
  if (mkdir("/scratch/shm", 0755) != 0 || chmod("/scratch/shm", 01777) != 0 ||
      !bind("/scratch/shm", "/root/dev/shm"))
    return failed(report, "bind", "/dev/shm");
  // Last: all that is below it is there.
  if (plan_->stepCount > 0) setRights("/scratch/root", plan_->steps[0]);
  cleanFiles_ = freeFiles();
  return true;
}

bool CellFiles::apply(MountStep& step, size_t number, CellReport& report) {
  Path to(kRoot, step.path);
  switch (step.kind) {
  case MountStep::Directory:
    if (mkdir(to, 0755) != 0 && errno != EEXIST) return failed(report, "make a folder", step.path);
    if (number > 0) setRights(to, step);
    return true;
  case MountStep::Link:
    return symlink(step.target, to) == 0 || failed(report, "make a link", step.path);
  case MountStep::File:
    // One that is gone, or may not be bound, is not there.
    if (!makeFile(to)) return failed(report, "make a file", step.path);
    if (bind(Path("/old", step.path), to)) makeReadOnly(to, false);
    return true;
  case MountStep::Overlay:
    return makeOverlay(step, number, report);
  }
  return true;
}

bool CellFiles::makeOverlay(MountStep& step, size_t number, CellReport& report) {
  Path to(kRoot, step.path);
  if (mkdir(to, 0755) != 0 && errno != EEXIST) return failed(report, "make a folder", step.path);
  return mountOverlay(step, number, report);
}

bool CellFiles::mountOverlay(MountStep& step, size_t number, CellReport& report) {
  Path to(kRoot, step.path), lower("/old", step.path);
  Path upper("/scratch/upper/", number), work("/scratch/work/", number);
  step.layered = false;
  if (mkdir(upper, 0700) != 0 || mkdir(work, 0700) != 0) return failed(report, "make a scratch folder");
  setRights(upper, step);
  // From within: the name of the lower directory may have characters that mean something to the kernel.
  char options[256];
  snprintf(options, sizeof options, "lowerdir=.,upperdir=%s,workdir=%s,userxattr",
           static_cast<const char*>(upper), static_cast<const char*>(work));
  if (chdir(lower) != 0 && errno == ENOENT) return true; // it is gone
  step.layered = mount("overlay", to, "overlay", 0, options) == 0;
  int error = errno;
  if (chdir("/") != 0) return failed(report, "go back");
  if (step.layered) return true;
  // A file system that cannot have an overlay, or a folder that is not ours to look into, is shown as it is,
  // but cannot be written to.
  errno = error;
  if (error == ENODEV || error == EPERM) return failed(report, "mount an overlay", step.path);
  if (!bind(lower, to, MS_REC) || !makeReadOnly(to, true)) return failed(report, "bind", step.path);
  return true;
}

bool CellFiles::hasStepBelow(const MountStep& step) const {
  size_t length = strlen(step.path);
  for (size_t i = 0; i < plan_->stepCount; ++i)
    if (strncmp(plan_->steps[i].path, step.path, length) == 0 && plan_->steps[i].path[length] == '/')
      return true;
  return false;
}

// Mounts those overlays anew that were written to. Where that is not enough, all is made anew.
bool CellFiles::refresh(CellReport& report) {
  constexpr uint64_t kFewFiles = 200; // more go faster with their file system
  if (cleanFiles_ - freeFiles() > kFewFiles) return build(report);
  for (size_t i = 0; i < plan_->stepCount; ++i) {
    MountStep& step = plan_->steps[i];
    Path upper("/scratch/upper/", i), work("/scratch/work/", i);
    if (!step.layered || isEmptyFolder(upper)) continue;
    if (hasStepBelow(step) || umount2(Path(kRoot, step.path), MNT_DETACH) != 0) return build(report);
    if (!removeTree(upper) || !removeTree(work)) return build(report);
    if (!mountOverlay(step, i, report)) return false;
  }
  return freeFiles() == cleanFiles_ || build(report);
}

uint64_t CellFiles::freeFiles() const {
  struct statfs status;
  return statfs("/scratch", &status) == 0 ? status.f_ffree : 0;
}

bool CellFiles::isFull() const {
  struct statfs status;
  return statfs("/scratch", &status) == 0 && (status.f_bfree == 0 || status.f_ffree == 0);
}

bool CellFiles::prepare(const CellOrder& order, CellReport& report) {
  // All that a run can leave behind is a file more: a new one, a copy of one below, or the mark of one that
  // was removed.
  if (!built_ || order.planChanged) {
    if (!build(report)) return false;
  } else if (freeFiles() != cleanFiles_ && !refresh(report)) {
    return false;
  }
  if (order.fileCount == 0) return true;
  int root = open(kRoot, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return failed(report, "open the scratch layer's root");
  bool done = true;
  for (size_t i = 0; i < order.fileCount && done; ++i) done = put(root, order.files[i], report);
  close(root);
  return done;
}

bool CellFiles::put(int root, const CellFile& file, CellReport& report) {
  return file.isKept ? putBack(root, file, report) : write(root, file, report);
}

// A path without links on the way.
bool CellFiles::putBack(int root, const CellFile& file, CellReport& report) {
  using recording::KeptFile;
  const char* name = strrchr(file.path, '/') + 1;
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%.*s", int(name - file.path), file.path);
  open_how how{};
  how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT;
  int in = int(syscall(SYS_openat2, root, folder, &how, sizeof how));
  if (in < 0) return file.kind == KeptFile::Absent || failed(report, "put a file back", file.path);
  struct stat status;
  bool isThere = fstatat(in, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  const bool stays = isThere && ((file.kind == KeptFile::Directory && S_ISDIR(status.st_mode)) ||
                                 (file.kind == KeptFile::File && S_ISREG(status.st_mode)));
  bool done = !isThere || stays || removeTreeIn(in, name);
  if (done && file.kind == KeptFile::Directory) done = stays || mkdirat(in, name, 0700) == 0;
  if (done && file.kind == KeptFile::Link) done = symlinkat(file.bytes, in, name) == 0;
  // One of a group that has no name here cannot be written to, but another can stand in its place.
  if (done && file.kind == KeptFile::File)
    done = write(root, file, report) || (stays && removeTreeIn(in, name) && write(root, file, report));
  if (done && (file.kind == KeptFile::File || file.kind == KeptFile::Directory)) {
    const timespec time{file.modified / 1'000'000'000, file.modified % 1'000'000'000};
    const timespec times[] = {time, time};
    done = fchmodat(in, name, file.mode, 0) == 0 && utimensat(in, name, times, AT_SYMLINK_NOFOLLOW) == 0;
  }
  if (done)
    report.failed = nullptr;
  else
    failed(report, "put a file back", file.path);
  close(in);
  return done;
}

// Links are followed as the program would follow them.
bool CellFiles::write(int root, const CellFile& file, CellReport& report) {
  open_how how{};
  how.flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  how.mode = 0644;
  how.resolve = RESOLVE_IN_ROOT;
  int fd = int(syscall(SYS_openat2, root, file.path, &how, sizeof how));
  if (fd < 0) return failed(report, "write a file of the experiment", file.path);
  for (size_t done = 0; done < file.size;) {
    ssize_t n = ::write(fd, file.bytes + done, file.size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      close(fd);
      return failed(report, "write a file of the experiment", file.path);
    }
    done += size_t(n);
  }
  close(fd);
  return true;
}

} // namespace faultline::experiment
