#include "cli/laboratory.h"

#include "base/text.h"
#include "cli/expectation.h"
#include "cli/known_verdicts.h"
#include "finding/describe_stop.h"
#include "technique/instance_text.h"
#include "technique/landmark.h"

#include <algorithm>
#include <cmath>

namespace faultline::cli {
namespace {

experiment::Method methodNamed(const std::string& name) {
  if (name == "rollback") return experiment::Method::Rollback;
  if (name == "fork") return experiment::Method::Fork;
  return name == "fresh" ? experiment::Method::Fresh : experiment::Method::Automatic;
}

// So many steps may an altered run take more than the run itself, before it counts as a hang.
uint64_t stepLimit(const recording::End& end, bool isShortened) {
  return end.timedOut && !isShortened ? end.epoch : end.epoch * 10 + 1'000'000;
}

// And so many at first, while others wait. What a run that hangs would have taken is not known.
uint64_t firstSteps(const recording::End& end, bool isShortened) {
  return end.timedOut && !isShortened ? 1'000'000 : end.epoch * 2 + 20'000;
}

// Global id + 1 of the instruction at which the run ended, whatever is asked about it; 0: not known.
uint64_t lastInstruction(ValueRun& run) {
  replay::Replay& replay = run.failing.run.replay;
  uint64_t found = 0;
  if (replay.runToEnd()) {
    depend::Instances instances(*run.history);
    auto at = instances.underWay(replay.now(), replay.thread(), 0);
    if (at && *at != depend::kNoInstance)
      if (auto executed = instances.at(*at)) found = uint64_t(executed->id) + 1;
  }
  return replay.seek(run.question.from.time) ? found : 0;
}

// A crash in the program's own code is known by two signs: by where the machine stood, and, in a copy that
// asks, by its instruction (experiment/run.h). The walk has one of them. Where executions are counted beside
// the failure, it ends in the copy: processes of their own do not.
Result<void> addOtherSign(const experiment::ExperimenterSetting& setting, ValueRun& run,
                          experiment::Ending& original) {
  if (!original.signalled() || original.site) return {};
  if (!original.instruction) {
    original.instruction = lastInstruction(run);
    return {};
  }
  experiment::ExperimenterSetting plain = setting;
  plain.server.counted.reset();
  FL_TRY(walked, experiment::Experimenter(plain).walk());
  if (walked.signalled() && !walked.instruction) original.counter = walked.counter;
  return {};
}

// How the run ends when it is repeated in the way that experiments are, and a judge who knows it.
Result<experiment::Judge> judgeFor(experiment::Experimenter& experimenter,
                                   const experiment::ExperimenterSetting& setting, ValueRun& run,
                                   const recording::Expectation& expectation,
                                   std::vector<std::string>& caveats) {
  const recording::Recording& recording = run.failing.run.recording;
  experiment::Ending original;
  if (recording.end()->timedOut) {
    original.cut = experiment::Ending::Time;
    original.epochs = recording.meta().shortened.entered;
    if (original.epochs) FL_CHECK(experimenter.traceBeginning(original.epochs));
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
  FL_CHECK(addOtherSign(setting, run, original));
  return experiment::Judge::create(expectation, original, recording.meta().cwd);
}

// All that verdicts on this run have in common, whichever recording of it they are about. An altered run may
// look at its clock where the run itself does not.
Result<std::string> keyFor(const experiment::ExperimenterSetting& setting, ValueRun& run,
                           const recording::Expectation& expectation, const experiment::Judge& judge,
                           const experiment::Experimenter& experimenter) {
  const recording::Recording& recording = run.failing.run.recording;
  const experiment::ServerSetting& server = setting.server;
  FL_TRY(outside, outsideOf(run, experimenter.passing()));
  experiment::Setting common{
      .program = {server.variant, server.program, setting.libraries, server.seed, server.worldPid,
                  server.worldClock},
      .programKey = recording.meta().variant,
      .origin = fmt::format("{} {} {} {} {}", outside, int(setting.method), server.worldPid,
                            server.worldClock, server.counted ? int64_t(server.counted->instruction) : -1),
      .limits = server.limits,
      .containment = setting.containment,
      .expectation = expectation,
      .original = judge.original(),
      .directory = recording.meta().cwd};
  return experiment::verdictKey(common, server.run);
}

// Where the run failed, for altered runs to be asked whether they come by there. Where the right output is
// known, that they print it says more; and what does not end, or ends for want of stack, has no such place.
Result<std::optional<experiment::Counted>> landmark(ValueRun& run,
                                                    const recording::Expectation& expectation) {
  using Kind = replay::FailureKind;
  const std::optional<replay::Failure>& failure = run.failing.failure;
  constexpr Kind kNowhere[] = {Kind::Hang,     Kind::Killed,      Kind::StackOverflow,
                               Kind::Rejected, Kind::WrongOutput, Kind::StackSmashing};
  // To end with 0 is no place: what should have ended otherwise will hardly do so there.
  const auto& end = *run.failing.run.recording.end();
  const bool wentOn = !end.timedOut && end.signal() == 0 && end.exitStatus() == 0;
  if (!failure || wentOn || expectation.output ||
      std::ranges::find(kNowhere, failure->kind) != std::end(kNowhere))
    return std::optional<experiment::Counted>();
  replay::Replay& replay = run.failing.run.replay;
  depend::Instances instances(*run.history);
  auto found = technique::landmarkOf(instances, run.question.from, replay.thread(), ownCode(run));
  FL_CHECK(replay.seek(run.question.from.time));
  return found ? *found : std::nullopt; // it can be done without
}

} // namespace

void addLaboratoryOptions(CLI::App& command, LaboratoryOptions& options) {
  command
      .add_option(
          "--method", options.method,
          "rollback: experiments in one process; fork: each forked off where it begins; fresh: a process\n"
          "for each from the start; auto: what the kernel and the program allow")
      ->check(CLI::IsMember({"auto", "rollback", "fork", "fresh"}))
      ->type_name("METHOD")
      ->capture_default_str();
  command.add_flag("--uncontained", options.uncontained,
                   "Let altered runs do what you can do: write files, use the network, send signals");
  command.add_flag("--no-cache", options.noCache, "Make again what was made before");
}

std::function<bool(uint32_t id)> ownCode(ValueRun& run) {
  auto known = std::make_shared<std::unordered_map<uint32_t, bool>>();
  return [&run, known](uint32_t id) {
    auto [at, isNew] = known->try_emplace(id, false);
    if (isNew) {
      finding::Place place =
          technique::placeOf(run.history->code(), id, run.failing.run.recording.meta().cwd);
      at->second = place.isKnown() && !finding::isLibraryFrame(place);
    }
    return at->second;
  };
}

// Altered runs may wait for what never comes: an editor that they start. A power of two, so that two runs of
// a question have the same limit.
static double secondsFor(double ofRun) {
  constexpr double kTimes = 20, kLeast = 4;
  const double most = experiment::Limits().seconds;
  return std::clamp(std::exp2(std::ceil(std::log2(std::max(kTimes * ofRun, kLeast)))), kLeast, most);
}

Result<Laboratory> openLaboratory(const Context& context, ValueRun& run, const RunOptions& options,
                                  const LaboratoryOptions& arguments) {
  const recording::Recording& recording = run.failing.run.recording;
  FL_TRY(expectationNow, expectationOf(options));
  const recording::Expectation& expectation =
      expectationNow.isGiven() ? expectationNow : recording.meta().expectation;
  FL_TRY(setting, experimenterSetting(context, recording));
  setting.server.expected = expectation.output;
  setting.server.keepOutput = !expectation.oracle.empty();
  setting.server.limits.epochs = stepLimit(*recording.end(), recording.meta().shortened.steps != 0);
  setting.server.limits.seconds = secondsFor(recording.end()->seconds);
  setting.containment.on = !arguments.uncontained;
  setting.method = methodNamed(arguments.method);
  setting.server.forkEach = setting.method == experiment::Method::Fork;
  FL_TRY(counted, landmark(run, expectation));
  setting.server.counted = counted;
  setting.server.traces =
      !expectation.output && (!recording.end()->timedOut || recording.meta().shortened.entered);
  auto experimenter = std::make_unique<experiment::Experimenter>(setting);
  std::vector<std::string> caveats;
  if (arguments.uncontained && !setting.server.run.before->empty())
    caveats.push_back("without containment the files that the run changed were not put back");
  FL_TRY(judge, judgeFor(*experimenter, setting, run, expectation, caveats));
  experiment::Trials::Options trials{.steps =
                                         firstSteps(*recording.end(), recording.meta().shortened.steps != 0),
                                     .limit = setting.server.limits.epochs};
  // A run that is not the same each time has no verdict that is worth keeping.
  if (!arguments.noCache && caveats.empty()) {
    trials.cache = knownVerdicts(context);
    FL_TRY(key, keyFor(setting, run, expectation, judge, *experimenter));
    trials.key = std::move(key);
  }
  return Laboratory{std::move(experimenter), std::move(judge), std::move(trials), std::move(caveats)};
}

experiment::Trials Laboratory::trials(uint64_t limit) const {
  experiment::Trials::Options options = trialOptions;
  if (limit) options.limit = std::min(limit, options.limit);
  return {*experimenter, judge, options};
}

std::string Laboratory::methodText() const {
  if (!experimenter->reason().empty()) return "each in a process of its own";
  const char* way = experimenter->stats().forks ? "forked off" : "in one process";
  return experimenter->freshRuns() ? fmt::format("{}, some in their own", way) : way;
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

void Laboratory::addCaveats(const experiment::Trials& trials, std::vector<std::string>& to) {
  if (uint64_t count = trials.stats().undecided)
    to.push_back(fmt::format(
        "{} altered runs had not ended after {} steps{}, and were not awaited any longer", count,
        withThousands(trials.stats().steps),
        trials.stats().slow
            ? fmt::format(", or {} of them after far more time than so many take", trials.stats().slow)
            : ""));
}

finding::Json Laboratory::stats(const experiment::Trials& trials) const {
  const experiment::ServerStats stats = experimenter->stats();
  return {{"processes", stats.processes},
          {"snapshots", stats.snapshots},
          {"rollbacks", stats.rollbacks},
          {"forks", stats.forks},
          {"pages_restored", stats.pagesRestored},
          {"fresh_runs", experimenter->freshRuns()},
          {"landlock", stats.landlock},
          {"stuck_outside", stats.stuck},
          {"slow_steps", stats.slow},
          {"steps_first", trialOptions.steps},
          {"put_aside", trials.stats().aside},
          {"undecided", trials.stats().undecided},
          {"cached", trials.stats().cached}};
}

} // namespace faultline::cli
