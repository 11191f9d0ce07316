#include "cli/run.h"

#include "base/progress.h"
#include "base/text.h"
#include "cli/expectation.h"
#include "cli/interrupt.h"
#include "cli/open_replay.h"
#include "compiler/variant.h"
#include "recording/leftover.h"
#include "replay/follower.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <unistd.h>

extern char** environ;

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

bool isRecording(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  FILE* file = fopen(path.c_str(), "rb");
  char magic[6] = {};
  bool same = file && fread(magic, 1, 6, file) == 6 && memcmp(magic, "FLTREC", 6) == 0;
  if (file) fclose(file);
  return same;
}

Result<fs::path> latestRecording() {
  FL_TRY(directory, recordingsDirectory());
  fs::path latest;
  fs::file_time_type when;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator(directory, ignored)) {
    auto written = entry.last_write_time(ignored);
    if (entry.path().extension() == ".flr" && isRecording(entry.path()) &&
        (latest.empty() || written > when)) {
      latest = entry.path();
      when = written;
    }
  }
  if (latest.empty()) return errorf("nothing has been recorded yet: faultline record -- ./program arguments");
  return latest;
}

} // namespace

Result<fs::path> findProgram(const std::string& word) {
  std::error_code ignored;
  if (word.find('/') != std::string::npos) {
    if (!fs::exists(word, ignored)) return errorf("{}: there is no such program", word);
    if (fs::is_directory(word, ignored)) return errorf("{}: is a folder, not a program", word);
    if (access(word.c_str(), X_OK) != 0) return errorf("{}: is not executable", word);
    return fs::canonical(word);
  }
  const char* path = getenv("PATH");
  std::string_view rest = path ? path : "";
  while (true) {
    size_t colon = rest.find(':');
    std::string_view folder = rest.substr(0, colon);
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
    if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0)
      return fs::canonical(candidate);
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (fs::is_directory(word, ignored)) return errorf("{}: is a folder, not a program", word);
  return errorf("{}: there is no such program on PATH{}", word,
                fs::exists(word, ignored) ? fmt::format("; did you mean ./{}?", word) : "");
}

// What recorders that were killed have left becomes recordings, cut off as they are.
static void recoverLeftovers(const Context& context, const fs::path& directory) {
  for (const recording::Leftover& left : recording::leftoversIn(directory)) {
    if (left.isGrowing) continue;
    auto recovered = recording::recover(left);
    if (!recovered)
      context.log().warn("{}", recovered.error().message);
    else if (!recovered->empty())
      context.log().note("an earlier recorder was killed; what it had is now {}", recovered->string());
  }
}

Result<fs::path> freshRecordingName(const std::string& program) {
  FL_TRY(directory, recordingsDirectory());
  for (int k = 1; k < 1000000; ++k) {
    fs::path path = directory / fmt::format("{}-{}.flr", fs::path(program).filename().string(), k);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return path;
  }
  return errorf("{} is full of recordings: remove some", directory.string());
}

std::vector<std::string> ownEnvironment() {
  std::vector<std::string> env;
  for (char** e = environ; *e; ++e) env.emplace_back(*e);
  return env;
}

Result<compiler::Variant> makeVariant(const Context& context, const fs::path& program, VariantKind kind) {
  if (auto known = context.variants->find(program, kind)) return *known;
  Log log = context.log();
  std::unique_ptr<Progress> progress;
  auto show = [&](size_t done, size_t total) {
    const char* what = alters(kind) ? "building the alter variant" : "building the record variant";
    if (!progress) progress = std::make_unique<Progress>(log, what, total);
    progress->update(done);
  };
  InterruptScope interrupt;
  auto isOver = [&] {
    std::chrono::duration<double> took = std::chrono::steady_clock::now() - context.started;
    return context.askedBudget > 0 && took.count() > context.askedBudget;
  };
  auto stop = [&] {
    context.wasStopped = wasInterrupted() || isOver();
    return context.wasStopped;
  };
  auto made =
      compiler::recordVariant(program, {.jobs = context.jobs, .kind = kind, .progress = show, .stop = stop});
  if (made) context.variants->store(program, kind, *made);
  if (made || !context.wasStopped) return made;
  progress.reset();
  if (wasInterrupted()) return errorf("interrupted while the variant of {} was built", program.string());
  return errorf("building the variant of {} took longer than {} s (--budget): give it more, or leave it out",
                program.string(), context.askedBudget);
}

