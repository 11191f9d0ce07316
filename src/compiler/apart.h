// Work that has no way to be broken off (code generation of a large unit) is done in a process of its own,
// which can be ended at any time. It is a fork: what it makes must go to files.
#pragma once

#include "base/result.h"

#include <functional>

namespace faultline::compiler {

using ReportProgress = std::function<void(size_t done, size_t total)>;

// Asks `stop` some times a second; once it says true, all that `work` has started is ended, and the error
// says that it was stopped. `progress` is called here with what the work reports. Other threads of this
// process are not in the fork, and what they have locked stays locked there: the work must not need it.
Result<void> runApart(const std::function<Result<void>(const ReportProgress&)>& work,
                      const std::function<bool()>& stop, const ReportProgress& progress);

} // namespace faultline::compiler
