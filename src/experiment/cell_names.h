// Users and groups in a name space of its own.
#pragma once

#include <sys/types.h>

namespace faultline::experiment {

// The program sees users and groups under the names that they have. Who is not root may only map himself;
// files of others then belong to nobody.
bool mapNames(pid_t pid);

} // namespace faultline::experiment
