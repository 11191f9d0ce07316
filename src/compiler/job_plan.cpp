#include "compiler/job_plan.h"

#include <algorithm>

namespace faultline::compiler {

namespace {

// One command as clang prints it: ' "word" "wo\"rd" ...' up to the end of the line. Words may hold newlines.
std::vector<std::string> takeCommand(std::string_view& text) {
  std::vector<std::string> words;
  size_t at = 0;
  while (at < text.size() && text[at] != '\n') {
    if (text[at++] != '"') continue;
    std::string word;
    for (; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      word.push_back(text[at]);
    }
    ++at;
    words.push_back(std::move(word));
  }
  text.remove_prefix(std::min(text.size(), at + 1));
  return words;
}

std::string_view takeLine(std::string_view& text) {
  size_t end = std::min(text.find('\n'), text.size() - 1);
  std::string_view line = text.substr(0, end + 1);
  text.remove_prefix(end + 1);
  return line;
}

// What the driver prints with -### about itself; all other lines are for the user.
bool isBanner(std::string_view line) {
  constexpr std::string_view banners[] = {"Target: ",
                                          "Thread model: ",
                                          "InstalledDir: ",
                                          " (in-process)",
                                          "Configuration file: ",
                                          "Build config: ",
                                          "System configuration file",
                                          "User configuration file"};
  return line.find("clang version ") != std::string_view::npos ||
         std::ranges::any_of(banners, [&](auto banner) { return line.starts_with(banner); });
}

std::string_view baseName(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool isAction(std::string_view option) {
  constexpr std::string_view actions[] = {"-E", "-S", "-fsyntax-only", "-analyze", "-Eonly"};
  return (option.starts_with("-emit-") && option != "-emit-llvm-uselists") ||
         std::ranges::find(actions, option) != std::end(actions);
}

Result<PlannedJob> describe(std::vector<std::string> argv) {
  PlannedJob job;
  job.argv = std::move(argv);
  if (job.argv.size() < 2) return Error{"clang printed an empty job"};
  job.output = job.valueOf("-o");
  std::string_view tool = baseName(job.argv[0]);
  if (job.argv[1] == "-cc1") {
    job.kind = JobKind::Compile;
    auto action = std::ranges::find_if(job.argv, isAction);
    job.action = action == job.argv.end() ? "" : *action;
    job.language = job.valueOf("-x");
    job.input = job.argv.back();
  } else if (job.argv[1] == "-cc1as" || tool == "as" || tool.ends_with("-as")) {
    job.kind = JobKind::Assemble;
    job.input = job.argv.back();
  } else if (tool.find("ld") == std::string_view::npos) {
    return errorf("clang would run {}", tool);
  }
  return job;
}

} // namespace

bool PlannedJob::has(std::string_view option) const { return std::ranges::find(argv, option) != argv.end(); }

bool PlannedJob::hasPrefix(std::string_view option) const {
  return std::ranges::any_of(argv, [&](const std::string& arg) { return arg.starts_with(option); });
}

bool PlannedJob::makesLtoBitcode() const { return action == "-emit-llvm-bc" && hasPrefix("-flto"); }

std::string PlannedJob::valueOf(std::string_view option) const {
  auto last = std::find(argv.rbegin(), argv.rend(), option);
  return last == argv.rend() || last == argv.rbegin() ? "" : *std::prev(last);
}

Result<JobPlan> parseJobPlan(std::string_view text) {
  JobPlan plan;
  while (!text.empty()) {
    if (text.starts_with(" \"")) {
      FL_TRY(job, describe(takeCommand(text)));
      plan.jobs.push_back(std::move(job));
      continue;
    }
    std::string_view line = takeLine(text);
    if (!isBanner(line)) plan.diagnostics.append(line);
  }
  if (plan.jobs.empty()) return Error{"clang has nothing to do"};
  return plan;
}

} // namespace faultline::compiler