bool isVariantThere(const Context& context, const fs::path& program, VariantKind kind) {
  if (!context.variants->find(program, kind) && context.variants->looksFirst(program)) {
    auto there = compiler::variantsThere(program);
    if (!there) return false;
    for (const auto& [found, variant] : *there) context.variants->store(program, found, variant);
  }
  return context.variants->find(program, kind).has_value();
}

Result<recording::RecordRequest> requestFor(const Context& context, const compiler::Variant& variant,
                                            std::vector<std::string> env, VariantKind kind) {
  recording::RecordRequest request;
  request.variant = variant.executable;
  request.env = std::move(env);
  if (variant.hasLibraries) {
    std::string libraries;
    std::erase_if(request.env, [&](const std::string& entry) {
      if (!entry.starts_with("LD_LIBRARY_PATH=")) return false;
      libraries = entry.substr(entry.find('=') + 1);
      return true;
    });
    request.env.push_back("LD_LIBRARY_PATH=" + variant.directory.string() +
                          (libraries.empty() ? "" : ":" + libraries));
  }
  request.programId = variant.programId;
  request.variantKey = variant.key;
  compiler::VariantOptions options{.jobs = context.jobs, .kind = kind, .progress = {}};
  request.objectVariant =
      [variant, options](const fs::path& object) -> Result<std::optional<recording::ObjectVariant>> {
    FL_TRY(made, compiler::recordObject(object, variant, options));
    if (!made) return std::optional<recording::ObjectVariant>();
    return std::optional(
        recording::ObjectVariant{made->executable, {object.string(), made->programId, made->key}});
  };
  return request;
}

void addRunOptions(CLI::App& command, RunOptions& options) {
  command.add_option("run", options.words, "PROGRAM ARGS... after --, or a recording (default: the latest)")
      ->transform(asWritten())
      ->type_name("RUN");
  command.add_option("--program", options.program, "What to run, if its first word is to be another")
      ->type_name("FILE");
  command.add_option("--stdin", options.input, "Standard input of the program")->type_name("FILE");
  command.add_option("--timeout", options.timeout, "A run longer than this is a hang")
      ->check(CLI::Range(0.001, 1e9))
      ->type_name("SECONDS");
  command.add_option("--limit", options.limit, "Keep at most this much of the recording, e.g. 500M")
      ->type_name("SIZE");
  command
      .add_option(
          "--last", options.last,
          "Keep only the end of the run, in a file of this size, e.g. 200M; a long run is slowed down")
      ->type_name("SIZE");
  command
      .add_option("--seed", options.seed,
                  "Another schedule of threads, the same for the same N (default 0: in order)")
      ->type_name("N");
  command.add_flag("--capture", options.captureOutput, "Keep what the program prints, even on a terminal");
  command.add_flag("--alterable", options.alters, "Run the variant that experiments need; slower");
  command.add_flag("--children{100}", options.children,
                   "Record forked children too, each in a file beside; --children=N keeps at most N of\n"
                   "them, those that fail first (default 100)");
  command.add_option("--expect", options.expect, "The right standard output; any other is a failure")
      ->type_name("FILE");
  command.add_option("--expect-status", options.expectStatus, "The right exit status (default: 0)")
      ->type_name("N");
  command.add_option("--oracle", options.oracle, "Decides: status 0 if the run passed (see `record --help`)")
      ->type_name("COMMAND");
}

Result<fs::path> recordingsDirectory() {
  const char* data = getenv("XDG_DATA_HOME");
  const char* home = getenv("HOME");
  fs::path root;
  if (data && *data)
    root = data;
  else if (home && *home)
    root = fs::path(home) / ".local/share";
  else
    return errorf("neither XDG_DATA_HOME nor HOME is set: name the recording with --output FILE");
  root /= "faultline/recordings";
  std::error_code failed;
  fs::create_directories(root, failed);
  if (failed) return errorf("cannot make {}: {}", root.string(), failed.message());
  return root;
}

