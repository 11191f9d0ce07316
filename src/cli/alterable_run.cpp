#include "cli/alterable_run.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/expectation.h"
#include "cli/failing_run.h"
#include "cli/known_verdicts.h"
#include "cli/short_hang.h"
#include "experiment/scratch_layer.h"
#include "recording/side_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

// Experiments on threads need a schedule that can be given again; any will do, if the run fails in it.
constexpr uint64_t kSeed = 1;

// Standard input as a file that has no name: what the program reads can be given to it again.
Result<recording::FileDescriptor> inputFile(const std::string& bytes) {
  recording::FileDescriptor file(memfd_create("stdin", MFD_CLOEXEC));
  if (file.get() < 0) return errorf("cannot make a file for standard input: {}", std::strerror(errno));
  for (size_t done = 0; done < bytes.size();) {
    ssize_t written = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno != EINTR)
      return errorf("cannot make a file for standard input: {}", std::strerror(errno));
    if (written > 0) done += size_t(written);
  }
  return file;
}

Result<std::string> readAll(int fd, const std::string& name) {
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errorf("cannot read {}: {}", name, std::strerror(errno));
    if (got == 0) return bytes;
    bytes.append(buffer, size_t(got));
    if (bytes.size() > recording::kMaxInput)
      return errorf("{} has more than {}: give the program less to read", name,
                    humanSize(recording::kMaxInput));
  }
}

