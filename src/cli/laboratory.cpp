#include "cli/laboratory.h"

#include "cli/expectation.h"

namespace faultline::cli {
namespace {

experiment::Method methodNamed(const std::string& name) {
  if (name == "rollback") return experiment::Method::Rollback;
  return name == "fresh" ? experiment::Method::Fresh : experiment::Method::Automatic;
}

// So many steps may an altered run take more than the run itself, before it counts as a hang.
uint64_t stepLimit(const recording::End& end) {
  return end.timedOut ? end.epoch : end.epoch * 10 + 1'000'000;
}

// How the run ends when it is repeated in the way that experiments are, and a judge who knows it.
Result<experiment::Judge> judgeFor(experiment::Experimenter& experimenter,
                                   const recording::Recording& recording,
                                   const recording::Expectation& expectation,
                                   std::vector<std::string>& caveats) {
  experiment::Ending original;
  if (recording.end()->timedOut) {
    original.cut = experiment::Ending::Time;
  } else {
    FL_TRY(walked, experimenter.walk());
    original = std::move(walked);
    if (original.cut != experiment::Ending::None)
      return errorf("the run did not come to its end when it was repeated{}",
                    original.broken.empty() ? "" : ": " + original.broken);
    if (original.epochs != recording.end()->epoch)
      caveats.push_back(fmt::format("the repeated run took {} steps instead of {}", original.epochs,
                                    recording.end()->epoch));
  }
  return experiment::Judge::create(expectation, original, recording.meta().cwd);
}

} // namespace

void addLaboratoryOptions(CLI::App& command, LaboratoryOptions& options) {
  command
      .add_option("--method", options.method,
                  "rollback: experiments in one process; fresh: a process for each; auto: what the program\n"
                  "allows")
      ->check(CLI::IsMember({"auto", "rollback", "fresh"}))
      ->type_name("METHOD")
      ->capture_default_str();
  command.add_flag("--uncontained", options.uncontained,
                   "Let altered runs do what you can do: write files, use the network, send signals");
}

Result<Laboratory> openLaboratory(const Context& context, const ValueRun& run, const RunOptions& options,
                                  const LaboratoryOptions& arguments) {
  const recording::Recording& recording = run.failing.run.recording;
  FL_TRY(expectationNow, expectationOf(options));
  const recording::Expectation& expectation =
      expectationNow.isGiven() ? expectationNow : recording.meta().expectation;
  FL_TRY(setting, experimenterSetting(context, recording));
  setting.server.expected = expectation.output;
  setting.server.keepOutput = !expectation.oracle.empty();
  setting.server.limits.epochs = stepLimit(*recording.end());
  setting.containment.on = !arguments.uncontained;
  setting.method = methodNamed(arguments.method);
  auto experimenter = std::make_unique<experiment::Experimenter>(setting);
  std::vector<std::string> caveats;
  FL_TRY(judge, judgeFor(*experimenter, recording, expectation, caveats));
  return Laboratory{std::move(experimenter), std::move(judge), std::move(caveats)};
}

std::string Laboratory::methodText() const {
  if (!experimenter->reason().empty()) return "each in a process of its own";
  return experimenter->freshRuns() ? "in one process, some in their own" : "in one process";
}

void Laboratory::addCaveats(std::vector<std::string>& to) const {
  to.insert(to.end(), caveats.begin(), caveats.end());
  if (!experimenter->reason().empty())
    to.push_back(fmt::format("each experiment was a process of its own: {}", experimenter->reason()));
  if (uint64_t values = experimenter->stats().otherValues)
    to.push_back(fmt::format("the repeated run got {} other values from outside than the recorded one, "
                             "on the same way",
                             values));
}

finding::Json Laboratory::stats() const {
  const experiment::ServerStats stats = experimenter->stats();
  return {{"processes", stats.processes},
          {"snapshots", stats.snapshots},
          {"rollbacks", stats.rollbacks},
          {"pages_restored", stats.pagesRestored},
          {"fresh_runs", experimenter->freshRuns()},
          {"landlock", stats.landlock}};
}

} // namespace faultline::cli
