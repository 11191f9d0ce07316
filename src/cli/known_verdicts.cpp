#include "cli/known_verdicts.h"

#include "base/file.h"
#include "experiment/run_digest.h"
#include "finding/paths.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

// Of more steps, to look for the files that a run opened takes longer than experiments may save.
constexpr uint64_t kLongRun = 100'000'000;
// Of a larger file, its size and when it was changed must do.
constexpr uintmax_t kLargeFile = uintmax_t(256) << 20;

// What is there is made when it is asked for; the log has what was read of it.
bool isOfKernel(const std::string& path) {
  return path.starts_with("/proc/") || path.starts_with("/sys/") || path.starts_with("/dev/");
}

std::string contentText(const std::string& path) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) return fs::exists(path, failed) ? "no file" : "not there";
  uintmax_t size = fs::file_size(path, failed);
  if (!failed && size > kLargeFile)
    return fmt::format("{} {}", size, fs::last_write_time(path, failed).time_since_epoch().count());
  auto bytes = readFile(path);
  return bytes ? experiment::contentKey(*bytes) : "not readable";
}

} // namespace

std::shared_ptr<experiment::VerdictCache> knownVerdicts(const Context& context) {
  auto cache = experiment::VerdictCache::openDefault();
  if (!cache) {
    context.log().warn("{}", cache.error().message);
    return nullptr;
  }
  if (std::string notice = (*cache)->notice(); !notice.empty()) context.log().warn("{}", notice);
  return std::move(*cache);
}

std::string filesDigest(const depend::Inputs& inputs, const std::string& cwd,
                        std::span<const std::string> except) {
  std::string all;
  for (const depend::InputStream& stream : inputs.streams()) {
    std::string path = finding::absolutePath(stream.name, cwd);
    bool isOther = std::ranges::find(except, path) == except.end();
    if (stream.kind == depend::InputStream::File && isOther && !isOfKernel(path))
      all += fmt::format("{}\n{}\n", path, contentText(path));
  }
  return experiment::contentKey(all);
}

Result<std::string> outsideOf(ValueRun& run, std::span<const experiment::OutsideValue> passing) {
  const recording::Recording& recording = run.failing.run.recording;
  if (recording.lastEpoch() > kLongRun) return fmt::format("{:016x}", recording.identity());
  FL_TRY(log, experiment::runDigest(*recording.log(), passing));
  FL_TRY(inputs, inputsOf(run));
  return log + filesDigest(inputs, recording.meta().cwd);
}

} // namespace faultline::cli
