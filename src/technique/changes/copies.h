// Statements that are missing: which statement, executed before a line where it does not stand, makes the run
// pass. Tried are those that the program has elsewhere, and the simplest assignments to variables of the
// function. Asked where no change of what is written repairs the run.
//
//   entry* get(cache* c, const char* key) { ...; return e; }
//
//   insert() calls link_newest(c, e), and get() has variables of these names: `link_newest(c, e);` before the
//   return repairs the run
#pragma once

#include "depend/history.h"
#include "depend/slice.h"
#include "technique/changes/changes.h"

namespace faultline::technique {

// Adds what it finds to `result`, as changes of the form Inserted, and what was tried to its counts. The
// functions of `places` are looked at in their order.
Result<void> searchCopies(depend::History& history, const depend::Slice& slice,
                          const std::vector<Changeable>& places, FirstEpochs& first,
                          experiment::Trials& trials, const ChangeOptions& options,
                          const std::function<bool(uint32_t id)>& isOwn, ChangeResult& result);

} // namespace faultline::technique
