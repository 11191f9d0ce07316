// The run that experiments are made on: recorded by the alter variant, in a world that can be given again
// (its clock, its number, its input as a file). For a program this is how it is recorded in the first place;
// a recording made otherwise is repeated, and the repetition is kept beside it.
#pragma once

#include "cli/run.h"
#include "compiler/variant.h"
#include "experiment/experimenter.h"

namespace faultline::cli {

struct AlterableRun {
  std::filesystem::path recording;
  std::vector<std::string> caveats; // of the repetition
};

// Which alter variant of the program need not be built any more; the faster one if both are there.
std::optional<VariantKind> alterableKindThere(const Context& context, const std::filesystem::path& program);

// A program that was asked about before gets the world that it had then, if nothing else was given to it
// otherwise: what was found then holds now. `anew`: a world of its own. `improves`: a better variant is built
// where the run is worth it.
Result<AlterableRun> alterableRun(const Context& context, const RunOptions& options, bool anew,
                                  bool improves = true);

// Whether alterableRun() of this recording needs no variant that is not there.
bool isAlterableThere(const Context& context, const std::filesystem::path& recording);

// As above; where a recording cannot be repeated so, nothing, and `why`: what needs no experiments can be
// asked of the recording as it is.
Result<AlterableRun> alterableIfPossible(const Context& context, const RunOptions& options, bool anew,
                                         std::string& why);

// What an experiment on the recording needs; without oracle and limits.
Result<experiment::ExperimenterSetting> experimenterSetting(const Context& context,
                                                            const recording::Recording& recording);

} // namespace faultline::cli
