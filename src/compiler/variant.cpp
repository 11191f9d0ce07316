#include "compiler/variant.h"

#include "base/file.h"
#include "base/module.h"
#include "base/process.h"
#include "compiler/apart.h"
#include "compiler/ir_tools.h"
#include "compiler/relink.h"
#include "program/dynamic_symbols.h"
#include "program/embedded_reader.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace faultline::compiler {
namespace {

constexpr uint64_t kDefaultCacheLimit = uint64_t(4) << 30;

// Chained hash of everything that decides about a result.
class Key {
public:
  Key& add(std::string_view bytes) {
    value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_);
    return *this;
  }
  Key& add(uint64_t number) { return add(std::string_view(reinterpret_cast<const char*>(&number), 8)); }
  std::string text() const { return fmt::format("{:016x}", value_); }

private:
  uint64_t value_ = 0;
};

struct Unit {
  uint64_t hash = 0;
  std::string name;
  program::EmbeddedRecord record; // unpacked only where the unit is made
  std::vector<std::string> needs; // undefined names
  std::string key;
};

// The program or one of its shared libraries.
struct Binary {
  fs::path path;
  std::unique_ptr<program::EmbeddedProgram> embedded;
  std::vector<size_t> units;
};

struct Build {
  fs::path root; // of the cache
  std::string toolHash;
  std::vector<Binary> binaries; // the program first
  std::vector<Unit> units;      // each once
  std::map<uint64_t, size_t> unitOfHash;
  InsideNames inside;
  bool isObject = false; // not a program: one shared object
  VariantKind kind = VariantKind::Record;
};

// Mapped: to copy our own file costs more than to hash it.
Result<std::string> hashOfFile(const fs::path& path) {
  FL_TRY(file, program::MappedFile::open(path.string()));
  return Key().add(file.bytes()).text();
}

Result<fs::path> runtimeLibrary() { return ownLibrary("libfaultline_record.so"); }

// The shared libraries that the loader would map, as `ldd` finds them.
Result<std::vector<fs::path>> loadedLibraries(const fs::path& program) {
  FL_TRY(outcome,
         runCommand({.argv = {program.string()}, .environment = {{"LD_TRACE_LOADED_OBJECTS", "1"}}}));
  std::vector<fs::path> libraries;
  if (!outcome.ok()) return libraries; // static: there are none
  size_t at = 0;
  while (at < outcome.out.size()) {
    size_t end = outcome.out.find('\n', at);
    std::string line = outcome.out.substr(at, end == std::string::npos ? end : end - at);
    at = end == std::string::npos ? outcome.out.size() : end + 1;
    size_t arrow = line.find("=> ");
    size_t close = line.rfind(" (0x");
    if (arrow == std::string::npos || close == std::string::npos || close < arrow + 3) continue;
    libraries.push_back(line.substr(arrow + 3, close - arrow - 3));
  }
  return libraries;
}

bool isSystemPath(const fs::path& path) {
  std::string text = path.string();
  return text.starts_with("/lib") || text.starts_with("/usr/lib");
}

std::optional<UnitNames> keptNames(const fs::path& file) {
  auto text = readFile(file);
  if (!text) return std::nullopt;
  try {
    auto kept = nlohmann::json::parse(*text);
    return UnitNames{kept.at("defined"), kept.at("needed")};
  } catch (const nlohmann::json::exception&) {
    return std::nullopt; // damaged: they are read again
  }
}

// Reading them from the IR takes longer than all the rest of a start, so they are kept. A cache that cannot
// be written to is the trouble of who makes the variant.
Result<UnitNames> namesOf(const Build& build, const program::EmbeddedRecord& record) {
  fs::path file = build.root / "units" / (Key().add(build.toolHash).add(record.hash).text() + ".names");
  if (auto kept = keptNames(file)) return *kept;
  FL_TRY(bitcode, program::unpack(record));
  FL_TRY(ir, irTools());
  FL_TRY(names, ir->namesOf(bitcode));
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  (void)writeFileAtomic(file, nlohmann::json{{"defined", names.defined}, {"needed", names.needed}}.dump());
  return names;
}

Result<void> addBinary(Build& build, fs::path path, program::EmbeddedProgram embedded) {
  Binary binary;
  binary.path = std::move(path);
  binary.embedded = std::make_unique<program::EmbeddedProgram>(std::move(embedded));
  for (const program::EmbeddedRecord& record : binary.embedded->units()) {
    if (record.kind != FL_EMBEDDED_BITCODE) continue;
    auto [it, added] = build.unitOfHash.try_emplace(record.hash, build.units.size());
    binary.units.push_back(it->second);
    if (!added) continue;
    FL_TRY(names, namesOf(build, record));
    for (const std::string& name : names.defined) build.inside.insert(name);
    build.units.push_back({record.hash, record.name, record, std::move(names.needed), {}});
  }
  build.binaries.push_back(std::move(binary));
  return {};
}