Result<RecordedRun> recordProgram(const Context& context, const RunOptions& options, std::string output) {
  if (options.words.empty()) return errorf("no program: faultline record -- ./program arguments");
  FL_TRY(program, findProgram(options.program.empty() ? options.words[0] : options.program));
  FL_TRY(expectation, expectationOf(options));
  Log log = context.log();
  bool isAlterable = options.alters || options.seed != 0; // it stops at an epoch exactly: a schedule needs it
  VariantKind alterable = options.quick ? VariantKind::QuickAlter : VariantKind::Alter;
  VariantKind kind = isAlterable ? alterable : VariantKind::Record;
  FL_TRY(variant, makeVariant(context, program, kind));
  FL_TRY(request, requestFor(context, variant, ownEnvironment(), kind));
  request.argv = options.words;
  request.program = program.string();
  if (!options.input.empty()) request.input = options.input;
  if (!options.limit.empty()) {
    FL_TRY(limit, parseSize(options.limit));
    request.sizeLimit = limit;
  }
  if (!options.last.empty()) {
    FL_TRY(last, parseSize(options.last));
    if (last == 0) return errorf("--last {}: nothing would be kept", options.last);
    if (expectation.output || !expectation.oracle.empty())
      return errorf("--expect and --oracle need all that the program prints: leave out --last");
    FL_TRY(images, imagesOf(variant));
    request.last = last;
    request.follower = replay::followerOf(std::move(images));
  }
  if (options.timeout > 0) request.timeout = std::chrono::milliseconds(int64_t(options.timeout * 1000));
  if (isAlterable) request.steps = options.steps;
  if (request.steps) request.shortened = options.shortened;
  request.seed = options.seed;
  request.captureOutput =
      options.captureOutput || expectation.isGiven() || !context.isText() || !isatty(STDOUT_FILENO);
  request.keepsApart = isAlterable; // what was complained of tells why
  request.expectation = std::move(expectation);
  request.passOutput = context.isText();
  if (output.empty()) {
    FL_TRY(directory, recordingsDirectory());
    recoverLeftovers(context, directory);
    FL_TRY(fresh, freshRecordingName(options.words[0]));
    output = fresh.string();
  }
  request.output = output;
  request.children = options.children;
  request.onlyChildrenRun = [&](size_t count) {
    log.note("{} has ended; waiting for {} of its children (Ctrl-C ends them)", options.words[0], count);
  };
  FL_TRY(result, recording::recordRun(request));
  return RecordedRun{output, std::move(result), variant.seconds};
}

std::optional<fs::path> namedRecording(const std::string& word) {
  if (isRecording(word)) return fs::path(word);
  if (word.find('/') != std::string::npos) return std::nullopt;
  auto directory = recordingsDirectory();
  if (!directory) return std::nullopt;
  for (const fs::path& p : {*directory / word, *directory / (word + ".flr")})
    if (isRecording(p)) return p;
  return std::nullopt;
}

Result<fs::path> recordingFor(const Context& context, const RunOptions& options) {
  if (options.words.empty()) return latestRecording();
  const std::string& word = options.words[0];
  if (options.words.size() == 1) {
    if (auto named = namedRecording(word)) return *named;
    std::error_code ignored;
    if (fs::is_regular_file(word, ignored) && access(word.c_str(), X_OK) != 0)
      return errorf("{}: is neither a recording nor a program", word);
    if (word.ends_with(".flr") && !fs::exists(word, ignored))
      return errorf("{}: there is no such recording", word);
  } else if (isRecording(word)) {
    return errorf("one recording at a time: {} and {} were given", word, options.words[1]);
  }
  FL_TRY(run, recordProgram(context, options, ""));
  context.log().note("recorded as {}", run.path.string());
  const auto& children = run.result.children.kept;
  auto failed = std::ranges::find_if(children, [](const auto& child) { return child.failed(); });
  if (run.result.end.waitStatus == 0 && !run.result.end.timedOut && failed != children.end()) {
    context.log().note("child {} (process {}) {}: this is about {}", failed->number, failed->pid,
                       endText(failed->end), failed->path.string());
    return failed->path;
  }
  return run.path;
}

std::string endText(const recording::End& end) {
  if (end.timedOut) return "still ran when its time was over";
  if (int signal = end.signal()) {
    const char* name = sigabbrev_np(signal);
    return fmt::format("killed by {}", name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal));
  }
  return fmt::format("exited with status {}", end.exitStatus());
}

nlohmann::json endJson(const recording::End& end) {
  nlohmann::json out{{"text", endText(end)}, {"timedOut", end.timedOut}};
  if (int signal = end.signal()) {
    const char* name = sigabbrev_np(signal);
    out["signal"] = name ? fmt::format("SIG{}", name) : std::to_string(signal);
  } else {
    out["status"] = end.exitStatus();
  }
  return out;
}

} // namespace faultline::cli
