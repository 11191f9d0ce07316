// A run that hangs is as long as anybody waited, and nearly all of it says the same. It is recorded again up
// to where it is well within what it does not get out of, and questions are asked about that.
#pragma once

#include "cli/context.h"
#include "recording/reader.h"
#include "recording/recorder.h"

#include <functional>

namespace faultline::cli {

// Whether the run made so many steps that it goes round in something. One that waits (for a lock, for its
// input) makes few, and is short already.
bool isLongHang(const recording::End& end);

// Records the run once more, in the same world, for so many steps.
using RecordSteps = std::function<Result<recording::RecordResult>(
    uint64_t steps, const recording::Shortened& why, const std::filesystem::path& output)>;

// Leaves the short recording as `output`, in place of the long one if that is there. False: it cannot be made
// shorter, or ends in another way when it is repeated; `output` is as it was.
Result<bool> shortenHang(const Context& context, const recording::End& end,
                         const std::filesystem::path& output, const RecordSteps& record);

// What was done, for the report; empty: nothing.
std::string shortenedText(const recording::Recording& recording);

} // namespace faultline::cli
