// Beneath the catching of system calls lies a second net: the kernel itself refuses this process all that
// would change files or reach others, should an altered program ever get past the first (by jumping to a
// system call of ours). It is put up once, for good.
#include "runtime/experiment.h"
#include "runtime/raw.h"

#include <fcntl.h>
#include <sys/prctl.h>

namespace fl {
namespace {

// Newer than the kernel headers that we are built with.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr long kAskVersion = 1, kPathBeneath = 1;
constexpr uint64_t kWriteFile = 1 << 1, kTruncate = 1 << 14;
constexpr uint64_t kRemoveAndMake = 0x1ff0; // directories, files, devices, sockets, pipes, links
constexpr uint64_t kLinkElsewhere = 1 << 13;
constexpr uint64_t kBindAndConnect = 3, kOutsideSocketsAndSignals = 3;

struct Ruleset {
  uint64_t files, network, scoped;
};
struct __attribute__((packed)) PathBeneath {
  uint64_t allowed;
  int32_t parent;
};

// The kernel takes as much of it as it knows of.
Ruleset rulesOf(long version, size_t& size) {
  Ruleset rules = {kWriteFile | kRemoveAndMake, 0, 0};
  if (version >= 2) rules.files |= kLinkElsewhere;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4) rules.network = kBindAndConnect;
  if (version >= 6) rules.scoped = kOutsideSocketsAndSignals;
  size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  return rules;
}

void allow(int ruleset, const char* path, uint64_t what) {
  long file = raw(SYS_open, long(path), O_PATH | O_CLOEXEC);
  if (file < 0) return;
  PathBeneath rule = {what, int32_t(file)};
  raw(kAddRule, ruleset, kPathBeneath, long(&rule), 0);
  raw(SYS_close, file);
}

} // namespace

uint32_t forbidByKernel() {
  long version = raw(kCreateRuleset, 0, 0, kAskVersion);
  if (version < 1) return 0;
  size_t size;
  Ruleset rules = rulesOf(version, size);
  long ruleset = raw(kCreateRuleset, long(&rules), long(size), 0);
  if (ruleset < 0) return 0;
  allow(int(ruleset), "/dev/null", rules.files & (kWriteFile | kTruncate));
  raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1);
  long done = raw(kRestrictSelf, ruleset, 0);
  raw(SYS_close, ruleset);
  return done == 0 ? uint32_t(version) : 0;
}

} // namespace fl
