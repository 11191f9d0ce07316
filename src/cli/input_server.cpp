#include "cli/input_server.h"

#include "cli/alterable_run.h"

namespace faultline::cli {

using experiment::Ending;
using experiment::Experiment;
using experiment::Server;

namespace {

// A crash is told by its place, which the recording has, where it comes from the variant that is asked.
std::optional<experiment::FailureIdentity> crashOf(const recording::Recording& recording,
                                                   const recording::Expectation& expectation) {
  const recording::End& end = *recording.end();
  const bool isPlain = !expectation.isGiven() && end.signalled() && !end.timedOut && end.inputRead > 0;
  if (!isPlain || (end.ext == 0 && end.counter == 0)) return std::nullopt;
  return experiment::FailureIdentity{.kind = replay::Verdict::Crashed,
                                     .number = end.signal(),
                                     .site = end.ext,
                                     .counter = end.ext ? 0 : end.counter,
                                     .instruction = end.ext ? 0 : end.instruction};
}

} // namespace

// The same input must give the same end; that it gives it again is asked at the end, of what is left of it.
Result<Ending> InputServer::repeat(const recording::End& end) {
  FL_TRY(original, run(setting_.file ? setting_.file->bytes : setting_.run.input));
  if (original.cut == Ending::Broken) return errorf("{}", original.broken);
  bool hung = original.cut == Ending::Time || original.cut == Ending::Steps;
  if (end.timedOut ? !hung : original.cut != Ending::None || original.waitStatus != end.waitStatus)
    return errorf("the run ends in another way when it is repeated in a process that goes back");
  return original;
}

Result<std::unique_ptr<InputServer>> InputServer::create(const Context& context,
                                                         const std::filesystem::path& path,
                                                         const recording::Expectation& expectation,
                                                         bool keepsOutput,
                                                         std::optional<experiment::ServedFile> file) {
  RunOptions options;
  options.words = {path.string()};
  FL_TRY(alterable, alterableRun(context, options, true));
  FL_TRY(recording, recording::Recording::open(alterable.recording));
  FL_TRY(prepared, experimenterSetting(context, recording));
  experiment::ServerSetting setting = std::move(prepared.server);
  setting.keepOutput = keepsOutput;
  setting.file = std::move(file);
  // An input may make a run longer than the one that failed, but not without end.
  setting.limits.epochs = recording.end()->epoch * 20 + 1'000'000;
  std::unique_ptr<InputServer> out(new InputServer(std::move(setting)));
  const recording::End& end = *recording.end();
  // Experiments need not wait until it is repeated.
  if (auto crash = out->setting_.file ? std::nullopt : crashOf(recording, expectation)) {
    out->judge_.emplace(experiment::Judge::of(expectation, *crash, recording.meta().cwd));
    out->inputRead_ = end.inputRead;
    out->repeated_.emplace([server = out.get(), end]() -> Result<bool> {
      auto original = server->repeat(end);
      auto verdict = original ? server->judge_->judge(*original) : original.error();
      server->isWrong_ = !verdict || *verdict != experiment::Verdict::SameFailure;
      return !server->isWrong_;
    });
    return out;
  }
  FL_TRY(original, out->repeat(end));
  if (out->setting_.file && out->idle_.back()->stats().fileUses == 0)
    return errorf("the run does not open {} by a name that is known", out->setting_.file->path);
  FL_TRY(judge, experiment::Judge::create(expectation, original, recording.meta().cwd));
  out->judge_.emplace(std::move(judge));
  if (!out->setting_.file) out->inputRead_ = original.inputRead;
  return out;
}

Experiment InputServer::experimentOn(const std::string& bytes) const {
  Experiment experiment;
  (setting_.file ? experiment.file : experiment.input) = bytes;
  return experiment;
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
  Experiment experiment = experimentOn(input);
  FL_TRY(endings, server->run({&experiment, 1}));
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(server));
  return std::move(endings[0]);
}

Result<std::optional<experiment::Verdict>>
InputServer::verdictOn(const Ending& ending, const recording::Expectation* expectation) const {
  // What it did may not be what it would have done alone: then it is tried so.
  if (ending.cut == Ending::Broken || ending.cut == Ending::Containment || ending.cut == Ending::Memory)
    return std::optional<experiment::Verdict>();
  FL_TRY(verdict, expectation ? judge_->judge(ending, *expectation) : judge_->judge(ending));
  return std::optional(verdict);
}

Result<std::optional<experiment::Verdict>> InputServer::verdictOn(const std::string& input,
                                                                  const recording::Expectation* expectation) {
  if (isWrong_) return std::optional<experiment::Verdict>();
  FL_TRY(ending, run(input));
  FL_TRY(verdict, verdictOn(ending, expectation));
  made_ += verdict.has_value();
  return verdict;
}

Result<std::vector<std::optional<experiment::Verdict>>>
InputServer::lastVerdictsOn(const std::string& input) {
  Experiment experiment = experimentOn(input);
  std::vector<std::optional<experiment::Verdict>> out;
  std::lock_guard lock(mutex_);
  for (const std::unique_ptr<Server>& server : idle_) {
    FL_TRY(endings, server->run({&experiment, 1}));
    FL_TRY(verdict, verdictOn(endings[0], nullptr));
    out.push_back(verdict);
  }
  return out;
}

InputServer* LateInputServer::get() {
  if (runsBefore_ <= 1 || ++asked_ == runsBefore_)
    std::call_once(once_, [this] {
      auto made = make_();
      if (!made) return;
      server_ = std::move(*made);
      ready_ = server_.get();
    });
  return ready_;
}

} // namespace faultline::cli
