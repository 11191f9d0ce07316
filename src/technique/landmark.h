// Where a run failed, as altered runs can be asked about it: an instruction that is executed whenever the run
// comes by there, whether it fails there or not, and that an alter variant counts.
//
//   assert(n > 0)             the branch that led to __assert_fail
//   if (bad) die("...")       the branch, though exit() is called in die()
//   p->next                   the read that crashed
//   memcpy(to, from, n)       a store or a call beside it in its block
//
// A run that passes because it never comes there again says little about the fault: anything that leads to
// another way through the program does that.
#pragma once

#include "depend/instances.h"
#include "depend/query.h"
#include "experiment/server.h"

namespace faultline::technique {

// Nothing: there is no such place, as where main returned the wrong status. `isOwn`: of an instruction,
// whether the user wrote it; what failed in code of a library is looked for at its call.
Result<std::optional<experiment::Counted>> landmarkOf(depend::Instances& instances,
                                                      const depend::Question& failure, uint32_t thread,
                                                      const std::function<bool(uint32_t id)>& isOwn);

} // namespace faultline::technique