Result<Build> newBuild(const VariantOptions& options) {
  Build build;
  FL_TRY(root, cacheDir());
  // Our own files decide what a variant looks like, so their hash is the version.
  FL_TRY(irFile, irToolsFile());
  FL_TRY(ofIr, hashOfFile(irFile));
  FL_TRY(ofUs, hashOfFile("/proc/self/exe"));
  build.root = std::move(root);
  build.toolHash = ofIr + ofUs;
  build.kind = options.kind;
  return build;
}

Result<Build> collect(const fs::path& program, const VariantOptions& options) {
  FL_TRY(build, newBuild(options));
  FL_TRY(embedded, program::EmbeddedProgram::open(program.string()));
  FL_CHECK(addBinary(build, program, std::move(embedded)));
  FL_TRY(libraries, loadedLibraries(program));
  for (const fs::path& library : libraries) {
    if (isSystemPath(library)) continue;
    if (auto inner = program::EmbeddedProgram::open(library.string()))
      FL_CHECK(addBinary(build, library, std::move(*inner)));
  }
  return build;
}

void nameUnits(Build& build) {
  for (Unit& unit : build.units) {
    Key key;
    key.add(build.toolHash).add(unit.hash).add(uint64_t(build.kind));
    for (const std::string& name : unit.needs)
      if (build.inside.contains(name)) key.add(name);
    unit.key = key.text();
  }
}

Result<void> makeUnit(const Unit& unit, const fs::path& folder, const Build& build) {
  fs::path object = folder / (unit.key + ".o"), fir = folder / (unit.key + ".fir");
  std::error_code ignored;
  if (fs::exists(object, ignored) && fs::exists(fir, ignored)) {
    auto now = fs::file_time_type::clock::now();
    fs::last_write_time(object, now, ignored);
    fs::last_write_time(fir, now, ignored);
    return {};
  }
  FL_TRY(bitcode, program::unpack(unit.record));
  FL_TRY(ir, irTools());
  auto made = ir->makeVariantUnit(bitcode, unit.hash, build.inside, build.kind);
  if (!made) return errorf("{}: {}", unit.name, made.error().message);
  FL_CHECK(writeFileAtomic(fir, std::string_view(made->fir.data(), made->fir.size())));
  return writeFileAtomic(object, made->object);
}

Result<void> makeUnits(const Build& build, const fs::path& folder, const VariantOptions& options,
                       const ReportProgress& progress) {
  unsigned jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0, done = 0;
  std::mutex mutex;
  std::optional<Error> failure;
  auto work = [&] {
    for (size_t k; (k = next++) < build.units.size();) {
      auto made = makeUnit(build.units[k], folder, build);
      std::lock_guard lock(mutex);
      if (!made && !failure) failure = made.error();
      if (progress) progress(++done, build.units.size());
    }
  };
  std::vector<std::thread> threads;
  for (unsigned k = 1; k < std::min<size_t>(jobs, build.units.size()); ++k) threads.emplace_back(work);
  work();
  for (std::thread& t : threads) t.join();
  if (failure) return *failure;
  return {};
}

fs::path nameInVariant(const Build& build, size_t binary) {
  return binary == 0 && !build.isObject ? fs::path("program") : build.binaries[binary].path.filename();
}

Result<void> linkVariant(const Build& build, const fs::path& units, const fs::path& out,
                         const fs::path& runtime) {
  for (size_t b = 0; b < build.binaries.size(); ++b) {
    const Binary& binary = build.binaries[b];
    RelinkRequest request{.program = *binary.embedded, .output = {}};
    for (size_t u : binary.units)
      request.replacements[build.units[u].hash] = (units / (build.units[u].key + ".o")).string();
    request.loadsRuntime = true;
    request.extra = {"-Wl,--no-as-needed", runtime.string(), "-Wl,-rpath," + runtime.parent_path().string()};
    // Its code must stay: replay knows no other by the same address.
    if (build.isObject) request.extra.push_back("-Wl,-z,nodelete");
    request.output = (out / nameInVariant(build, b)).string();
    if (auto linked = relink(request); !linked)
      return errorf("cannot link the record variant of {}: {}", binary.path.string(), linked.error().message);
  }
  for (const Unit& unit : build.units) {
    std::error_code failed;
    fs::path from = units / (unit.key + ".fir"), to = out / fmt::format("{:016x}.fir", unit.hash);
    fs::create_hard_link(from, to, failed);
    if (failed) fs::copy_file(from, to, failed);
    if (failed) return errorf("cannot copy {}: {}", from.string(), failed.message());
  }
  return {};
}

