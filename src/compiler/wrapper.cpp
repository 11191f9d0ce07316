#include "compiler/wrapper.h"

#include "base/file.h"
#include "compiler/compile_step.h"
#include "compiler/job_plan.h"
#include "compiler/job_runner.h"
#include "compiler/link_record.h"
#include "compiler/toolchain.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::compiler {

namespace {

// An Error that a step returns is the reason to let clang do the whole call instead.
class Invocation {
public:
  Invocation(Language language, std::span<const std::string> args, std::vector<std::string> expanded,
             CommandLine line)
      : language_(language), args_(args.begin(), args.end()), expanded_(std::move(expanded)),
        line_(std::move(line)) {}

  int run();

private:
  Result<int> attempt(JobRunner& runner, const ScratchDir& scratch);
  Result<int> linkOnly(JobRunner& runner);
  Result<int> buildSources(JobRunner& runner, const ScratchDir& scratch);
  Result<int> compileVerbosely(JobRunner& runner, const JobPlan& plan, CompileStep& step);
  Result<JobPlan> askForPlan(JobRunner& runner, const ScratchDir& scratch);
  std::vector<std::string> planArguments() const;
  Result<void> sourcesCanBeReadTwice() const;
  Result<void> keepStdin(const ScratchDir& scratch);
  void rewindStdin();
  void embedLink(std::span<const CompiledUnit> units);
  int letClangDoIt(const std::string& reason);

