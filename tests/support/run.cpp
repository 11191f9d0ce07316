#include "support/run.h"

#include "base/process.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <stdlib.h>

namespace faultline::test {

RunResult run(const std::vector<std::string>& argv, const RunOptions& options) {
  Command command{.argv = argv,
                  .directory = options.cwd,
                  .environment = {options.env.begin(), options.env.end()},
                  .input = options.input,
                  .timeout = options.timeout};
  Result<Outcome> outcome = runCommand(command);
  if (!outcome) throw std::runtime_error(outcome.error().message);
  if (outcome->timedOut)
    throw std::runtime_error(fmt::format("{} did not end within {} ms; it wrote:\n{}{}", argv[0],
                                         options.timeout.count(), outcome->out, outcome->err));
  return {outcome->status, outcome->signal, std::move(outcome->out), std::move(outcome->err)};
}

TempDir::TempDir() {
  path_ = (std::filesystem::temp_directory_path() / "faultline-test-XXXXXX").string();
  if (!mkdtemp(path_.data())) throw std::runtime_error("cannot make a temporary directory " + path_);
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void writeFile(const std::filesystem::path& path, std::string_view text) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string readFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace faultline::test
