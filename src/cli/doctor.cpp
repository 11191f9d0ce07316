// faultline doctor: is this machine ready, and if not, what to do.
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/context.h"
#include "compiler/toolchain.h"
#include "experiment/cell.h"
#include "experiment/kernel_way.h"

#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace faultline::cli {
namespace {

struct Check {
  std::string name;
  bool ok;
  std::string detail; // what was found, or what to do
  bool needed = true; // else much works without
};

Check checkCompiler() {
  auto argv = compiler::clangFor(compiler::Language::C);
  argv.push_back("--version");
  auto outcome = runCommand({.argv = argv});
  if (!outcome || !outcome->ok())
    return {"compiler", false, fmt::format("{} does not run: install the package clang-19", argv[0])};
  return {"compiler", true, outcome->out.substr(0, outcome->out.find('\n'))};
}

Check checkLink() {
  auto source = TemporaryFile::create(".c"), program = TemporaryFile::create();
  if (!source || !program) return {"linker", false, "cannot write to the temporary directory: set TMPDIR"};
  (void)writeFileAtomic(source->path(), "int main(void) { return 0; }\n");
  auto argv = compiler::clangFor(compiler::Language::C);
  argv.insert(argv.end(), {source->path().string(), "-o", program->path().string()});
  auto outcome = runCommand({.argv = argv});
  if (!outcome || !outcome->ok())
    return {"linker", false,
            "a trivial program does not link: install the packages binutils, gcc and libc6-dev"};
  return {"linker", true, "links a trivial program"};
}

Check checkLayout() {
  if (personality(0xffffffff) < 0 || personality(ADDR_NO_RANDOMIZE | unsigned(personality(0xffffffff))) < 0)
    return {"address layout", false,
            "cannot be fixed (personality is refused): allow it in the container's seccomp profile"};
  return {"address layout", true, "can be fixed"};
}

Check checkShadow() {
  size_t size = size_t(16) << 40;
  void* memory =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return {"address space", false,
            "16 TiB cannot be reserved: raise `ulimit -v`, or set vm.overcommit_memory to 0 or 1"};
  munmap(memory, size);
  return {"address space", true, "can be reserved"};
}

Check checkCache() {
  auto root = cacheDir();
  if (!root) return {"cache", false, root.error().message};
  if (access(root->c_str(), W_OK) != 0)
    return {"cache", false, fmt::format("{} is not writable: set XDG_CACHE_HOME", root->string())};
  std::error_code ignored;
  auto space = std::filesystem::space(*root, ignored);
  return {"cache", true, fmt::format("{}, {} free", root->string(), humanSize(space.available))};
}

Check checkContainment() {
  auto cell = experiment::Cell::create({}, {});
  if (!cell) return {"containment", false, cell.error().message, false};
  return {"containment", true, "experiments run in name spaces of their own, over a scratch layer"};
}

// Beneath experiments in one process; those of their own have name spaces.
Check checkLandlock() {
  constexpr long kCreateRuleset = 444, kAskVersion = 1;
  long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1)
    return {"landlock", false,
            "this kernel has none: in one process only the catching of system calls keeps altered runs from "
            "files; start it with lsm=landlock,..., or use --method fresh",
            false};
  return {"landlock", true,
          fmt::format("version {}: a second net under experiments in one process", version)};
}

// Which way experiments go that need not be processes of their own.
Check checkExperiments() {
  using experiment::KernelWay;
  KernelWay way = experiment::kernelWay();
  if (way.kind == KernelWay::GoesBack)
    return {"experiments", true, "go back within one process, thousands a second", false};
  if (way.kind == KernelWay::Forks)
    return {"experiments", false, fmt::format("are forked off, some times slower: {}", way.lacks), false};
  return {"experiments", false,
          fmt::format("are each a process of its own, many times slower: {}", way.lacks), false};
}

Result<int> examine(const Context& context) {
  std::vector<Check> checks{checkCompiler(), checkLink(),        checkLayout(),      checkShadow(),
                            checkCache(),    checkContainment(), checkExperiments(), checkLandlock()};
  Terminal terminal = context.answerTerminal();
  nlohmann::json document{
      {"schema", "faultline/1"}, {"technique", "doctor"}, {"checks", nlohmann::json::array()}};
  std::string text;
  bool ready = true;
  for (const Check& c : checks) {
    ready &= c.ok || !c.needed;
    document["checks"].push_back(
        {{"name", c.name}, {"ok", c.ok}, {"needed", c.needed}, {"detail", c.detail}});
    std::string mark = c.ok       ? terminal.paint(Style::Green, "ok  ")
                       : c.needed ? terminal.paint(Style::Red, "FAIL")
                                  : terminal.paint(Style::Yellow, "warn");
    text += fmt::format("{}  {:<15} {}\n", mark, c.name, c.detail);
  }
  document["ready"] = ready;
  text += ready ? "This machine is ready.\n" : "This machine is not ready; see above.\n";
  FL_CHECK(context.json ? context.answer(document) : context.answer(text));
  return ready ? kAnswered : kCallAtFault;
}

} // namespace

void addDoctor(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("doctor", "Is this machine ready, and if not, what to do");
  addCommonOptions(*command, context);
  command->callback([&context] { context.run([&] { return examine(context); }); });
}

} // namespace faultline::cli
