#include "experiment/experimenter.h"

#include <algorithm>
#include <mutex>
#include <numeric>
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
  std::vector<std::thread> threads;
  for (size_t k = 1; k < std::min(jobs(), which.size()); ++k) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  return problem;
}

size_t Experimenter::jobs() const {
  return setting_.jobs ? setting_.jobs : std::max(1u, std::thread::hardware_concurrency());
}

ServerStats Experimenter::stats() const {
  ServerStats out = server_.stats();
  for (const auto& helper : helpers_) out += helper->stats();
  return out;
}

// Another process that walks the run costs its walk: that pays where experiments take longer.
Result<std::vector<Ending>> Experimenter::serve(std::span<const Experiment> experiments, const Done& done) {
  constexpr size_t kLeastEach = 32;
  constexpr auto kLong = std::chrono::milliseconds(400);
  const size_t servers = std::min(jobs(), experiments.size() / kLeastEach);
  if (isSlow_ && servers > 1) return serveSideBySide(experiments, servers, done);
  const auto begun = std::chrono::steady_clock::now();
  auto endings = server_.run(experiments, done);
  isSlow_ |= std::chrono::steady_clock::now() - begun > kLong;
  return endings;
}

Result<std::vector<Ending>> Experimenter::serveSideBySide(std::span<const Experiment> experiments,
                                                          size_t servers, const Done& done) {
  while (helpers_.size() + 1 < servers) helpers_.push_back(std::make_unique<Server>(server_.setting()));
  // Each has its share of the late ones, which take less time.
  std::vector<size_t> order(experiments.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t k) { return std::pair(startOf(experiments[k]), k); });
  std::vector<Ending> endings(experiments.size());
  std::mutex mutex;
  bool stop = false;
  Result<void> problem;
  auto work = [&](size_t part) {
    std::vector<size_t> which;
    std::vector<Experiment> some;
    for (size_t k = part; k < order.size(); k += servers) {
      which.push_back(order[k]);
      some.push_back(experiments[order[k]]);
    }
    Server& server = part == 0 ? server_ : *helpers_[part - 1];
    auto made = server.run(some, [&](size_t number, const Ending& ending) {
      std::lock_guard guard(mutex);
      if (!stop && done) stop = !done(which[number], ending);
      return !stop;
    });
    std::lock_guard guard(mutex);
    if (!made) {
      problem = made.error();
      stop = true;
      return;
    }
    for (size_t k = 0; k < which.size(); ++k) endings[which[k]] = std::move((*made)[k]);
  };
  std::vector<std::thread> threads;
  for (size_t part = 1; part < servers; ++part) threads.emplace_back(work, part);
  work(0);
  for (std::thread& t : threads) t.join();
  if (!problem) return problem.error();
  return endings;
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
    FL_TRY(made, serve(served, [&](size_t number, const Ending& ending) {
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
