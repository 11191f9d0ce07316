// The world of a run that is to be repeated exactly: what the clock says and which number the process has are
// then given (fl_state.world_*), not asked of the machine. Time goes by with the steps that the program
// takes.
#include "runtime/raw.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

namespace fl {
namespace {

// False: the machine is asked, by each run for itself.
bool isGiven() {
  if (started() && FL_STATE.world_clock != 0) return true;
  eachForItself();
  return false;
}

// A nanosecond an epoch is of the order of what it takes.
uint64_t nanoseconds(clockid_t clock) {
  uint64_t passed = currentEpoch();
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI
             ? FL_STATE.world_clock + passed
             : 1'000'000'000'000ull + passed;
}

timespec asTime(uint64_t nanoseconds) {
  return {time_t(nanoseconds / 1'000'000'000), long(nanoseconds % 1'000'000'000)};
}

} // namespace
} // namespace fl

using namespace fl;

FL_EXPORT int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!isGiven()) return REAL(clock_gettime)(clock, time);
  *time = asTime(nanoseconds(clock));
  return 0;
}

FL_EXPORT time_t time(time_t* out) noexcept {
  if (!isGiven()) return REAL(time)(out);
  time_t now = asTime(nanoseconds(CLOCK_REALTIME)).tv_sec;
  if (out) *out = now;
  return now;
}

FL_EXPORT int gettimeofday(timeval* time, void* zone) noexcept {
  if (!isGiven()) return REAL(gettimeofday)(time, zone);
  timespec now = asTime(nanoseconds(CLOCK_REALTIME));
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

FL_EXPORT int timespec_get(timespec* time, int base) noexcept {
  if (!isGiven() || base != TIME_UTC) return REAL(timespec_get)(time, base);
  *time = asTime(nanoseconds(CLOCK_REALTIME));
  return base;
}

FL_EXPORT clock_t clock() noexcept {
  if (!isGiven()) return REAL(clock)();
  return clock_t(currentEpoch() / 1000);
}

FL_EXPORT pid_t getpid() noexcept {
  if (started() && FL_STATE.world_pid != 0) return pid_t(FL_STATE.world_pid);
  eachForItself();
  return pid_t(raw(SYS_getpid));
}

FL_EXPORT int kill(pid_t target, int signal) noexcept {
  if (target > 0 && started() && uint32_t(target) == FL_STATE.world_pid) {
    eachForItself();
    target = pid_t(raw(SYS_getpid));
  }
  return REAL(kill)(target, signal);
}