Result<std::string> givenInput(const RunOptions& options) {
  if (!options.input.empty()) {
    recording::FileDescriptor file(open(options.input.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return errorf("cannot read {}: {}", options.input, std::strerror(errno));
    return readAll(file.get(), options.input);
  }
  struct stat status;
  if (fstat(0, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))) return std::string();
  return readAll(0, "standard input");
}

uint64_t clockNow() {
  return uint64_t(std::chrono::duration_cast<std::chrono::nanoseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count());
}

using experiment::World;

// So many bytes of a program's IR for each step of a run: a longer run is worth the better code, which takes
// longer to build the larger the program is.
constexpr uint64_t kBytesPerStep = 32;

bool isWorthBetterCode(const compiler::Variant& variant, uint64_t steps) {
  uint64_t bytes = 0;
  std::error_code failed;
  for (const fs::directory_entry& file : fs::directory_iterator(variant.directory, failed))
    if (file.path().extension() == ".fir") bytes += file.file_size(failed);
  return steps > bytes / kBytesPerStep;
}

// Names all that is given to the program.
std::string givenKey(const recording::RecordRequest& request, const std::string& input) {
  experiment::RunSpec spec{.argv = request.argv, .env = request.env, .cwd = request.cwd, .input = input};
  std::error_code ignored;
  if (spec.cwd.empty()) spec.cwd = fs::current_path(ignored).string();
  spec.seed = request.seed;
  return experiment::contentKey(request.programId + request.program + pack(spec));
}

// Apart from the user's files, which are as the first run left them.
Result<recording::RecordResult> recordApart(recording::RecordRequest request) {
  std::error_code ignored;
  const std::string cwd = request.cwd.empty() ? fs::current_path(ignored).string() : request.cwd;
  FL_TRY(layer, experiment::ScratchLayer::create(*request.files, cwd, request.env));
  request.surroundings = &layer->surroundings();
  auto made = recording::recordRun(request);
  auto isNew = [](const recording::KeptFile& f) { return f.kind == recording::KeptFile::Absent; };
  if (made || !std::ranges::all_of(*request.files, isNew)) return made;
  // Where the kernel does not let us: it makes its files once more.
  request.surroundings = nullptr;
  return recording::recordRun(request);
}

Result<recording::RecordResult> recordIt(recording::RecordRequest& request, const std::string& input,
                                         World world) {
  FL_TRY(file, inputFile(input));
  request.input = fmt::format("/proc/self/fd/{}", file.get());
  request.captureOutput = request.keepsApart = true;
  request.worldPid = world.pid;
  request.worldClock = world.clock;
  return request.files && !request.files->empty() ? recordApart(request) : recording::recordRun(request);
}

// A run that is given a time limit may be one that takes memory without end.
uint64_t mostMemory() {
  constexpr uint64_t kMost = uint64_t(4) << 30; // replay can have no more
  uint64_t available = 0;                       // in KiB
  if (auto text = readFile("/proc/meminfo"))
    if (size_t at = text->find("MemAvailable:"); at != text->npos)
      available = std::strtoull(text->c_str() + at + 13, nullptr, 10);
  return std::clamp(available * 1024 / 2, kMost / 8, kMost);
}

// The same run once more, of which only the first steps are kept.
RecordSteps recordStepsOf(const recording::RecordRequest& request, const std::string& input, World world) {
  return [request, &input, world](uint64_t steps, const recording::Shortened& why, const fs::path& output) {
    recording::RecordRequest again = request;
    again.output = output;
    again.passOutput = false;
    again.steps = steps;
    again.memory = 0;                       // the run had all that these steps need
    if (again.timeout) *again.timeout *= 2; // the machine may be busier than it was
    again.shortened = why;
    return recordIt(again, input, world);
  };
}

// Only that of a run that fails: one that passes may fail at another time.
Result<void> keepWorld(experiment::VerdictCache& cache, const std::string& key, World world,
                       const fs::path& path, const RunOptions& options) {
  FL_TRY(recording, recording::Recording::open(path));
  if (!recording.end()) return {};
  FL_TRY(verdict, verdictOf(recording, options));
  if (verdict.failed()) cache.storeWorld(key, world);
  return {};
}

// What is run, by this variant of it.
Result<recording::RecordRequest> requestBy(const Context& context, const compiler::Variant& variant,
                                           VariantKind kind, std::vector<std::string> env,
                                           recording::RecordRequest rest) {
  FL_TRY(request, requestFor(context, variant, std::move(env), kind));
  rest.variant = std::move(request.variant);
  rest.env = std::move(request.env);
  rest.programId = std::move(request.programId);
  rest.variantKey = std::move(request.variantKey);
  rest.objectVariant = std::move(request.objectVariant);
  rest.alters = true;
  rest.quick = kind == VariantKind::QuickAlter;
  return rest;
}

// The code of a quickly built variant takes more of the stack than the program's own.
bool endsForWantOfStack(const Context& context, const fs::path& path) {
  RunOptions options;
  options.words = {path.string()};
  auto failing = openFailingRun(context, options);
  return failing && failing->failure && failing->failure->kind == replay::FailureKind::StackOverflow;
}

std::string endDifference(const recording::End& first, const recording::End& again) {
  if (first.timedOut == again.timedOut && (first.timedOut || first.waitStatus == again.waitStatus)) return "";
  return fmt::format("the first time the program {}, when repeated it {}", endText(first), endText(again));
}

// A variant is built quickly first. If the run turns out to be long, it is worth the better one; but that
// must end in the same way, where it ended by itself: a program may do once what it does not do again.
Result<AlterableRun> recordAlterable(const Context& context, const RunOptions& options, bool anew,
                                     bool improves) {
  FL_TRY(program, findProgram(options.program.empty() ? options.words[0] : options.program));
  FL_TRY(expectation, expectationOf(options));
  FL_TRY(input, givenInput(options));
  recording::RecordRequest request;
  request.argv = options.words;
  request.program = program.string();
  request.expectation = std::move(expectation);
  request.passOutput = context.isText();
  request.seed = options.seed ? options.seed : kSeed;
  if (options.timeout > 0) request.timeout = std::chrono::milliseconds(int64_t(options.timeout * 1000));
  FL_TRY(path, freshRecordingName(options.words[0]));
  request.output = path;
  VariantKind kind = alterableKindThere(context, program).value_or(VariantKind::QuickAlter);
  FL_TRY(variant, makeVariant(context, program, kind));
  FL_TRY(first, requestBy(context, variant, kind, ownEnvironment(), request));
  std::shared_ptr<experiment::VerdictCache> cache = anew ? nullptr : knownVerdicts(context);
  std::string key = givenKey(first, input);
  std::optional<World> earlier = cache ? cache->findWorld(key) : std::nullopt;
  World world = earlier ? *earlier : World{uint32_t(getpid()), clockNow()};
  if (earlier)
    context.log().note(
        "the program's clock stands as when this was asked before, so that what was found then "
        "holds (--no-cache: the present time)");
  if (first.timeout) first.memory = mostMemory();
  FL_TRY(recorded, recordIt(first, input, world));
  if (recorded.outOfMemory)
    context.log().note("stopped after {:.1f} s, when it had taken {}", recorded.end.seconds,
                       humanSize(first.memory));
  first.files = request.files = recorded.files;
  const bool isQuick = kind == VariantKind::QuickAlter;
  const bool isOverflow = isQuick && recorded.end.signal() == SIGSEGV && endsForWantOfStack(context, path);
  const bool isLong =
      isQuick && improves && !recorded.end.timedOut && isWorthBetterCode(variant, recorded.end.epoch);
  if (isOverflow || isLong) {
    FL_TRY(better, makeVariant(context, program, VariantKind::Alter));
    FL_TRY(second, requestBy(context, better, VariantKind::Alter, ownEnvironment(), request));
    second.passOutput = false;
    second.output += ".better";
    auto again = recordIt(second, input, world);
    if (!again && isOverflow) return again.error();
    std::error_code failed;
    if (isOverflow || (again && endDifference(recorded.end, again->end).empty()))
      fs::rename(second.output, path, failed);
    else
      fs::remove(second.output, failed);
    if (failed) return errorf("cannot rename {}: {}", second.output.string(), failed.message());
  }
  if (isLongHang(recorded.end))
    FL_CHECK(shortenHang(context, recorded.end, path, recordStepsOf(first, input, world)));
  context.log().note("recorded as {}", path.string());
  if (cache && !earlier) FL_CHECK(keepWorld(*cache, key, world, path, options));
  return AlterableRun{path, {}};
}

std::vector<std::string> withoutVariant(std::vector<std::string> env, const std::string& variant) {
  for (std::string& entry : env) {
    if (!entry.starts_with("LD_LIBRARY_PATH=")) continue;
    size_t at = entry.find("variants/" + variant);
    if (at == std::string::npos) continue;
    size_t colon = entry.find(':', at);
    entry = "LD_LIBRARY_PATH=" + (colon == std::string::npos ? "" : entry.substr(colon + 1));
  }
  std::erase(env, "LD_LIBRARY_PATH=");
  return env;
}

// "2026-11-15T16:04:05Z"
uint64_t clockOf(const std::string& created) {
  std::tm parts = {};
  if (!strptime(created.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts)) return clockNow();
  return uint64_t(timegm(&parts)) * 1'000'000'000;
}

// The repetition itself, and what is kept beside it.
bool isOf(const fs::path& file, const fs::path& repetition) {
  return file.filename().string().starts_with(repetition.filename().string());
}

// Of this recording: another of the same name may have stood there before.
fs::path repetitionOf(const recording::SideFiles& side, const recording::Recording& recording) {
  fs::path own = side.directory() / fmt::format("alterable-{:016x}.flr", recording.identity());
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(side.directory(), ignored))
    if (file.path().filename().string().starts_with("alterable") && !isOf(file.path(), own))
      fs::remove_all(file.path(), ignored);
  return own;
}

