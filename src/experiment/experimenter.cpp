#include "experiment/experimenter.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace faultline::experiment {

Experimenter::Experimenter(ExperimenterSetting setting)
    : setting_(std::move(setting)), server_(setting_.server) {
  if (setting_.method == Method::Fresh) reason_ = "it was asked for";
  if (setting_.method == Method::Automatic && setting_.threaded) reason_ = "the program has threads";
  const auto& before = setting_.server.run.before;
  if (setting_.method == Method::Automatic && reason_.empty() && before && !before->empty())
    reason_ = "the run changes files";
}

namespace {

// It changes what is laid down when a process starts, or how its threads take turns.
bool needsOwnProcess(const Experiment& e) {
  auto isThread = [](const Alteration& a) { return a.kind == Alteration::Thread; };
  return e.seed != 0 || e.layout != 0 || std::ranges::any_of(e.alterations, isThread);
}

} // namespace

Result<FreshRunner*> Experimenter::fresh() {
  if (!fresh_) {
    const ServerSetting& s = setting_.server;
    FreshProgram program{s.variant,  s.program,    setting_.libraries, s.seed,
                         s.worldPid, s.worldClock, s.counted};
    FL_TRY(made, FreshRunner::create(std::move(program), s.limits, setting_.containment,
                                     s.inputIsFile ? InputKind::File : InputKind::Pipe));
    fresh_.emplace(std::move(made));
  }
  return &*fresh_;
}

Result<Ending> Experimenter::runFresh(const Experiment& experiment) {
  RunSpec spec = setting_.server.run;
  spec.alterations = experiment.alterations;
  if (experiment.input) spec.input = *experiment.input;
  spec.lastEpoch = experiment.lastEpoch;
  spec.seed = experiment.seed;
  spec.layout = experiment.layout;
  if (experiment.isTraced) spec.traceEnd = setting_.server.traceEnd;
  ++freshRuns_;
  FL_TRY(runner, fresh());
  return runner->run(spec);
}

// Which way it takes, for altered runs to be compared with.
Result<void> Experimenter::traceRun(uint64_t steps, uint64_t lastEpoch) {
  constexpr uint64_t kMostSteps = 200'000; // each is stopped at
  if (!setting_.server.traces || steps > kMostSteps) return {};
  setting_.server.traceEnd = steps;
  Experiment itself{.alterations = {}, .isTraced = true};
  itself.lastEpoch = lastEpoch;
  if (!reason_.empty()) {
    FL_TRY(ending, runFresh(itself));
    setting_.server.visits = ending.visits.value_or(Visits());
    return {};
  }
  Server server(setting_.server);
  FL_CHECK(server.run({&itself, 1}));
  setting_.server.visits = server.visits();
  return {};
}

// As Server::walk.
Result<Ending> Experimenter::walkFresh() {
  FL_TRY(ending, runFresh({}));
  if (ending.executions) *ending.executions += setting_.server.counted->isBehind;
  FL_CHECK(traceRun(ending.epochs));
  return ending;
}

namespace {

uint64_t lost(const Visits& before, const Visits& now) {
  uint64_t out = 0;
  for (auto [place, count] : before) {
    auto known = now.find(place);
    uint64_t left = known == now.end() ? 0 : known->second;
    out += count - std::min(count, left);
  }
  return out;
}

} // namespace

Result<Ending> Experimenter::walk() {
  if (reason_.empty()) {
    auto walk = server_.walk();
    const bool isOther = walk && setting_.epochs && walk->ending.epochs != setting_.epochs;
    const bool needsOthers = isOther && walk->refused;
    // What it is asked for in one process it sees otherwise than it did (its own areas of memory, say): what
    // experiments are named by are instances of another run.
    const bool strays = isOther && !walk->difference.empty() && setting_.method == Method::Automatic;
    if (walk && walk->strange.empty() && !needsOthers && !strays) {
      if (walk->isCompared) passing_ = std::move(walk->passing);
      FL_CHECK(traceRun(walk->ending.epochs));
      return walk->ending;
    }
    std::string why = !walk         ? walk.error().message
                      : needsOthers ? "the program needs a socket"
                      : strays      ? "in one process the run takes another way"
                                    : fmt::format("the program calls {}", walk->strange);
    if (setting_.method == Method::Rollback || setting_.method == Method::Fork)
      return errorf("{}: experiments within one process are not possible", why);
    reason_ = why;
  }
  return walkFresh();
}

Result<Ending> Experimenter::runAlone(const Experiment& experiment) {
  Experiment traced = experiment;
  traced.isTraced = !setting_.server.visits.empty();
  if (reason_.empty() && !needsOwnProcess(experiment)) {
    Server server(setting_.server);
    FL_TRY(endings, server.run({&traced, 1}));
    if (traced.isTraced) endings[0].stepsLost = lost(setting_.server.visits, server.visits());
    if (endings[0].cut != Ending::Containment) return endings[0];
  }
  FL_TRY(ending, runFresh(traced));
  if (ending.visits) ending.stepsLost = lost(setting_.server.visits, *ending.visits);
  ending.visits.reset();
  return ending;
}

Result<void> Experimenter::runFresh(std::span<const Experiment> experiments, const std::vector<size_t>& which,
                                    std::vector<Ending>& endings,
                                    const std::function<bool(size_t, const Ending&)>& done) {
  FL_CHECK(fresh()); // before several of us ask for it
  std::mutex mutex;
  size_t next = 0;
  bool stop = false;
  Result<void> problem;
  auto work = [&] {
    for (;;) {
      size_t number;
      {
        std::lock_guard guard(mutex);
        if (stop || next == which.size()) return;
        number = which[next++];
      }
      auto ending = runFresh(experiments[number]);
      std::lock_guard guard(mutex);
      if (!ending) {
        problem = ending.error();
        stop = true;
        return;
      }
      if (done && !done(number, *ending)) stop = true;
      endings[number] = std::move(*ending);
    }
  };
  unsigned jobs = setting_.jobs ? setting_.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned k = 1; k < std::min<size_t>(jobs, which.size()); ++k) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  return problem;
}

Result<std::vector<Ending>> Experimenter::run(std::span<const Experiment> experiments,
                                              const std::function<bool(size_t, const Ending&)>& done) {
  std::vector<size_t> here, alone; // of `experiments`
  for (size_t k = 0; k < experiments.size(); ++k)
    (reason_.empty() && !needsOwnProcess(experiments[k]) ? here : alone).push_back(k);
  Ending none;
  none.cut = Ending::Broken;
  none.broken = "not made: the search was stopped";
  std::vector<Ending> endings(experiments.size(), none);
  bool stopped = false;
  if (!here.empty()) {
    std::vector<Experiment> served;
    for (size_t k : here) served.push_back(experiments[k]);
    FL_TRY(made, server_.run(served, [&](size_t number, const Ending& ending) {
      if (ending.cut == Ending::Containment && setting_.method == Method::Automatic) {
        alone.push_back(here[number]);
        return true;
      }
      stopped = done && !done(here[number], ending);
      return !stopped;
    }));
    for (size_t k = 0; k < here.size(); ++k) endings[here[k]] = std::move(made[k]);
  }
  if (!alone.empty() && !stopped) FL_CHECK(runFresh(experiments, alone, endings, done));
  return endings;
}

} // namespace faultline::experiment