  Language language_;
  std::vector<std::string> args_;
  std::vector<std::string> expanded_;
  CommandLine line_;
  std::string stdinFile_;
  int stdinFd_ = -1;
};

void note(const std::string& file, const std::string& reason) {
  if (std::getenv("FAULTLINE_VERBOSE"))
    fmt::print(stderr, "faultline-cc: note: {} compiled without IR: {}\n", file, reason);
}

int exitCodeOf(int waitStatus) {
  return WIFSIGNALED(waitStatus) ? 128 + WTERMSIG(waitStatus) : WEXITSTATUS(waitStatus);
}

void printToStderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

int Invocation::run() {
  int stop = 0;
  std::string reason;
  {
    JobRunner runner;
    auto scratch = ScratchDir::create();
    Result<int> status = scratch ? attempt(runner, *scratch) : Result<int>(scratch.error());
    stop = runner.stopSignal();
    if (status && !stop) return *status;
    if (!status) reason = status.error().message;
  }
  // Temporary files are gone and signals act again: end as the user asked.
  if (stop) {
    std::raise(stop);
    return 128 + stop;
  }
  return letClangDoIt(reason);
}

int Invocation::letClangDoIt(const std::string& reason) {
  note(line_.inputs.empty() ? "the input" : line_.inputs.front().text, reason);
  rewindStdin();
  printToStderr(replaceProcess(clangCommand(language_, args_)).message + "\n");
  return 127;
}

Result<int> Invocation::attempt(JobRunner& runner, const ScratchDir& scratch) {
  if (!line_.hasSources()) return linkOnly(runner);
  FL_CHECK(sourcesCanBeReadTwice());
  FL_CHECK(keepStdin(scratch));
  return buildSources(runner, scratch);
}

Result<int> Invocation::linkOnly(JobRunner& runner) {
  FL_TRY(good, runner.run({clangCommand(language_, args_), {}, {}, {}, {}}));
  if (!good) return exitCodeOf(runner.lastStatus());
  embedLink({});
  return 0;
}

// A link without its record still is the user's program: say so, and leave it.
void Invocation::embedLink(std::span<const CompiledUnit> units) {
  LinkRecord record = describeLink(language_, expanded_, line_, units);
  if (auto done = embedLinkRecord(record); !done) note(record.output, done.error().message);
}

Result<int> Invocation::buildSources(JobRunner& runner, const ScratchDir& scratch) {
  FL_TRY(plan, askForPlan(runner, scratch));
  std::string errors = scratch.file("errors");
  CompileStep step(runner, scratch, stdinFile_, errors);
  if (line_.verbose) return compileVerbosely(runner, plan, step);
  for (const PlannedJob& job : plan.jobs) FL_CHECK(step.run(job));
  // Only now: had a job failed, clang would run from the start and say it all itself.
  printToStderr(plan.diagnostics);
  if (auto text = readFile(errors)) printToStderr(*text);
  if (line_.mode == Mode::Link) embedLink(step.units());
  return 0;
}

// With -v the user, or CMake, reads the driver's own words: it must be the driver that runs.
Result<int> Invocation::compileVerbosely(JobRunner& runner, const JobPlan& plan, CompileStep& step) {
  if (line_.mode != Mode::Object) return Error{"-v shows clang's own steps"};
  FL_TRY(good, runner.run({clangCommand(language_, args_), stdinFile_, {}, {}, {}}));
  if (!good) return exitCodeOf(runner.lastStatus());
  for (const PlannedJob& job : plan.jobs)
    if (job.kind == JobKind::Compile && (job.action == "-emit-obj" || job.makesLtoBitcode()))
      if (auto done = step.addRecord(job, job.output); !done) note(job.input, done.error().message);
  return 0;
}

// The plan's temporary files lie in our own directory, so we need not track them. Colours and line length are
// the driver's choice by its terminal, which here is a file.
std::vector<std::string> Invocation::planArguments() const {
  std::vector<std::string> args = {"-###"};
  if (isatty(STDERR_FILENO)) {
    if (!line_.colorGiven) args.push_back("-fcolor-diagnostics");
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
      args.push_back(fmt::format("-fmessage-length={}", size.ws_col));
  }
  args.insert(args.end(), args_.begin(), args_.end());
  return args;
}

Result<JobPlan> Invocation::askForPlan(JobRunner& runner, const ScratchDir& scratch) {
  std::string file = scratch.file("plan");
  std::vector<std::string> argv = clangCommand(language_, planArguments());
  FL_TRY(good, runner.run({argv, stdinFile_, "/dev/null", file, {{"TMPDIR", scratch.path()}}}));
  if (!good) return Error{"clang rejects the command"};
  FL_TRY(text, readFile(file));
  return parseJobPlan(text);
}

// A pipe (cc -c <(generate)) is empty the second time, and then clang would compile nothing without a word.
Result<void> Invocation::sourcesCanBeReadTwice() const {
  for (const Input& input : line_.inputs) {
    bool source = input.kind == InputKind::Source || input.kind == InputKind::Assembler;
    struct stat info{};
    if (!source || input.text == "-") continue;
    if (stat(input.text.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      return errorf("{} is not a regular file", input.text);
  }
  return {};
}

// Standard input can be read once, but clang may have to read it more often.
Result<void> Invocation::keepStdin(const ScratchDir& scratch) {
  if (!line_.readsStdin) return {};
  std::string content;
  char buffer[65536];
  for (ssize_t got; (got = read(STDIN_FILENO, buffer, sizeof buffer)) != 0;) {
    if (got < 0) return Error{"cannot read standard input"};
    content.append(buffer, static_cast<size_t>(got));
  }
  stdinFile_ = scratch.file("stdin");
  FL_CHECK(writeFileAtomic(stdinFile_, content));
  stdinFd_ = open(stdinFile_.c_str(), O_RDONLY | O_CLOEXEC);
  return {};
}

void Invocation::rewindStdin() {
  if (stdinFd_ >= 0) dup2(stdinFd_, STDIN_FILENO);
}

} // namespace

Language languageOfName(std::string_view argv0) {
  size_t slash = argv0.rfind('/');
  std::string_view name = slash == std::string_view::npos ? argv0 : argv0.substr(slash + 1);
  return name.find("++") == std::string_view::npos ? Language::C : Language::Cxx;
}

int runWrapper(Language language, std::span<const std::string> args) {
  std::vector<std::string> words(args.begin(), args.end());
  auto expanded = expandResponseFiles(args);
  CommandLine line;
  if (expanded) {
    if (auto known = withoutGccLto(*expanded); known != *expanded) words = *expanded = std::move(known);
    line = parseCommandLine(*expanded);
  }
  if (line.mode != Mode::PassThrough) return Invocation(language, words, std::move(*expanded), line).run();
  printToStderr(replaceProcess(clangCommand(language, words)).message + "\n");
  return 127;
}

} // namespace faultline::compiler
