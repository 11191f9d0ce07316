// The file system of a contained program, from inside the cell: put together as planned (cell_tree.h) over a
// scratch layer in memory, which is bounded. What a run has written is thrown away, overlay by overlay: a
// program that writes no files pays nothing, one that writes to one place pays for one overlay.
#pragma once

#include "experiment/cell_memory.h"

namespace faultline::experiment {

class CellFiles {
public:
  static constexpr const char* kRoot = "/root"; // what the program sees as /, in the cell's own tree

  // False: `report` says what failed.
  bool setUp(const CellPlan& plan, CellReport& report);
  // Before each run.
  bool prepare(const CellOrder& order, CellReport& report);
  bool isFull() const; // the scratch layer
  // How often all was made: who has an earlier root does not see the present files.
  unsigned builds() const { return builds_; }

private:
  bool makeStage(CellReport& report);
  bool makeDevices(CellReport& report);
  bool build(CellReport& report);
  bool refresh(CellReport& report);
  bool apply(MountStep& step, size_t number, CellReport& report);
  bool makeOverlay(MountStep& step, size_t number, CellReport& report);
  bool mountOverlay(MountStep& step, size_t number, CellReport& report);
  bool hasStepBelow(const MountStep& step) const;
  bool put(int root, const CellFile& file, CellReport& report);
  bool putBack(int root, const CellFile& file, CellReport& report);
  bool write(int root, const CellFile& file, CellReport& report);
  uint64_t freeFiles() const;

  const CellPlan* plan_ = nullptr;
  bool built_ = false;
  unsigned builds_ = 0;
  uint64_t cleanFiles_ = 0;
};

} // namespace faultline::experiment
