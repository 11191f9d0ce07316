// How a program ends by itself: exit and its kin, abort, exec.
#include "runtime/experiment.h"
#include "runtime/log.h"
#include "runtime/raw.h"
#include "runtime/real.h"
#include "runtime/signals.h"

#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

extern char** environ;

namespace fl {

static bool exitLogged;
static int quickStatus;

void finish(int waitStatus) {
  if (off()) return;
  if (!(FL_STATE.flags & FL_FLAG_DROP)) logFinal();
  FL_STATE.wait_status = uint32_t(waitStatus);
  FL_STATE.ended = 1;
  // What still runs, such as the flushing of streams, must not change what the recorder finds.
  goPrivate();
}

static void ending(int status) {
  ensureStarted();
  if (!self || off() || exitLogged || serving) return; // a server's run ends at its system call
  KeepErrno keep;
  if (!holds(self) && !takeTurn(self, 2)) return;
  enterBusy(self);
  exitLogged = true;
  logExit(uint32_t(status));
  finish((status & 0xff) << 8);
  leaveBusy(self);
}

static void onExit(int status, void*) { ending(status); }
static void onQuickExit() { ending(quickStatus); }

void startExits() {
  // Registered before ld.so registers the destructors, so run after all of them.
  on_exit(onExit, nullptr);
  at_quick_exit(onQuickExit);
}

} // namespace fl

using namespace fl;

FL_EXPORT void _exit(int status) {
  ending(status);
  if (serving) endRun(FL_CUT_NONE, (status & 0xff) << 8); // system calls of our own are not caught
  for (;;) raw(SYS_exit_group, status);
}

FL_EXPORT void _Exit(int status) { _exit(status); }

FL_EXPORT void quick_exit(int status) {
  quickStatus = status;
  REAL(quick_exit)(status);
  __builtin_unreachable();
}

// If the program's handler for SIGABRT returns, abort takes the signal's default effect by itself, past us.
FL_EXPORT void abort() {
  if (self && hasHandler(SIGABRT)) {
    changeMask(SIG_UNBLOCK, KernelMask(1) << (SIGABRT - 1)); // also within the handler itself, as libc does
    raise(SIGABRT);
    programActions[SIGABRT].sa_handler = SIG_DFL;
    installAction(SIGABRT);
  }
  REAL(abort)();
  __builtin_unreachable();
}

// exec* replace the program: what was logged is all there is. If it fails, the program goes on.
static void beforeExec() {
  if (!self || off() || !holds(self)) return;
  enterBusy(self);
  logExec();
  FL_STATE.execs = 1;
  leaveBusy(self);
}

static int afterExec(int result) {
  FL_STATE.execs = 0;
  return result;
}

#define FL_EXEC(name, parameters, arguments)                                                                 \
  FL_EXPORT int name parameters {                                                                            \
    beforeExec();                                                                                            \
    return afterExec(REAL(name) arguments);                                                                  \
  }

FL_EXEC(execve, (const char* path, char* const argv[], char* const env[]), (path, argv, env))
FL_EXEC(execv, (const char* path, char* const argv[]), (path, argv))
FL_EXEC(execvp, (const char* file, char* const argv[]), (file, argv))
FL_EXEC(execvpe, (const char* file, char* const argv[], char* const env[]), (file, argv, env))
FL_EXEC(fexecve, (int fd, char* const argv[], char* const env[]), (fd, argv, env))
FL_EXEC(execveat, (int fd, const char* path, char* const argv[], char* const env[], int flags),
        (fd, path, argv, env, flags))

// Collects the arguments of execl and execlp; `argv` has room for all of them.
#define FL_EXEC_LIST(name, target)                                                                           \
  FL_EXPORT int name(const char* path, const char* first, ...) {                                             \
    va_list list;                                                                                            \
    size_t count = 1;                                                                                        \
    va_start(list, first);                                                                                   \
    while (va_arg(list, char*)) ++count;                                                                     \
    va_end(list);                                                                                            \
    auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*)));                                  \
    argv[0] = const_cast<char*>(first);                                                                      \
    va_start(list, first);                                                                                   \
    for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(list, char*);                                       \
    va_end(list);                                                                                            \
    return target(path, argv);                                                                               \
  }

FL_EXEC_LIST(execl, execv)
FL_EXEC_LIST(execlp, execvp)

FL_EXPORT int execle(const char* path, const char* first, ...) {
  va_list list;
  size_t count = 1;
  va_start(list, first);
  while (va_arg(list, char*)) ++count;
  char* const* env = va_arg(list, char* const*);
  va_end(list);
  auto** argv = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
  argv[0] = const_cast<char*>(first);
  va_start(list, first);
  for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(list, char*);
  va_end(list);
  return execve(path, argv, env);
}