std::optional<fs::path> keptRepetition(const fs::path& path, const compiler::Variant& variant) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  auto kept = recording::Recording::open(path);
  if (!kept || !kept->end() || !kept->meta().alters || kept->meta().variant != variant.key)
    return std::nullopt;
  return path;
}

// Records it again, as the request says. Of threads it may take some schedules until it ends as it did.
Result<void> recordAgain(const Context& context, recording::RecordRequest& request, const std::string& input,
                         const recording::Recording& recording) {
  constexpr uint64_t kMostSeeds = 12;
  const recording::Meta& meta = recording.meta();
  request.seed = meta.seed ? meta.seed : kSeed;
  if (isLongHang(*recording.end())) {
    World world = meta.alters ? World{meta.worldPid, meta.worldClock}
                              : World{uint32_t(getpid()), clockOf(meta.created)};
    FL_TRY(isShort,
           shortenHang(context, *recording.end(), request.output, recordStepsOf(request, input, world)));
    if (isShort) return {};
  }
  for (;;) {
    FL_TRY(again, recordIt(request, input, {uint32_t(getpid()), clockOf(meta.created)}));
    bool isOver = meta.seed != 0 || !again.end.threaded || request.seed == kMostSeeds;
    if (isOver || endDifference(*recording.end(), again.end).empty()) return {};
    ++request.seed;
  }
}

