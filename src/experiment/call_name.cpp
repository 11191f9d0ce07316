#include "experiment/server.h"

#include <sys/syscall.h>

namespace faultline::experiment {

std::string callName(uint32_t number) {
  static constexpr std::pair<long, const char*> kNames[] = {
      {SYS_open, "open"},         {SYS_openat, "openat"},
      {SYS_creat, "creat"},       {SYS_write, "write"},
      {SYS_fork, "fork"},         {SYS_vfork, "vfork"},
      {SYS_clone, "clone"},       {435, "clone3"},
      {SYS_execve, "execve"},     {SYS_unlink, "unlink"},
      {SYS_unlinkat, "unlinkat"}, {SYS_rename, "rename"},
      {SYS_mkdir, "mkdir"},       {SYS_rmdir, "rmdir"},
      {SYS_chmod, "chmod"},       {SYS_ftruncate, "ftruncate"},
      {SYS_truncate, "truncate"}, {SYS_link, "link"},
      {SYS_symlink, "symlink"},   {SYS_socket, "socket"},
      {SYS_pipe, "pipe"},         {SYS_pipe2, "pipe2"},
      {SYS_ioctl, "ioctl"},       {SYS_setitimer, "setitimer"},
      {SYS_alarm, "alarm"},       {SYS_timer_create, "timer_create"},
      {SYS_mmap, "mmap"},         {SYS_mprotect, "mprotect"},
      {SYS_read, "read"},         {SYS_chdir, "chdir"},
      {SYS_umask, "umask"},       {SYS_epoll_create1, "epoll_create1"},
      {SYS_eventfd2, "eventfd2"}, {SYS_prctl, "prctl"},
      {SYS_select, "select"},     {SYS_pselect6, "pselect6"},
      {SYS_mremap, "mremap"},
  };
  for (auto [known, name] : kNames)
    if (known == long(number)) return name;
  return fmt::format("system call {}", number);
}

} // namespace faultline::experiment
