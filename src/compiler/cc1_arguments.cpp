#include "compiler/cc1_arguments.h"

#include <algorithm>

namespace faultline::compiler {

namespace {

using Arguments = std::vector<std::string>;

struct Dropped {
  std::string_view option;
  bool hasValue;
};

// What writes dependency files or header lists. Belongs to one run of the frontend only.
constexpr Dropped kSideOutputs[] = {{"-dependency-file", true},
                                    {"-MT", true},
                                    {"-MQ", true},
                                    {"-MP", false},
                                    {"-MG", false},
                                    {"-MV", false},
                                    {"-sys-header-deps", false},
                                    {"-H", false},
                                    {"-header-include-file", true},
                                    {"-dependency-dot", true},
                                    {"-module-dependency-dir", true},
                                    {"-serialize-diagnostic-file", true},
                                    {"-diagnostic-log-file", true},
                                    {"-index-store-path", true}};
// What names a file after the output. The IR for us must neither write nor mention these.
constexpr Dropped kOutputFiles[] = {{"-split-dwarf-file", true},
                                    {"-split-dwarf-output", true},
                                    {"-opt-record-file", true},
                                    {"-opt-record-passes", true},
                                    {"-opt-record-format", true},
                                    {"-stack-usage-file", true},
                                    {"-v", false}};
// What code generation would try to open although IR has no headers.
constexpr Dropped kFrontendOnly[] = {{"-include", true}, {"-include-pch", true}, {"-imacros", true}};

// Options with which one run of clang makes or reports what two halves do not.
constexpr std::string_view kWholePrefixes[] = {
    "-split-dwarf",      "-coverage-notes-file", "-coverage-data-file", "-R",
    "-opt-record",       "-ftime-trace",         "-stack-usage-file",   "-verify",
    "-fembed-bitcode",   "-ffast-math",          "-menable-",           "-mreassociate",
    "-fapprox-func",     "-funsafe-math",        "-ffinite-math",       "-fno-signed-zeros",
    "-freciprocal-math", "-ffp-contract=fast",   "-fmodule-output",     "-gmodules",
    "-dwarf-ext-refs",   "-fmodule-format=obj",  "-fcoverage-mapping",  "-fwarn-stack-size"};
constexpr std::string_view kWhole[] = {
    "-ftime-report",     "-print-stats",  "-v", "-debug-info-kind=line-directives-only", "-fthinlto-index",
    "-fsjlj-exceptions", "-test-coverage"};

template <class Table> Arguments without(const Arguments& args, const Table& table) {
  Arguments kept;
  for (size_t i = 0; i < args.size(); ++i) {
    auto dropped = std::ranges::find(table, args[i], &Dropped::option);
    if (dropped == std::end(table))
      kept.push_back(args[i]);
    else if (dropped->hasValue)
      ++i;
  }
  return kept;
}

void setOutput(Arguments& args, const std::string& output) {
  auto last = std::find(args.rbegin(), args.rend(), "-o");
  if (last != args.rend() && last != args.rbegin()) *std::prev(last) = output;
}

// A prefix map hides where the sources are. Debug information that only we see keeps the true paths.
bool hidesSources(const std::string& arg) { return arg.starts_with("-fdebug-prefix-map"); }

} // namespace

DebugLevel requestedDebug(const PlannedJob& job) {
  if (!job.hasPrefix("-debug-info-kind=")) return DebugLevel::None;
  return job.has("-debug-info-kind=line-tables-only") ? DebugLevel::LineTables : DebugLevel::Full;
}

std::vector<std::string> frontendArguments(const PlannedJob& job, FrontendRun run,
                                           const std::string& bitcode) {
  Arguments args = job.argv;
  std::ranges::replace(args, job.action, std::string("-emit-llvm-bc"));
  std::erase_if(args, [&](const std::string& arg) {
    return arg.starts_with("-debug-info-kind=") || hidesSources(arg) ||
           (run == FrontendRun::Silent && arg.starts_with("-ftime-trace"));
  });
  if (run == FrontendRun::Silent) args = without(without(args, kSideOutputs), kOutputFiles);
  setOutput(args, bitcode);
  Arguments added = {"-disable-llvm-passes", "-emit-llvm-uselists", "-debug-info-kind=standalone"};
  if (!job.hasPrefix("-dwarf-version=")) added.push_back("-dwarf-version=5");
  if (run == FrontendRun::Silent) added.push_back("-w");
  args.insert(args.begin() + 2, added.begin(), added.end());
  return args;
}

std::vector<std::string> codegenArguments(const PlannedJob& job, const std::string& bitcode) {
  Arguments args = without(without(job.argv, kSideOutputs), kFrontendOnly);
  auto language = std::find(args.rbegin(), args.rend(), "-x");
  if (language != args.rend() && language != args.rbegin()) *std::prev(language) = "ir";
  args.back() = bitcode;
  setOutput(args, job.output);
  return args;
}

bool canSplit(const PlannedJob& job) {
  bool debugged = requestedDebug(job) != DebugLevel::None;
  return std::ranges::none_of(job.argv, [&](const std::string& arg) {
    if (hidesSources(arg)) return debugged;
    return std::ranges::find(kWhole, arg) != std::end(kWhole) ||
           std::ranges::any_of(kWholePrefixes, [&](auto prefix) { return arg.starts_with(prefix); });
  });
}

} // namespace faultline::compiler