// What the repetition ran into, if that was another end than the recording has.
Result<std::string> repeatBy(const Context& context, VariantKind kind, const recording::Recording& recording,
                             const fs::path& target) {
  const recording::Meta& meta = recording.meta();
  FL_TRY(variant, makeVariant(context, meta.program, kind));
  if (variant.programId != meta.programId)
    return errorf("{} has been built anew since this recording was made: record it again", meta.program);
  if (!keptRepetition(target, variant)) {
    std::error_code ignored;
    fs::create_directories(target.parent_path(), ignored);
    std::string input;
    if (meta.input == "captured") {
      FL_TRY(bytes, recording.input());
      input = std::move(bytes);
    }
    recording::RecordRequest rest;
    rest.argv = meta.argv;
    rest.cwd = meta.cwd;
    rest.program = meta.program;
    rest.expectation = meta.expectation;
    rest.passOutput = false;
    rest.output = target;
    FL_TRY(files, recording.files());
    rest.files = std::move(files);
    if (meta.timeout > 0) rest.timeout = std::chrono::milliseconds(int64_t(meta.timeout * 1000));
    FL_TRY(request, requestBy(context, variant, kind, withoutVariant(meta.env, meta.variant), rest));
    FL_CHECK(recordAgain(context, request, input, recording));
  }
  FL_TRY(again, recording::Recording::open(target));
  if (!again.end()) return errorf("the run could not be repeated: is the disk full?");
  return endDifference(*recording.end(), *again.end());
}

// Whether the run is long is known from its recording; a hang is, but will be shortened.
VariantKind kindToRepeat(const Context& context, const recording::Recording& recording) {
  const recording::Meta& meta = recording.meta();
  if (isVariantThere(context, meta.program, VariantKind::Alter)) return VariantKind::Alter;
  auto recorded = compiler::cachedVariant(meta.variant);
  bool isLong =
      !isLongHang(*recording.end()) && (!recorded || isWorthBetterCode(*recorded, recording.end()->epoch));
  return isLong ? VariantKind::Alter : VariantKind::QuickAlter;
}

