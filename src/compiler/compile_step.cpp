#include "compiler/compile_step.h"

#include "base/file.h"
#include "compiler/cc1_arguments.h"
#include "compiler/elf_section.h"
#include "compiler/embed.h"
#include "compiler/ir_tools.h"
#include "compiler/options.h"
#include "program/embedded_reader.h"

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace faultline::compiler {

namespace {

// Where -ffat-lto-objects puts bitcode; a linker that does LTO reads nothing else of such an object.
constexpr std::string_view kFatSection = ".llvm.lto";

bool makesFatObject(const PlannedJob& job) {
  return job.action == "-emit-obj" && job.has("-ffat-lto-objects") && job.hasPrefix("-flto");
}

// The record goes as text into what is not yet an object, or not only one.
bool needsAssembly(const PlannedJob& job) {
  return job.action == "-S" || job.makesLtoBitcode() || makesFatObject(job);
}

// With -save-temps, bitcode comes out twice: from the source, and from that.
bool makesObject(const PlannedJob& job) {
  if (job.makesLtoBitcode()) return job.language == "ir" || !job.hasPrefix("-save-temps");
  return job.kind == JobKind::Assemble || (job.kind == JobKind::Compile && job.action == "-emit-obj");
}

bool isRegularFile(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// The targets whose programs Faultline can record. For others clang does the work and there is no IR.
Result<void> checkTarget(const PlannedJob& job) {
  std::string triple = job.valueOf("-triple");
  // An assembler of its own says nothing of its target; what it assembles was looked at before.
  if (triple.empty() && job.kind == JobKind::Assemble) return {};
  bool machine = triple.starts_with("x86_64") || triple.starts_with("aarch64-");
  if (machine && triple.find("linux") != std::string::npos && !triple.ends_with("x32")) return {};
  return errorf("the target {} is not supported", triple);
}

Result<std::string> withRecord(std::string_view bitcode, std::string_view record) {
  FL_TRY(ir, irTools());
  return ir->withAssembly(bitcode, recordAssembly(record));
}

// Into an object, the bitcode that stands for one, or both at once.
Result<void> embedInOutput(const std::string& output, std::string_view record) {
  FL_TRY(bytes, readFile(output));
  if (!program::looksLikeElf(bytes)) {
    FL_TRY(joined, withRecord(bytes, record));
    return writeFileAtomic(output, joined);
  }
  FL_TRY(elf, program::readElf(bytes));
  if (const program::ElfSection* fat = elf.find(kFatSection)) {
    FL_TRY(joined, withRecord(fat->contents, record));
    FL_CHECK(replaceSection(output, kFatSection, joined));
  }
  return embedInObject(output, record);
}

Result<void> copyToStdout(const std::string& path) {
  FL_TRY(bytes, readFile(path));
  std::string_view rest = bytes;
  while (!rest.empty()) {
    ssize_t wrote = write(STDOUT_FILENO, rest.data(), rest.size());
    if (wrote <= 0) return Error{"cannot write to standard output"};
    rest.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

} // namespace

std::string CompileStep::scratchFile(const char* suffix) {
  return scratch_.file("unit" + std::to_string(files_++) + suffix);
}

Result<void> CompileStep::spawn(std::vector<std::string> argv, const std::string& errors) {
  std::string what = argv.size() > 1 ? argv[0] + " " + argv[1] : argv[0];
  FL_TRY(good, runner_.run({std::move(argv), input_, {}, errors, {}}));
  if (!good) return errorf("{} failed", what);
  return {};
}

Result<void> CompileStep::run(const PlannedJob& job) {
  if (job.kind == JobKind::Link) return spawn(job.argv, errors_);
  FL_CHECK(checkTarget(job));
  bool direct = job.kind == JobKind::Compile && isOurLanguage(job.language) && !origins_.contains(job.input);
  bool wanted = job.action == "-emit-obj" || needsAssembly(job);
  if (direct && wanted && canSplit(job)) return compileSplit(job);
  return runAsItIs(job);
}

// A chain such as -E, then cc1, then as (-save-temps, -fno-integrated-as) ends in an object; its IR comes
// from the job that read the source.
Result<void> CompileStep::runAsItIs(const PlannedJob& job) {
  auto known = origins_.find(job.input);
  PlannedJob origin = known == origins_.end() ? job : known->second;
  FL_CHECK(spawn(job.argv, errors_));
  if (!makesObject(job)) {
    origins_[job.output] = origin;
    return {};
  }
  return addRecord(origin, job.output);
}

Result<void> CompileStep::addRecord(const PlannedJob& job, const std::string& object) {
  if (!isRegularFile(object)) return {};
  bool ours = job.kind == JobKind::Compile && isOurLanguage(job.language);
  if (!ours) return addObjectRecord(job.input, object);
  FL_CHECK(checkTarget(job));
  FL_TRY(bitcodeFile, runFrontend(job, true));
  FL_TRY(payload, readFile(bitcodeFile));
  FL_TRY(record, makeRecord(FL_EMBEDDED_BITCODE, job.input, payload));
  FL_CHECK(embedInOutput(object, record));
  units_.push_back({job.input, recordHash(payload)});
  return {};
}

// Assembly that came out of our own -S already has the record of its C source.
Result<void> CompileStep::addObjectRecord(const std::string& source, const std::string& object) {
  FL_TRY(bytes, readFile(object));
  FL_TRY(present, program::irRecords(bytes));
  if (!present.empty()) {
    units_.push_back({source, present.front().hash});
    return {};
  }
  FL_TRY(record, makeRecord(FL_EMBEDDED_OBJECT, source, bytes));
  FL_CHECK(embedInObject(object, record));
  units_.push_back({source, recordHash(bytes)});
  return {};
}

Result<std::string> CompileStep::runFrontend(const PlannedJob& job, bool silent) {
  std::string bitcode = scratchFile(".bc");
  FrontendRun run = silent ? FrontendRun::Silent : FrontendRun::WithUser;
  FL_CHECK(spawn(frontendArguments(job, run, bitcode), silent ? "/dev/null" : errors_));
  return bitcode;
}

Result<void> CompileStep::compileSplit(const PlannedJob& job) {
  FL_TRY(bitcode, runFrontend(job, false));
  FL_TRY(payload, readFile(bitcode));
  FL_TRY(record, makeRecord(FL_EMBEDDED_BITCODE, job.input, payload));
  std::string assembly = needsAssembly(job) ? recordAssembly(record) : "";
  DebugLevel level = requestedDebug(job);
  if (level != DebugLevel::Full || !assembly.empty()) {
    bitcode = scratchFile(".bc");
    FL_TRY(ir, irTools());
    FL_CHECK(ir->writeCodegenModule(payload, level, assembly, bitcode));
  }
  PlannedJob toFile = job;
  if (job.output == "-" && assembly.empty()) toFile.output = scratchFile(".o");
  FL_CHECK(generateCode(toFile, bitcode));
  if (assembly.empty() && isRegularFile(toFile.output)) FL_CHECK(embedInObject(toFile.output, record));
  if (toFile.output != job.output) FL_CHECK(copyToStdout(toFile.output));
  units_.push_back({job.input, recordHash(payload)});
  return {};
}

Result<void> CompileStep::generateCode(const PlannedJob& job, const std::string& bitcode) {
  return spawn(codegenArguments(job, bitcode), errors_);
}

} // namespace faultline::compiler
