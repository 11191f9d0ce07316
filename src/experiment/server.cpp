#include "experiment/server.h"

#include "experiment/server_process.h"

#include <algorithm>
#include <numeric>

namespace faultline::experiment {
namespace {

// So many at once: an experiment's answer is looked at when its batch is.
constexpr size_t kBatch = 512;

Ending broken(std::string why) {
  Ending ending;
  ending.cut = Ending::Broken;
  ending.method = Ending::Rollback;
  ending.broken = std::move(why);
  return ending;
}

} // namespace

uint64_t startOf(const Experiment& experiment) {
  if (experiment.input || experiment.file || experiment.alterations.empty() || experiment.isTraced) return 1;
  uint64_t start = ~uint64_t(0);
  for (const Alteration& a : experiment.alterations) start = std::min(start, a.epoch);
  return start;
}

ServerStats& operator+=(ServerStats& sum, const ServerStats& more) {
  using Count = uint64_t ServerStats::*;
  for (Count count :
       {&ServerStats::experiments, &ServerStats::processes, &ServerStats::snapshots, &ServerStats::rollbacks,
        &ServerStats::pagesSaved, &ServerStats::pagesRestored, &ServerStats::otherValues, &ServerStats::forks,
        &ServerStats::stuck, &ServerStats::slow, &ServerStats::fileUses})
    sum.*count += more.*count;
  sum.landlock = std::max(sum.landlock, more.landlock);
  return sum;
}

class Server::Process : public ServerProcess {
  using ServerProcess::ServerProcess;
};

Server::Server(ServerSetting setting) : setting_(std::move(setting)) {}
Server::~Server() { end(); }

ServerStats Server::stats() const {
  ServerStats out = stats_;
  if (process_) process_->addTo(out);
  return out;
}

Visits Server::visits() const { return process_ ? process_->visits() : Visits(); }

void Server::end() {
  if (!process_) return;
  process_->addTo(stats_);
  process_.reset();
}

Result<Server::Process*> Server::processAt(uint64_t epoch) {
  if (process_ && (!process_->alive() || process_->position() > epoch)) end();
  if (!process_) {
    auto fresh = std::make_unique<Process>(setting_);
    FL_CHECK(fresh->start());
    process_ = std::move(fresh);
    ++stats_.processes;
  }
  return process_.get();
}

Result<Walk> Server::walk() {
  FL_TRY(process, processAt(0));
  FL_TRY(walk, process->walkToEnd());
  end();
  // A changed size soon fills all memory there is; what the run itself needed tells what is too much.
  constexpr uint64_t kMore = uint64_t(256) << 20;
  uint64_t enough = kMore + 2 * walk.mapped;
  if (setting_.limits.memory == 0 || enough < setting_.limits.memory) setting_.limits.memory = enough;
  // A library that was given a ruined structure may go round in it for ever, and makes no steps that could be
  // counted; nor can it need much longer than all of the run.
  constexpr double kAnyCall = 0.1, kTimesTheRun = 4;
  setting_.stuckSeconds = kAnyCall + kTimesTheRun * walk.seconds;
  setting_.walkSeconds = walk.seconds;
  setting_.walkEpochs = walk.ending.epochs;
  // It is other with each process, and with what experiments have done to this one.
  setting_.maps = walk.maps;
  return walk;
}

Result<std::vector<Ending>> Server::run(std::span<const Experiment> experiments,
                                        const std::function<bool(size_t, const Ending&)>& done) {
  std::vector<size_t> order(experiments.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::sort(order, {}, [&](size_t k) { return std::pair(startOf(experiments[k]), k); });
  std::vector<Ending> endings(experiments.size(), broken("not made: the search was stopped"));
  size_t next = 0;
  while (next < order.size()) {
    FL_TRY(process, processAt(startOf(experiments[order[next]])));
    // The file has one content at a time.
    size_t count = experiments[order[next]].file ? 1 : std::min(order.size() - next, kBatch);
    std::vector<ServerProcess::Request> batch;
    for (size_t k = 0; k < count; ++k)
      batch.push_back({&experiments[order[next + k]], startOf(experiments[order[next + k]])});
    size_t submitted = process->submit(batch);
    if (submitted == 0) {
      endings[order[next++]] = broken("what it is given does not fit into memory");
      continue;
    }
    bool goOn = true;
    size_t answered = 0;
    for (; answered < submitted && goOn; ++answered) {
      Ending ending = process->await(answered);
      size_t number = order[next + answered];
      ++stats_.experiments;
      if (done) goOn = done(number, ending);
      endings[number] = std::move(ending);
      if (!process->alive()) {
        ++answered;
        break;
      }
    }
    next += answered;
    if (!goOn) {
      end(); // what it is in the middle of is of no interest any more
      break;
    }
  }
  return endings;
}

} // namespace faultline::experiment
