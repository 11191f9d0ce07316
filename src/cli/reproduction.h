// A reduced input written down, and the command that fails with it.
#pragma once

#include "cli/input_question.h"
#include "finding/minimize_report.h"

namespace faultline::cli {

struct Reproduction {
  std::vector<finding::MinimizedInput> inputs; // as `before` has them, with where they were written
  experiment::RunSpec run;                     // reads what was written, by its name in the arguments
  std::string command;
  std::vector<std::string> caveats;
  std::string standardInput; // file; empty: none was written
};

// Files are called after what they were, with this behind (".min"), in the current directory; `name` is for
// the first of them. What is there already is left alone.
Result<Reproduction> writeReproduction(const InputQuestion& question, const technique::InputSet& inputs,
                                       const std::string& suffix, const std::string& name = "");

} // namespace faultline::cli
