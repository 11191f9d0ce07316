// `memory`: follows the whole run and finds accesses that no run may make, the first of them first.
//
//   int* a = malloc(10 * sizeof *a);  for (i = 0; i <= 10; i++) a[i] = 0;
//
//   writes 4 bytes at offset 40 of the 40-byte block allocated at p.c:1; i = 10
#pragma once

#include "depend/memory_walk.h"
#include "finding/memory_report.h"

namespace faultline::technique {

struct MemoryQuestion {
  size_t most = 5;
  bool undefined = true;         // what nobody has written, too
  uint64_t steps = ~uint64_t(0); // at most
  finding::ProgramInfo program = {};
};

Result<finding::MemoryReport> findMemoryErrors(depend::History& history, const MemoryQuestion& question);

} // namespace faultline::technique
