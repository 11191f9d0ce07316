// Assignments that are missing: a value that, had it been another where it was read, would have made the run
// pass, and the statements before which it could have been set. Asked where no change of what is written
// repairs the run.
//
//   static void end_line(out* o) { putchar('\n'); }       o->column was 14 when it was read; 0, and it passes
//                                                         `o->column = 0` before line 1 repairs the run
#pragma once

#include "depend/instances.h"
#include "technique/changes/changes.h"

namespace faultline::technique {

// Adds what it finds to `result`, as changes of the forms Inserted and Once; and what was tried to its
// counts. `isOwn`: of an instruction, whether the user wrote it.
Result<void> searchAssignments(depend::Instances& instances, const depend::Slice& slice,
                               experiment::Trials& trials, const ChangeOptions& options,
                               const std::function<bool(uint32_t id)>& isOwn, ChangeResult& result);

} // namespace faultline::technique