Result<AlterableRun> repeat(const Context& context, const fs::path& path, recording::Recording recording) {
  const recording::Meta& meta = recording.meta();
  if (meta.input == "inherited")
    return errorf(
        "the run read from a terminal or a device, which was not kept: record it with --stdin FILE");
  if (!recording.end()) return errorf("the recording was cut off: record the program again");
  if (recording.start() || !meta.child.number.empty())
    return errorf("the recording has only a part of the run, which cannot be repeated: record all of it");
  recording::SideFiles side(path, recording.identity());
  fs::path target = repetitionOf(side, recording);
  const VariantKind kind = kindToRepeat(context, recording);
  FL_TRY(difference, repeatBy(context, kind, recording, target));
  if (!difference.empty() && kind == VariantKind::QuickAlter) {
    // Its functions need more of the stack, for one.
    FL_TRY(better, repeatBy(context, VariantKind::Alter, recording, target));
    difference = std::move(better);
  }
  if (!difference.empty())
    return errorf("{}: the failure is not stable, or depends on files that have changed", difference);
  FL_TRY(again, recording::Recording::open(target));
  AlterableRun out{target, {}};
  if (again.end()->threaded && recording.meta().seed == 0)
    out.caveats.push_back(fmt::format("the run was repeated in a schedule of threads of its own (--seed {})",
                                      again.meta().seed));
  else if (again.end()->epoch != recording.end()->epoch && !again.end()->timedOut)
    out.caveats.push_back(
        fmt::format("the repeated run ended in the same way, but took {} steps instead of {}",
                    withThousands(again.end()->epoch), withThousands(recording.end()->epoch)));
  return out;
}

} // namespace

namespace {

bool isProgram(const RunOptions& options) {
  return !options.words.empty() && (options.words.size() > 1 || (!namedRecording(options.words[0]) &&
                                                                 !options.words[0].ends_with(".flr")));
}

} // namespace

std::optional<VariantKind> alterableKindThere(const Context& context, const fs::path& program) {
  for (VariantKind kind : {VariantKind::Alter, VariantKind::QuickAlter})
    if (isVariantThere(context, program, kind)) return kind;
  return std::nullopt;
}

bool isAlterableThere(const Context& context, const fs::path& path) {
  auto recording = recording::Recording::open(path);
  if (!recording || !recording->end()) return false;
  if (recording->meta().alters) return true;
  return isVariantThere(context, recording->meta().program, kindToRepeat(context, *recording));
}

Result<AlterableRun> alterableRun(const Context& context, const RunOptions& options, bool anew,
                                  bool improves) {
  if (isProgram(options)) return recordAlterable(context, options, anew, improves);
  FL_TRY(path, recordingFor(context, options));
  FL_TRY(recording, recording::Recording::open(path));
  const recording::Meta& meta = recording.meta();
  const bool isTooLong = recording.end() && isLongHang(*recording.end()) && meta.shortened.steps == 0;
  if (meta.alters && !isTooLong) return AlterableRun{path, {}};
  return repeat(context, path, std::move(recording));
}

Result<AlterableRun> alterableIfPossible(const Context& context, const RunOptions& options, bool anew,
                                         std::string& why) {
  auto made = alterableRun(context, options, anew);
  if (made || isProgram(options)) return made;
  why = made.error().message;
  return AlterableRun{};
}

Result<experiment::ExperimenterSetting> experimenterSetting(const Context& context,
                                                            const recording::Recording& recording) {
  const recording::Meta& meta = recording.meta();
  FL_TRY(variant,
         makeVariant(context, meta.program, meta.quick ? VariantKind::QuickAlter : VariantKind::Alter));
  if (variant.key != meta.variant)
    return errorf("this recording was made by another version of Faultline: record it again");
  experiment::ExperimenterSetting setting;
  if (variant.hasLibraries) setting.libraries = variant.directory;
  setting.jobs = context.jobs;
  experiment::ServerSetting& server = setting.server;
  server.variant = variant.executable;
  server.program = meta.program;
  server.run.argv = meta.argv;
  server.run.env = meta.env;
  server.run.cwd = meta.cwd;
  if (meta.input == "captured") {
    FL_TRY(input, recording.input());
    server.run.input = std::move(input);
  }
  FL_TRY(before, recording.files());
  server.run.before = std::move(before);
  server.seed = meta.seed;
  server.worldPid = meta.worldPid;
  server.worldClock = meta.worldClock;
  server.reference = recording.log();
  if (recording.end()) setting.epochs = recording.end()->epoch;
  setting.threaded = recording.end() && recording.end()->threaded;
  return setting;
}

} // namespace faultline::cli
