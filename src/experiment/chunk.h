// A part of a search that another process does: a folder that both see, with what the experiments have in
// common in `setting`, and for each chunk its experiments (`3.in`), then their outcomes (`3.out`), or why
// there are none (`3.error`).
#pragma once

#include "experiment/executor.h"
#include "experiment/setting.h"

#include <filesystem>
#include <optional>

namespace faultline::experiment {

class ChunkFolder {
public:
  explicit ChunkFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}
  const std::filesystem::path& path() const { return folder_; }

  Result<void> writeSetting(const Setting& setting) const;
  Result<void> writeChunk(size_t chunk, const std::vector<const RunSpec*>& specs) const;
  // Nothing: not yet.
  Result<std::optional<std::vector<Outcome>>> takeOutcomes(size_t chunk) const;
  std::optional<std::string> errorOf(size_t chunk) const;

  // The other side: runs the chunk and writes its outcomes, all at once.
  Result<void> runChunk(size_t chunk) const;

private:
  std::filesystem::path file(size_t chunk, const char* suffix) const;
  Result<void> tryChunk(size_t chunk) const;

  std::filesystem::path folder_;
};

} // namespace faultline::experiment