Result<void> writeManifest(const Build& build, const fs::path& out, const std::string& programId) {
  nlohmann::json manifest{
      {"version", 1}, {"program", build.binaries[0].path.string()}, {"programId", programId}};
  for (const Binary& b : build.binaries) manifest["binaries"].push_back(b.path.string());
  for (const Unit& u : build.units)
    manifest["units"].push_back({{"hash", fmt::format("{:016x}", u.hash)}, {"source", u.name}});
  return writeFileAtomic(out / "manifest.json", manifest.dump(1));
}

std::string programIdOf(const Build& build) {
  Key key;
  for (const Binary& b : build.binaries)
    for (size_t u : b.units) key.add(build.units[u].hash);
  return key.text();
}

// Held while a variant is made, so that two runs started together build it once; other variants are made
// meanwhile. Its file goes with it.
class VariantLock {
public:
  VariantLock(fs::path path, const std::function<bool()>& stop) : path_(std::move(path)) {
    while (!take()) {
      if (stop && stop()) {
        wasStopped_ = true;
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  bool wasStopped() const { return wasStopped_; }
  ~VariantLock() {
    if (fd_ < 0) return;
    unlink(path_.c_str());
    close(fd_);
  }
  VariantLock(const VariantLock&) = delete;
  VariantLock& operator=(const VariantLock&) = delete;

private:
  // Where there can be no such file, nothing is locked. Who got a file that its last owner has removed
  // begins again.
  bool take() {
    int fd = ::open(path_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0) return true;
    struct stat mine{}, there{};
    bool isHeld = flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &mine) == 0 &&
                  stat(path_.c_str(), &there) == 0 && mine.st_ino == there.st_ino;
    if (isHeld)
      fd_ = fd;
    else
      close(fd);
    return isHeld;
  }

  fs::path path_;
  int fd_ = -1;
  bool wasStopped_ = false;
};

Variant describe(const fs::path& directory, const std::string& key, const std::string& programId,
                 size_t binaries) {
  return {key, directory, directory / "program", programId, binaries > 1, 0};
}

// Whoever has the lock may remove what others have left half done: they are no more.
void removeLeftovers(const fs::path& directory) {
  std::error_code ignored;
  std::string prefix = directory.filename().string() + ".";
  for (auto& entry : fs::directory_iterator(directory.parent_path(), ignored))
    if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path(), ignored);
}

// All that it needs on the way lies in a folder of its own, which becomes `directory`.
Result<void> makeIn(const fs::path& scratch, const fs::path& directory, const Build& build,
                    const fs::path& root, const fs::path& runtime, const std::string& programId,
                    const VariantOptions& options, const ReportProgress& progress) {
  std::error_code ignored, failed;
  fs::path units = root / "units";
  fs::create_directories(units, ignored);
  FL_CHECK(makeUnits(build, units, options, progress));
  FL_CHECK(linkVariant(build, units, scratch, runtime));
  FL_CHECK(writeManifest(build, scratch, programId));
  fs::remove_all(scratch / "tmp", ignored);
  fs::remove_all(directory, ignored);
  fs::rename(scratch, directory, failed);
  if (failed) return errorf("cannot make {}: {}", directory.string(), failed.message());
  return {};
}

Result<void> makeApart(const fs::path& scratch, const VariantOptions& options,
                       const std::function<Result<void>(const ReportProgress&)>& work) {
  if (!options.stop) return work(options.progress);
  return runApart(
      [&](const ReportProgress& progress) {
        // Who is ended removes nothing: its temporary files go with the folder.
        setenv("TMPDIR", (scratch / "tmp").c_str(), 1);
        return work(progress);
      },
      options.stop, options.progress);
}

// What it is, or will be when it is made.
Result<Variant> named(Build& build, const fs::path& runtime) {
  FL_TRY(runtimeHash, hashOfFile(runtime));
  nameUnits(build);
  Key key;
  key.add(runtimeHash).add(runtime.string());
  for (const Binary& b : build.binaries) {
    for (size_t u : b.units) key.add(build.units[u].key);
    for (const program::EmbeddedRecord& link : b.embedded->links()) key.add(link.hash);
  }
  fs::path directory = build.root / "variants" / key.text();
  Variant variant = describe(directory, key.text(), programIdOf(build), build.binaries.size());
  variant.executable = directory / nameInVariant(build, 0);
  for (const Binary& b : build.binaries) variant.binaries.push_back(b.path);
  return variant;
}

bool isThere(const Variant& variant) {
  std::error_code ignored;
  bool isMade = fs::exists(variant.directory / "manifest.json", ignored);
  if (isMade) fs::last_write_time(variant.directory, fs::file_time_type::clock::now(), ignored);
  return isMade;
}

Result<Variant> make(Build& build, const VariantOptions& options) {
  const fs::path& root = build.root;
  FL_TRY(runtime, runtimeLibrary());
  FL_TRY(variant, named(build, runtime));
  if (isThere(variant)) return variant;
  const fs::path& directory = variant.directory;
  std::error_code ignored;
  fs::create_directories(root / "locks", ignored);
  VariantLock lock(root / "locks" / variant.key, options.stop);
  if (lock.wasStopped()) return errorf("stopped while another process built this variant");
  if (isThere(variant)) return variant;
  FL_CHECK(irTools()); // before there is a fork that needs them
  auto start = std::chrono::steady_clock::now();
  removeLeftovers(directory);
  fs::path scratch = directory;
  scratch += fmt::format(".{}", getpid());
  std::error_code failed;
  fs::create_directories(scratch / "tmp", failed);
  if (failed) return errorf("cannot make {}: {}", scratch.string(), failed.message());
  auto made = makeApart(scratch, options, [&](const ReportProgress& progress) {
    return makeIn(scratch, directory, build, root, runtime, variant.programId, options, progress);
  });
  fs::remove_all(scratch, ignored);
  FL_CHECK(made);
  variant.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  (void)trimCache(kDefaultCacheLimit);
  return variant;
}

} // namespace

