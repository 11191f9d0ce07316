#include "cli/expectation.h"

#include "base/file.h"

namespace faultline::cli {

// It is kept in the recording's first part, as text.
static constexpr size_t kLargest = 16 << 20;

Result<recording::Expectation> expectationOf(const RunOptions& options) {
  recording::Expectation out;
  out.status = options.expectStatus;
  out.oracle = options.oracle;
  if (options.expect.empty()) return out;
  FL_TRY(text, readFile(options.expect));
  if (text.size() > kLargest) return errorf("{} is too large: at most 16 MB can be expected", options.expect);
  out.output = std::move(text);
  return out;
}

replay::Outcome outcomeOf(const recording::Recording& recording) {
  replay::Outcome out;
  if (recording.end()) out.end = *recording.end();
  std::error_code ignored;
  if (std::filesystem::is_directory(recording.meta().cwd, ignored)) out.directory = recording.meta().cwd;
  if (!recording.meta().captureOutput) return out;
  if (auto output = recording.output(1)) out.output = std::move(*output);
  if (auto errors = recording.output(2)) out.errors = std::move(*errors);
  return out;
}

Result<replay::Verdict> verdictOf(const recording::Recording& recording, const RunOptions& options) {
  FL_TRY(said, expectationOf(options));
  if (recording.start() && (said.output || !said.oracle.empty()))
    return errorf("the recording has only the end of the run: what it printed cannot be compared");
  return judge(outcomeOf(recording), said.isGiven() ? said : recording.meta().expectation);
}

nlohmann::json verdictJson(const replay::Verdict& verdict) {
  return {{"failed", verdict.failed()}, {"kind", replay::verdictName(verdict.kind)}, {"text", verdict.text}};
}

} // namespace faultline::cli
