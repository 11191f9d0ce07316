// The file system of a contained program, from inside the cell: put together as planned (cell_tree.h) over a
// scratch layer in memory, which is bounded, and thrown away when a run has written to it. One that has not
// is used for the next run, so a program that writes no files pays nothing.
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

private:
  bool makeStage(CellReport& report);
  bool makeDevices(CellReport& report);
  bool build(CellReport& report);
  bool apply(const MountStep& step, size_t number, CellReport& report);
  bool overlay(const MountStep& step, size_t number, CellReport& report);
  bool write(int root, const CellFile& file, CellReport& report);
  uint64_t freeFiles() const;

  const CellPlan* plan_ = nullptr;
  bool built_ = false;
  uint64_t cleanFiles_ = 0;
};

} // namespace faultline::experiment
