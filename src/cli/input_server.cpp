#include "cli/input_server.h"

#include "cli/alterable_run.h"

namespace faultline::cli {

using experiment::Ending;
using experiment::Experiment;
using experiment::Server;

Result<std::unique_ptr<InputServer>> InputServer::create(const Context& context,
                                                         const std::filesystem::path& path,
                                                         const recording::Expectation& expectation,
                                                         bool keepsOutput) {
  RunOptions options;
  options.words = {path.string()};
  FL_TRY(alterable, alterableRun(context, options, true));
  FL_TRY(recording, recording::Recording::open(alterable.recording));
  FL_TRY(prepared, experimenterSetting(context, recording));
  experiment::ServerSetting setting = std::move(prepared.server);
  setting.keepOutput = keepsOutput;
  // An input may make a run longer than the one that failed, but not without end.
  setting.limits.epochs = recording.end()->epoch * 20 + 1'000'000;
  std::unique_ptr<InputServer> out(new InputServer(std::move(setting)));
  // The same input must give the same end, and give it again.
  FL_TRY(original, out->run(out->setting_.run.input));
  if (original.cut == Ending::Broken) return errorf("{}", original.broken);
  FL_TRY(judge, experiment::Judge::create(expectation, original, recording.meta().cwd));
  out->judge_.emplace(std::move(judge));
  FL_TRY(again, out->verdictOn(out->setting_.run.input, nullptr));
  if (again != experiment::Verdict::SameFailure)
    return errorf("the run does not always fail in the same way");
  return out;
}

Result<Ending> InputServer::run(const std::string& input) {
  std::unique_ptr<Server> server;
  {
    std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      server = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!server) server = std::make_unique<Server>(setting_);
  Experiment experiment;
  experiment.input = input;
  FL_TRY(endings, server->run({&experiment, 1}));
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(server));
  return std::move(endings[0]);
}

Result<std::optional<experiment::Verdict>> InputServer::verdictOn(const std::string& input,
                                                                  const recording::Expectation* expectation) {
  FL_TRY(ending, run(input));
  // What it did may not be what it would have done alone: then it is tried so.
  if (ending.cut == Ending::Broken || ending.cut == Ending::Containment || ending.cut == Ending::Memory)
    return std::optional<experiment::Verdict>();
  ++made_;
  FL_TRY(verdict, expectation ? judge_->judge(ending, *expectation) : judge_->judge(ending));
  return std::optional(verdict);
}

InputServer* LateInputServer::get() {
  // One thread makes it; the others go on as before meanwhile.
  if (++asked_ == runsBefore_) {
    if (auto made = make_()) {
      server_ = std::move(*made);
      ready_ = server_.get();
    }
  }
  return ready_;
}

} // namespace faultline::cli
