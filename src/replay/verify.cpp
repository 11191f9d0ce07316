#include "replay/verify.h"

#include <set>
#include <xxhash.h>

namespace faultline::replay {
namespace {

constexpr size_t kMostProblems = 20;

void note(VerifyReport& report, std::string problem) {
  if (report.problems.size() < kMostProblems) report.problems.push_back(std::move(problem));
}

bool isZero(const uint8_t* page) {
  for (size_t k = 0; k < kPageSize; ++k)
    if (page[k]) return false;
  return true;
}

// FINAL lists every page of which a byte is not zero, in records; the empty one closes the list.
void comparePages(Engine& engine, VerifyReport& report) {
  LogReader& log = engine.log();
  std::set<uint64_t> listed;
  const recording::Record* r;
  for (; (r = log.peek()) && r->tag == FL_LOG_FINAL; log.pop()) {
    ++report.records;
    if (r->size == 0) report.complete = true;
    for (uint64_t k = 0; k + 1 < r->size; k += 2) {
      uint64_t address = r->word(k), hash = r->word(k + 1);
      uint8_t page[kPageSize];
      ++report.pagesChecked;
      listed.insert(address);
      if (engine.memory().read(address, page, kPageSize) && XXH64(page, kPageSize, 0) == hash) continue;
      engine.memory().clearError();
      ++report.pagesMismatched;
      note(report, fmt::format("the page at {:#x} is not as the run left it{}", address,
                               engine.memory().isPresent(address) ? "" : ": nothing was written to it here"));
    }
  }
  if (r)
    note(report,
         fmt::format("the log has records behind its end, the first is {}", recording::tagName(r->tag)));
  if (!log.damage().empty()) note(report, log.damage());
  if (!report.complete) return;
  engine.memory().forEachPage([&](uint64_t address, const uint8_t* bytes) {
    if (!listed.count(address) && !isZero(bytes)) ++report.pagesUnlisted;
  });
}

} // namespace

Result<VerifyReport> verifyRun(Replay& replay) {
  VerifyReport report;
  auto ending = replay.runToEnd();
  if (!ending && !replay.divergence()) return ending.error();
  Engine& engine = replay.engine();
  report.ending = replay.ending();
  report.instructions = engine.steps();
  report.start = replay.start();
  report.records = engine.recordsTaken();
  if (ending)
    comparePages(engine, report);
  else
    note(report, ending.error().message);
  return report;
}

} // namespace faultline::replay
