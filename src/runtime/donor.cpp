// A large program's memory is not copied: a fork of the process keeps it. The kernel then copies a page only
// when the program writes it, which costs little more than the fault that marks it as written anyway. The
// donor sleeps for ever, with no descriptor open, and dies with its parent.
#include "runtime/pages.h"
#include "runtime/raw.h"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>

namespace fl {
namespace {

constexpr uint32_t kMostForgotten = 1024;
constexpr long kCloseRange = 436;

// Lies in Server's memory: an experiment must not roll it back.
struct Donor {
  long process;
  uint32_t forgottenCount;
  bool isWorn;
  Range forgotten[kMostForgotten]; // mapped anew since
};
constexpr uintptr_t kDonorAddress = kStoreAddress - (1 << 20);
static_assert(sizeof(Server) + (2 << 20) < kStoreAddress - FL_SERVER_ADDRESS);
static_assert(sizeof(Donor) <= (1 << 20));
Donor& donor() { return *reinterpret_cast<Donor*>(kDonorAddress); }

[[noreturn]] void sleepForEver(long parent) {
  raw(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  raw(kCloseRange, 0, ~0u, 0);
  changeMask(SIG_BLOCK, ~0ull);
  if (raw(SYS_getppid) != parent) raw(SYS_exit_group, 0); // it died meanwhile
  for (;;) raw(SYS_pause);
}

long readFrom(uintptr_t page, void* to) {
  iovec local = {to, kPage}, remote = {reinterpret_cast<void*>(page), kPage};
  return raw(SYS_process_vm_readv, donor().process, long(&local), 1, long(&remote), 1, 0);
}

} // namespace

void endDonor() {
  if (donor().process <= 0) return;
  raw(SYS_kill, donor().process, SIGKILL);
  raw(SYS_wait4, donor().process, 0, __WALL, 0);
  donor().process = 0;
}

bool startDonor() {
  endDonor();
  donor().forgottenCount = 0;
  donor().isWorn = false;
  long self = processId();
  long child = raw(SYS_clone, 0); // no signal to the parent when it ends: the program must not see it
  if (child == 0) sleepForEver(self);
  if (child < 0) return false;
  donor().process = child;
  // Some systems let no process read another's memory, not even its child's.
  if (readFrom(FL_SERVER_ADDRESS, FL_SERVER.logScratch) == long(kPage)) return true;
  endDonor();
  return false;
}

bool hasDonor() { return donor().process > 0; }
bool isDonorWorn() { return donor().isWorn; }

bool readDonor(uintptr_t page, void* to) {
  for (uint32_t k = 0; k < donor().forgottenCount; ++k)
    if (page >= donor().forgotten[k].begin && page < donor().forgotten[k].end) return false;
  long got = readFrom(page, to);
  if (got != long(kPage) && got != -EFAULT)
    fail("the process that keeps the program's memory was lost", "use --method fresh");
  return got == long(kPage);
}

void forgetDonor(uintptr_t begin, uintptr_t size) {
  if (!hasDonor() || donor().isWorn) return;
  Range gone = {begin & ~(kPage - 1), (begin + size + kPage - 1) & ~(kPage - 1)};
  for (uint32_t k = 0; k < donor().forgottenCount; ++k) {
    Range& known = donor().forgotten[k];
    if (gone.begin > known.end || gone.end < known.begin) continue;
    if (gone.begin < known.begin) known.begin = gone.begin;
    if (gone.end > known.end) known.end = gone.end;
    return;
  }
  if (donor().forgottenCount == kMostForgotten)
    donor().isWorn = true;
  else
    donor().forgotten[donor().forgottenCount++] = gone;
}

} // namespace fl
