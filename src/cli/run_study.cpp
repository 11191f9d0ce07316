#include "cli/run_study.h"

namespace faultline::cli {
namespace {

Result<std::shared_ptr<RunFindings>> study(const Context& context, const ValueOptions& options) {
  auto out = std::make_shared<RunFindings>();
  auto before = std::chrono::steady_clock::now();
  FL_TRY(run, openValueRun(context, options));
  out->secondsOfReplay = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  out->run = std::move(run);
  if (!out->run->didNotFail) out->failure = out->run->failing.info;
  return out;
}

} // namespace

Result<const depend::Inputs*> RunFindings::streams() {
  if (!streams_) {
    FL_TRY(found, inputsOf(*run));
    streams_.emplace(std::move(found));
  }
  return &*streams_;
}

RunStudy::RunStudy(const Context& context, const ValueOptions& options)
    : findings_([context, options] { return study(context, options); }) {}

} // namespace faultline::cli
