// Which system calls need no more than a yes or a no.
#include "runtime/syscalls.h"

namespace fl {

bool onlyAsks(long number) {
  switch (number) {
  case SYS_access:
  case SYS_sched_yield:
  case SYS_mincore:
  case SYS_uname:
  case SYS_getcwd:
  case SYS_readlink:
  case SYS_gettimeofday:
  case SYS_getrlimit:
  case SYS_getrusage:
  case SYS_sysinfo:
  case SYS_times:
  case SYS_getuid:
  case SYS_getgid:
  case SYS_geteuid:
  case SYS_getegid:
  case SYS_getppid:
  case SYS_getpgrp:
  case SYS_getgroups:
  case SYS_getresuid:
  case SYS_getresgid:
  case SYS_getpgid:
  case SYS_getsid:
  case SYS_statfs:
  case SYS_fstatfs:
  case SYS_gettid:
  case SYS_getxattr:
  case SYS_lgetxattr:
  case SYS_fgetxattr:
  case SYS_listxattr:
  case SYS_time:
  case SYS_sched_getaffinity:
  case SYS_clock_gettime:
  case SYS_clock_getres:
  case SYS_readlinkat:
  case SYS_faccessat:
  case 439:
  case SYS_statx:
  case SYS_getcpu:
  case SYS_sched_getparam:
  case SYS_sched_getscheduler:
  case SYS_getpriority:
  case SYS_set_robust_list:
  case SYS_set_tid_address:
  case 334 /* rseq */:
  case SYS_membarrier:
  case SYS_fadvise64:
  case SYS_fsync:
  case SYS_fdatasync:
  case SYS_sigaltstack:
  case SYS_rt_sigpending:
  case SYS_stat:
  case SYS_lstat:
    return true;
  default:
    return false;
  }
}

bool reachesOut(long number) {
  switch (number) {
  case SYS_socket:
  case SYS_connect:
  case SYS_bind:
  case SYS_listen:
  case SYS_sendto:
  case SYS_sendmsg:
  case SYS_ptrace:
  case SYS_mount:
  case SYS_umount2:
  case SYS_reboot:
  case SYS_sethostname:
  case SYS_settimeofday:
  case SYS_init_module:
  case SYS_delete_module:
  case SYS_setuid:
  case SYS_setgid:
  case SYS_chroot:
  case SYS_pivot_root:
  case SYS_process_vm_writev:
  case SYS_rt_sigqueueinfo:
  case SYS_pidfd_send_signal:
  case SYS_shmget:
  case SYS_msgget:
  case SYS_semget:
  case SYS_keyctl:
  case SYS_bpf:
  case SYS_unshare:
  case SYS_setns:
    return true;
  default:
    return false;
  }
}

} // namespace fl
