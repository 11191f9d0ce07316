#include "experiment/slurm.h"

#include "base/process.h"
#include "base/text.h"

#include <chrono>
#include <cstdlib>

namespace faultline::experiment {
namespace {

Result<std::string> ask(std::vector<std::string> argv, std::optional<std::string> input = {}) {
  std::string name = argv[0];
  FL_TRY(
      outcome,
      runCommand({.argv = std::move(argv), .input = std::move(input), .timeout = std::chrono::seconds(60)}));
  if (outcome.timedOut) return errorf("{} does not answer: is the controller of the cluster up?", name);
  if (!outcome.ok()) return errorf("{} failed: {}", name, outcome.err.substr(0, outcome.err.find('\n')));
  return outcome.out;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

} // namespace

std::string taskRanges(const std::set<size_t>& tasks) {
  std::string out;
  for (auto at = tasks.begin(); at != tasks.end();) {
    size_t first = *at, last = first;
    while (++at != tasks.end() && *at == last + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", first);
    if (last > first) out += fmt::format("-{}", last);
  }
  return out;
}

std::set<size_t> tasksIn(const std::string& ranges) {
  std::set<size_t> tasks;
  const char* at = ranges.c_str();
  while (*at >= '0' && *at <= '9') {
    char* end;
    size_t first = strtoull(at, &end, 10), last = first;
    if (*end == '-') last = strtoull(end + 1, &end, 10);
    for (size_t i = first; i <= last && tasks.size() < 1'000'000; ++i) tasks.insert(i);
    at = *end == ',' ? end + 1 : end;
    if (*end != ',') break;
  }
  return tasks;
}

Result<std::string> Slurm::submit(const std::set<size_t>& tasks, const std::string& script,
                                  const std::string& folder) const {
  std::vector<std::string> argv = {"sbatch",
                                   "--parsable",
                                   "--job-name=faultline",
                                   "--array=" + taskRanges(tasks),
                                   "--output=" + folder + "/log-%a",
                                   "--chdir=" + folder};
  argv.insert(argv.end(), options_.begin(), options_.end());
  FL_TRY(answer, ask(std::move(argv), "#!/bin/sh\n" + script + "\n"));
  // "12", or "12;cluster"
  std::string job = answer.substr(0, answer.find_first_of(";\n"));
  if (job.empty()) return errorf("sbatch gave no job number");
  return job;
}

Result<std::set<size_t>> Slurm::unfinished(const std::string& job) const {
  auto answer = ask({"squeue", "--noheader", "--array", "--format=%K %T", "--jobs=" + job});
  std::set<size_t> tasks;
  // A job that has been over for a while is unknown.
  if (!answer && answer.error().message.find("Invalid job id") != std::string::npos) return tasks;
  if (!answer) return answer.error();
  for (const std::string& line : lines(*answer)) tasks.merge(tasksIn(line));
  return tasks;
}

void Slurm::cancel(const std::string& job) const { (void)ask({"scancel", "--quiet", job}); }

Result<size_t> Slurm::processors() const {
  FL_TRY(answer, ask({"sinfo", "--noheader", "--format=%C"}));
  size_t all = 0;
  // allocated/idle/other/total, a line for each partition; the largest is the one that matters
  for (const std::string& line : lines(answer)) {
    unsigned long allocated, idle;
    if (sscanf(line.c_str(), "%lu/%lu/", &allocated, &idle) == 2)
      all = std::max<size_t>(all, allocated + idle);
  }
  if (all == 0) return errorf("no node of the cluster is up (sinfo)");
  return all;
}

} // namespace faultline::experiment