namespace {

std::shared_ptr<const std::set<std::string>> functionsOf(const Build& build) {
  auto functions = std::make_shared<std::set<std::string>>();
  for (const std::string& name : build.inside) functions->insert(name);
  return functions;
}

} // namespace

Result<Variant> recordVariant(const fs::path& program, const VariantOptions& options) {
  FL_TRY(build, collect(program, options));
  FL_TRY(variant, make(build, options));
  variant.functions = functionsOf(build);
  return variant;
}

Result<std::map<VariantKind, Variant>> variantsThere(const fs::path& program) {
  FL_TRY(build, collect(program, {}));
  FL_TRY(runtime, runtimeLibrary());
  std::map<VariantKind, Variant> there;
  for (VariantKind kind : kVariantKinds) {
    build.kind = kind;
    FL_TRY(variant, named(build, runtime));
    if (!isThere(variant)) continue;
    variant.functions = functionsOf(build);
    there.emplace(kind, std::move(variant));
  }
  return there;
}

Result<std::optional<Variant>> recordObject(const fs::path& object, const Variant& program,
                                            const VariantOptions& options) {
  std::error_code ignored;
  for (size_t b = 1; b < program.binaries.size(); ++b)
    if (fs::equivalent(program.binaries[b], object, ignored)) {
      Variant part = program;
      part.executable = program.directory / program.binaries[b].filename();
      part.key.clear();
      return std::optional(part);
    }
  if (!program::carriesRecords(object.string())) return std::optional<Variant>();
  FL_TRY(build, newBuild(options));
  build.isObject = true;
  FL_TRY(embedded, program::EmbeddedProgram::open(object.string()));
  FL_CHECK(addBinary(build, object, std::move(embedded)));
  // It sees of the program what the program shows to others.
  for (const fs::path& binary : program.binaries) {
    FL_TRY(shown, program::dynamicSymbols(binary.string()));
    for (const std::string& name : shown)
      if (program.functions && program.functions->contains(name)) build.inside.insert(name);
  }
  FL_TRY(variant, make(build, options));
  return std::optional(std::move(variant));
}

Result<Variant> cachedVariant(const std::string& key) {
  FL_TRY(root, cacheDir());
  fs::path directory = root / "variants" / key;
  auto text = readFile(directory / "manifest.json");
  if (key.empty() || key.find('/') != std::string::npos || !text)
    return errorf("the variant {} is not in the cache any more", key);
  auto manifest = nlohmann::json::parse(*text, nullptr, false);
  if (!manifest.is_object())
    return errorf("the variant {} in the cache is damaged: run `faultline cache --clean`", key);
  return describe(directory, key, manifest.value("programId", ""),
                  manifest.value("binaries", nlohmann::json::array()).size());
}

} // namespace faultline::compiler
