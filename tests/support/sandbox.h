// Runs many small jobs that may crash, hang or eat all memory, each in a child process with limits, and says
// which of them did. Jobs share a child until one of them dies, so that a thousand cost little.
//
//   auto failures = runSandboxed(1000, {}, [](uint64_t job) -> std::string { return ""; /* or what is wrong
//   */ });
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace faultline::test {

struct SandboxLimits {
  unsigned seconds = 20;               // of one job
  uint64_t memory = uint64_t(3) << 30; // address space of the child; not under ASan, which needs it all
  size_t failures = 10;                // give up after so many
  unsigned batch = 200;                // jobs of one child
};

struct SandboxFailure {
  uint64_t job;
  std::string what; // its own complaint, or how it died and what it wrote
};

std::vector<SandboxFailure> runSandboxed(uint64_t jobs, const SandboxLimits& limits,
                                         const std::function<std::string(uint64_t job)>& body,
                                         uint64_t first = 0);

} // namespace faultline::test
