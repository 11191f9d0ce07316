#include "experiment/scratch_layer.h"

#include "experiment/cell.h"
#include "experiment/cell_names.h"
#include "experiment/cell_tree.h"

#include <cerrno>
#include <sched.h>
#include <unistd.h>

namespace faultline::experiment {

Result<std::unique_ptr<ScratchLayer>> ScratchLayer::create(const recording::KeptFiles& before,
                                                           const std::string& cwd,
                                                           const std::vector<std::string>& env) {
  FL_TRY(memory, CellMemory::create());
  CellPlan& plan = memory.plan();
  plan.onlyFiles = true;
  plan.scratch = Containment().scratch;
  FL_CHECK(planTree(memory));
  planPlaces(memory, likelyPlaces(cwd, env, &before));
  CellOrder& order = memory.order();
  auto* files = memory.array<CellFile>(before.size());
  bool fits = files != nullptr;
  for (size_t k = 0; k < before.size() && fits; ++k) {
    files[k] = memory.place(before[k]);
    fits = files[k].path && files[k].bytes;
  }
  if (!fits) return errorf("the files that the run changed are too large to be put back");
  order.files = files;
  order.fileCount = before.size();
  return std::unique_ptr<ScratchLayer>(new ScratchLayer(std::move(memory)));
}

ScratchLayer::ScratchLayer(CellMemory memory) : memory_(std::move(memory)) {
  surroundings_ = {.leave = [] { return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; },
                   .letIn = mapNames,
                   .settleIn = [this] { return settleIn(); }};
}

const char* ScratchLayer::settleIn() {
  CellReport& report = memory_.report();
  report = {};
  if (!files_.setUp(memory_.plan(), report) || !files_.prepare(memory_.order(), report)) {
    errno = report.error;
    return report.failed;
  }
  return chroot(CellFiles::kRoot) == 0 ? nullptr : "enter the scratch layer";
}

} // namespace faultline::experiment
