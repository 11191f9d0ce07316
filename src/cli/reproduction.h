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

struct ReproductionFiles {
  std::string suffix = {};           // behind what they were called: ".min"
  std::string first = {};            // name of the first of them; empty: as the others
  std::filesystem::path folder = {}; // empty: the current directory
};

// What is there already is left alone.
Result<Reproduction> writeReproduction(const InputQuestion& question, const technique::InputSet& inputs,
                                       const ReproductionFiles& files);

} // namespace faultline::cli
