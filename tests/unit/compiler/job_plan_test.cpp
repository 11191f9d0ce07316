#include "compiler/cc1_arguments.h"
#include "compiler/job_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::compiler {
namespace {

using ::testing::ElementsAre;

constexpr std::string_view kPlan = R"(Debian clang version 19.1.7 (3~deb12u1)
Target: x86_64-pc-linux-gnu
Thread model: posix
InstalledDir: /usr/lib/llvm-19/bin
clang-19: warning: -lm: 'linker' input unused [-Wunused-command-line-argument]
 (in-process)
 "/usr/lib/llvm-19/bin/clang" "-cc1" "-triple" "x86_64-pc-linux-gnu" "-emit-obj" "-dependency-file" "a.d" "-MT" "a.o" "-O2" "-D" "T=\"x \\ \$y
z\"" "-o" "a.o" "-x" "c" "a.c"
 "/usr/bin/ld" "-o" "a.out" "a.o" "-lc"
)";

TEST(JobPlan, ReadsJobsAndWhatIsSaidToTheUser) {
  auto plan = parseJobPlan(kPlan);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->diagnostics,
            "clang-19: warning: -lm: 'linker' input unused [-Wunused-command-line-argument]\n");
  ASSERT_EQ(plan->jobs.size(), 2u);
  const PlannedJob& compile = plan->jobs[0];
  EXPECT_EQ(compile.kind, JobKind::Compile);
  EXPECT_EQ(compile.action, "-emit-obj");
  EXPECT_EQ(compile.language, "c");
  EXPECT_EQ(compile.input, "a.c");
  EXPECT_EQ(compile.output, "a.o");
  EXPECT_EQ(compile.valueOf("-D"), "T=\"x \\ $y\nz\"");
  EXPECT_EQ(plan->jobs[1].kind, JobKind::Link);
  EXPECT_EQ(plan->jobs[1].output, "a.out");
}

TEST(JobPlan, RefusesAJobOfAnUnknownTool) {
  EXPECT_FALSE(parseJobPlan(" \"/usr/bin/ptxas\" \"-o\" \"x\"\n"));
  EXPECT_FALSE(parseJobPlan("Target: x86_64\n"));
}

PlannedJob job(std::vector<std::string> options) {
  PlannedJob made;
  made.kind = JobKind::Compile;
  made.action = "-emit-obj";
  made.language = "c";
  made.input = "a.c";
  made.output = "a.o";
  made.argv = {"clang", "-cc1", "-emit-obj"};
  made.argv.insert(made.argv.end(), options.begin(), options.end());
  made.argv.insert(made.argv.end(), {"-o", "a.o", "-x", "c", "a.c"});
  return made;
}

TEST(Cc1Arguments, TheFrontendKeepsTheDependencyFileAndCodegenDoesNot) {
  PlannedJob compile = job({"-dependency-file", "a.d", "-MT", "a.o", "-O2", "-include", "x.h"});
  EXPECT_THAT(frontendArguments(compile, FrontendRun::WithUser, "u.bc"),
              ElementsAre("clang", "-cc1", "-disable-llvm-passes", "-emit-llvm-uselists",
                          "-debug-info-kind=standalone", "-dwarf-version=5", "-emit-llvm-bc",
                          "-dependency-file", "a.d", "-MT", "a.o", "-O2", "-include", "x.h", "-o", "u.bc",
                          "-x", "c", "a.c"));
  EXPECT_THAT(codegenArguments(compile, "u.bc"),
              ElementsAre("clang", "-cc1", "-emit-obj", "-O2", "-o", "a.o", "-x", "ir", "u.bc"));
}

TEST(Cc1Arguments, ASecondFrontendRunWritesAndSaysNothing) {
  PlannedJob compile = job({"-dependency-file", "a.d", "-sys-header-deps", "-split-dwarf-file", "a.dwo"});
  EXPECT_THAT(frontendArguments(compile, FrontendRun::Silent, "u.bc"),
              ElementsAre("clang", "-cc1", "-disable-llvm-passes", "-emit-llvm-uselists",
                          "-debug-info-kind=standalone", "-dwarf-version=5", "-w", "-emit-llvm-bc", "-o",
                          "u.bc", "-x", "c", "a.c"));
}

TEST(Cc1Arguments, KnowsHowMuchDebugInformationWasAskedFor) {
  EXPECT_EQ(requestedDebug(job({})), DebugLevel::None);
  EXPECT_EQ(requestedDebug(job({"-debug-info-kind=line-tables-only"})), DebugLevel::LineTables);
  EXPECT_EQ(requestedDebug(job({"-debug-info-kind=constructor"})), DebugLevel::Full);
}

TEST(Cc1Arguments, SplitsOnlyWhereTheHalvesAddUp) {
  EXPECT_TRUE(canSplit(job({"-O2", "-fsanitize=address", "-ffp-contract=on"})));
  EXPECT_FALSE(canSplit(job({"-ffast-math"})));
  EXPECT_FALSE(canSplit(job({"-split-dwarf-file", "a.dwo"})));
  EXPECT_FALSE(canSplit(job({"-Rpass=inline"})));
  EXPECT_TRUE(canSplit(job({"-fdebug-prefix-map=/a=/b"})));
  EXPECT_FALSE(canSplit(job({"-fdebug-prefix-map=/a=/b", "-debug-info-kind=constructor"})));
}

} // namespace
} // namespace faultline::compiler
