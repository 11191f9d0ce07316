// Lets the recorder run a program once more on the files as they were before its first run. As in a cell
// (cell.h), what it writes goes to a layer that is thrown away; all else is as outside.
//
//   FL_TRY(layer, ScratchLayer::create(*first.files, cwd, env));
//   again.files = first.files;
//   again.surroundings = &layer->surroundings();
#pragma once

#include "experiment/cell_files.h"
#include "recording/child.h"

namespace faultline::experiment {

class ScratchLayer {
public:
  static Result<std::unique_ptr<ScratchLayer>>
  create(const recording::KeptFiles& before, const std::string& cwd, const std::vector<std::string>& env);
  ScratchLayer(const ScratchLayer&) = delete;
  ScratchLayer& operator=(const ScratchLayer&) = delete;

  const recording::Surroundings& surroundings() const { return surroundings_; }

private:
  explicit ScratchLayer(CellMemory memory);
  const char* settleIn();

  CellMemory memory_;
  CellFiles files_;
  recording::Surroundings surroundings_;
};

} // namespace faultline::experiment
