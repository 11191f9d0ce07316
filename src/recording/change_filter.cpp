#include "recording/change_filter.h"

#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faultline::recording {
namespace {

constexpr uint32_t kWriting = O_ACCMODE | O_CREAT | O_TRUNC;
constexpr int kFchmodat2 = 452;
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

constexpr int kAlways[] = {SYS_creat,    SYS_truncate,  SYS_rename, SYS_renameat, SYS_renameat2, SYS_unlink,
                           SYS_unlinkat, SYS_rmdir,     SYS_mkdir,  SYS_mkdirat,  SYS_link,      SYS_linkat,
                           SYS_symlink,  SYS_symlinkat, SYS_mknod,  SYS_mknodat,  SYS_chmod,     SYS_fchmod,
                           SYS_fchmodat, kFchmodat2,    SYS_openat2};

sock_filter load(size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset)); }
sock_filter result(uint32_t value) { return BPF_STMT(BPF_RET | BPF_K, value); }
sock_filter unless(uint32_t value, uint8_t skip) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip);
}

constexpr size_t argument(int number) { return offsetof(seccomp_data, args) + size_t(number) * 8; }

} // namespace

ChangeFilter::ChangeFilter() {
  code_ = {load(offsetof(seccomp_data, arch)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
           result(SECCOMP_RET_ALLOW), load(offsetof(seccomp_data, nr))};
  struct {
    int call, flags;
  } const opens[] = {{SYS_open, 1}, {SYS_openat, 2}};
  for (const auto& open : opens) {
    code_.push_back(unless(uint32_t(open.call), 4));
    code_.push_back(load(argument(open.flags)));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kWriting, 1, 0));
    code_.push_back(result(SECCOMP_RET_ALLOW));
    code_.push_back(result(SECCOMP_RET_USER_NOTIF));
  }
  for (int call : kAlways) {
    code_.push_back(unless(uint32_t(call), 1));
    code_.push_back(result(SECCOMP_RET_USER_NOTIF));
  }
  code_.push_back(result(SECCOMP_RET_ALLOW));
}

int ChangeFilter::install() const {
  sock_fprog program{static_cast<unsigned short>(code_.size()), const_cast<sock_filter*>(code_.data())};
  auto set = [&](unsigned long more) {
    return int(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | more, &program));
  };
  // Signals that do not kill wait until the call is answered; kernels before 5.19 do not know that.
  auto setAny = [&] {
    int fd = set(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    return fd < 0 && errno == EINVAL ? set(0) : fd;
  };
  int fd = setAny();
  // Who is not root must give up that programs of other users get their rights.
  if (fd < 0 && errno == EACCES && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) fd = setAny();
  return fd;
}

namespace {

FileChange changeByOpen(NamedFile file, uint64_t flags) {
  constexpr uint64_t kUnnamed = O_TMPFILE, kOnlyNew = O_CREAT | O_EXCL;
  if ((flags & kUnnamed) == kUnnamed || (flags & O_PATH)) return {};
  const bool makes = flags & O_CREAT, isNew = (flags & kOnlyNew) == kOnlyNew;
  if (isNew || (flags & (O_ACCMODE | O_TRUNC)) == 0) // one that is there stays as it is
    return {makes ? FileChange::Make : FileChange::None, file, {}, !isNew, makes};
  return {FileChange::Write, file, {}, (flags & O_NOFOLLOW) == 0, makes};
}

} // namespace

FileChange changeBy(const seccomp_data& call, const std::function<uint64_t(uint64_t)>& wordAt) {
  auto here = [&](int at) { return NamedFile{AT_FDCWD, call.args[at]}; };
  auto in = [&](int at) { return NamedFile{int(call.args[at]), call.args[at + 1]}; };
  switch (call.nr) {
  case SYS_open:
    return changeByOpen(here(0), call.args[1]);
  case SYS_openat:
    return changeByOpen(in(0), call.args[2]);
  case SYS_openat2:
    return changeByOpen(in(0), wordAt(call.args[2])); // flags stand first in it
  case SYS_creat:
    return changeByOpen(here(0), O_WRONLY | O_CREAT | O_TRUNC);
  case SYS_truncate:
  case SYS_chmod:
    return {FileChange::Write, here(0), {}, true};
  case SYS_fchmodat:
  case kFchmodat2:
    return {FileChange::Write, in(0), {}, true};
  case SYS_fchmod:
    return {FileChange::Write, {int(call.args[0]), 0}, {}, true};
  case SYS_unlink:
  case SYS_rmdir:
    return {FileChange::Remove, here(0)};
  case SYS_unlinkat:
    return {FileChange::Remove, in(0)};
  case SYS_mkdir:
  case SYS_mknod:
    return {FileChange::Make, here(0)};
  case SYS_mkdirat:
  case SYS_mknodat:
    return {FileChange::Make, in(0)};
  case SYS_link:
  case SYS_symlink:
    return {FileChange::Make, here(1)};
  case SYS_symlinkat:
    return {FileChange::Make, in(1)};
  case SYS_linkat:
    return {FileChange::Make, in(2)};
  case SYS_rename:
    return {FileChange::Rename, here(0), here(1)};
  case SYS_renameat:
  case SYS_renameat2:
    return {FileChange::Rename, in(0), in(2)};
  default:
    return {};
  }
}

} // namespace faultline::recording
