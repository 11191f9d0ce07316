// faultline-cc and faultline-c++ beside clang itself: whatever clang does for a call, they do too, and what
// they make carries its IR.
#include "support/environment.h"
#include "support/run.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace faultline::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

const std::string kCc = std::string(FAULTLINE_BIN_DIR) + "/faultline-cc";
const std::string kCxx = std::string(FAULTLINE_BIN_DIR) + "/faultline-c++";

constexpr const char* kHello = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

class CompilerWrapper : public ::testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directory(dir / "tmp"); }

  RunOptions here() { return {.cwd = dir.path(), .env = {{"TMPDIR", dir / "tmp"}}}; }
  RunResult call(const Words& argv) { return run(argv, here()); }
  void good(const Words& argv) {
    RunResult result = call(argv);
    ASSERT_EQ(result.status, 0) << ::testing::PrintToString(argv) << result.err;
  }
  bool carriesIr(const std::string& file) {
    return call({"readelf", "-SW", file}).out.find(".faultline_ir") != std::string::npos;
  }
  int recordsIn(const std::string& file) {
    std::string bytes = readFile(dir / file);
    int count = 0;
    for (size_t at = 0; (at = bytes.find("FLTIR", at)) != std::string::npos; ++at) ++count;
    return count;
  }
  bool noTemporaryFiles() { return std::filesystem::is_empty(dir / "tmp"); }
  // Everything of an object but our section.
  std::string contents(const std::string& object) {
    good({"objcopy", "-R", ".faultline_ir", object, "plain.o"});
    return call({"objdump", "-drst", "plain.o"}).out;
  }

  TempDir dir;
  ScopedVariable quiet{"FAULTLINE_VERBOSE", std::nullopt};
  ScopedVariable clang{"FAULTLINE_CLANG", std::nullopt};
};

TEST_F(CompilerWrapper, MakesTheObjectThatClangMakes) {
  writeFile(dir / "a.c",
            "#include <string.h>\nint table[64];\nstatic int f(int x) { return x * table[x & 63]; }\n"
            "int g(int n, char* s) { int t = 0; for (int i = 0; i < n; i++) t += f(i); "
            "memset(s, t, n); return t; }\n");
  for (const Words& flags : std::vector<Words>{{"-O0"},
                                               {"-O2"},
                                               {"-O3", "-march=native"},
                                               {"-O2", "-fPIC", "-ffunction-sections"},
                                               {"-Os", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"},
                                               {"-O1", "-fsanitize=undefined"},
                                               {"-O2", "-ffast-math"},
                                               {"-O2", "-g"},
                                               {"-O2", "-fno-integrated-as"},
                                               {"-O2", "-save-temps"},
                                               {"-O2", "-pipe"}}) {
    good(Words{"clang-19", "-c", "a.c", "-o", "a.o"} + flags);
    std::string expected = contents("a.o");
    good(Words{kCc, "-c", "a.c", "-o", "a.o"} + flags);
    EXPECT_EQ(contents("a.o"), expected) << ::testing::PrintToString(flags);
    EXPECT_TRUE(carriesIr("a.o")) << ::testing::PrintToString(flags);
  }
  EXPECT_TRUE(noTemporaryFiles());
}

TEST_F(CompilerWrapper, WritesTheDependencyFileThatClangWrites) {
  writeFile(dir / "a.c", "#include \"a.h\"\n");
  writeFile(dir / "a.h", "int x;\n");
  for (const Words& flags : std::vector<Words>{{"-MD"},
                                               {"-MMD", "-MP"},
                                               {"-MD", "-MF", "a.d"},
                                               {"-MMD", "-MT", "t1", "-MQ", "t$2", "-MF", "a.d"},
                                               {"-Wp,-MMD,a.d"}}) {
    for (const Words& output : std::vector<Words>{{}, {"-o", "a.o"}}) {
      good(Words{"clang-19", "-c", "a.c"} + output + flags);
      std::string expected = readFile(dir / "a.d");
      std::filesystem::remove(dir / "a.d");
      good(Words{kCc, "-c", "a.c"} + output + flags);
      EXPECT_EQ(readFile(dir / "a.d"), expected);
    }
  }
}

TEST_F(CompilerWrapper, SaysWhatClangSaysOnce) {
  writeFile(dir / "warns.c", "int f(int x) { if (x = 1) return 2; return 3; }\n");
  writeFile(dir / "fails.c", "int f(void) { return undeclared; }\n");
  for (const Words& args : std::vector<Words>{{"-Wall", "-c", "warns.c"},
                                              {"-Wall", "-Werror", "-c", "warns.c"},
                                              {"-c", "fails.c"},
                                              {"-c", "warns.c", "-lm"},
                                              {"-c", "warns.c", "--no-such-option"},
                                              {"-c", "absent.c"},
                                              {"fails.c", "-o", "prog"},
                                              {"warns.c", "-o", "prog", "-w", "-lnosuchlibrary"},
                                              {"-c", "warns.c", "-o", "no/such/dir/a.o"},
                                              {}}) {
    RunResult expected = call(Words{"clang-19"} + args);
    RunResult got = call(Words{kCc} + args);
    EXPECT_EQ(got.status, expected.status) << ::testing::PrintToString(args);
    // The linker names clang's own temporary object, which has a new name in each call.
    if (args.size() != 5 || args[0] != "warns.c") EXPECT_EQ(got.err, expected.err);
    EXPECT_TRUE(noTemporaryFiles()) << ::testing::PrintToString(args);
  }
}

// Older programs are full of it, and gcc only warns.
TEST_F(CompilerWrapper, CompilesWhatTheDistributionsCompilerTakes) {
  writeFile(dir / "old.c", "main(argc, argv) char **argv; { int p = argv; return sum(argc) + (p == 0); }\n"
                           "sum(n) { return n - 1; }\n");
  writeFile(dir / "old.cpp", "#define D \"d\"\nconst char *form = \"%\"D;\nint main() { return 0; }\n");
  good({kCc, "-w", "old.c", "-o", "old"});
  good({kCxx, "-w", "old.cpp", "-o", "oldpp"});
  RunResult strict = call({kCc, "-Werror=implicit-function-declaration", "-c", "old.c"});
  EXPECT_NE(strict.status, 0);
}

TEST_F(CompilerWrapper, PassesOnWhatIsNoCompile) {
  writeFile(dir / "a.c", "#define N 3\nint x = N;\n");
  writeFile(dir / "a.h", "int x;\n");
  for (const Words& args : std::vector<Words>{{"--version"},
                                              {"-dumpmachine"},
                                              {"-print-search-dirs"},
                                              {"-E", "a.c"},
                                              {"-M", "a.c"},
                                              {"-MM", "a.c"},
                                              {"-fsyntax-only", "a.c"},
                                              {"-E", "-dM", "a.c"},
                                              {"-emit-llvm", "-S", "a.c", "-o", "-"}}) {
    RunResult expected = call(Words{"clang-19"} + args);
    RunResult got = call(Words{kCc} + args);
    EXPECT_EQ(got.status, expected.status) << args[0];
    EXPECT_EQ(got.out, expected.out) << args[0];
    EXPECT_EQ(got.err, expected.err) << args[0];
  }
}

TEST_F(CompilerWrapper, ReadsStandardInputAndWritesStandardOutput) {
  RunOptions options = here();
  options.input = kHello;
  RunResult toStdout = run({kCc, "-x", "c", "-c", "-", "-o", "-"}, options);
  ASSERT_EQ(toStdout.status, 0) << toStdout.err;
  writeFile(dir / "a.o", toStdout.out);
  EXPECT_TRUE(carriesIr("a.o"));
  ASSERT_EQ(run({kCc, "-x", "c", "-", "-o", "prog"}, options).status, 0);
  EXPECT_EQ(call({dir / "prog"}).out, "hello\n");
  options.input = "int f(void) { return undeclared; }";
  EXPECT_THAT(run({kCc, "-x", "c", "-c", "-", "-o", "b.o"}, options).err, HasSubstr("<stdin>:1:22: error"));
}

TEST_F(CompilerWrapper, CompilesAndLinksSeveralSourcesInOneCall) {
  writeFile(dir / "a.c", kHello);
  writeFile(dir / "b.c", "int unused_b;\n");
  writeFile(dir / "c.s", ".data\n.globl from_c\nfrom_c: .long 1\n.section .note.GNU-stack,\"\",@progbits\n");
  writeFile(dir / "words", "'a.c'\n\"b.c\" c.s -o prog");
  good({kCc, "@words"});
  EXPECT_EQ(call({dir / "prog"}).out, "hello\n");
  EXPECT_TRUE(carriesIr("prog"));
  EXPECT_FALSE(std::filesystem::exists(dir / "a.o"));
  EXPECT_TRUE(noTemporaryFiles());
  good({kCc, "-c", "a.c", "b.c", "c.s"});
  for (const char* object : {"a.o", "b.o", "c.o"}) EXPECT_TRUE(carriesIr(object)) << object;
}

TEST_F(CompilerWrapper, AssemblyOutputKeepsTheIr) {
  writeFile(dir / "a.c", kHello);
  good({kCc, "-O1", "-S", "a.c"});
  good({kCc, "-c", "a.s"});
  EXPECT_TRUE(carriesIr("a.o"));
  // It is the record of the C source, not a second one for the assembly.
  EXPECT_THAT(call({"strings", "a.o"}).out, HasSubstr("FLTIR"));
  EXPECT_THAT(call({"strings", "a.o"}).out, Not(::testing::ContainsRegex("FLTIR(.|\n)*FLTIR")));
  good({kCc, "a.o", "-o", "prog"});
  EXPECT_EQ(call({dir / "prog"}).out, "hello\n");
}

TEST_F(CompilerWrapper, ProgramsOptimisedAtLinkTimeCarryTheIrOfAllUnits) {
  writeFile(dir / "a.c", "int f(void);\nint main(void) { return f(); }\n");
  writeFile(dir / "b.c", "int f(void) { return 7; }\n");
  const Words fat = {"-flto=auto", "-ffat-lto-objects"};
  struct Flags {
    Words compile, link;
  };
  std::vector<Flags> all = {
      {fat, {}}, {{}, fat}, {fat, {"-flto=auto"}}, {fat, {"-ffat-lto-objects"}}, {{"-flto"}, fat}};
  for (const Words& both :
       std::vector<Words>{{"-flto"},
                          {"-flto=4"},
                          {"-flto=auto", "-fno-fat-lto-objects"},
                          {"-flto", "-O2", "-ffast-math"},
                          {"-flto=thin", "-g", "-O2", "-ffile-prefix-map=/x=."},
                          {"-flto", "-save-temps=obj"},
                          {"-flto", "-v"},
                          fat,
                          fat + Words{"-O2"},
                          fat + Words{"-fno-lto"},
                          fat + Words{"-g", "-O2", "-ffile-prefix-map=/x=."},
                          fat + Words{"-save-temps=obj"},
                          fat + Words{"-v"},
                          fat + Words{"-fuse-ld=lld"},
                          {"-flto=thin", "-ffat-lto-objects", "-ffast-math"},
                          {"-flto=4", "-ffat-lto-objects", "-fuse-linker-plugin", "-flto-partition=none",
                           "-flto-compression-level=1", "-Werror"}})
    all.push_back({both, both});
  for (const Flags& flags : all) {
    good(Words{kCc, "-c", "a.c", "b.c"} + flags.compile);
    good(Words{kCc, "a.o", "b.o", "-o", "prog"} + flags.link);
    std::string shown = ::testing::PrintToString(flags.compile) + ::testing::PrintToString(flags.link);
    EXPECT_EQ(call({dir / "prog"}).status, 7) << shown;
    EXPECT_EQ(recordsIn("prog"), 3) << shown; // two units and the link
  }
}

TEST_F(CompilerWrapper, PrecompiledHeadersWork) {
  writeFile(dir / "p.hpp", "#include <string>\n");
  writeFile(dir / "a.cpp", "std::string s = \"x\";\nint main() { return s.size() - 1; }\n");
  good({kCxx, "-x", "c++-header", "p.hpp", "-o", "p.hpp.pch"});
  good({kCxx, "-include", "p.hpp", "a.cpp", "-o", "prog"});
  EXPECT_EQ(call({dir / "prog"}).status, 0);
  EXPECT_TRUE(carriesIr("prog"));
}

TEST_F(CompilerWrapper, AnOddInputIsCompiledWithoutIrAndSaysWhyOnRequest) {
  writeFile(dir / "a.c", "int x;\n");
  RunOptions options = here();
  options.env["FAULTLINE_VERBOSE"] = "1";
  RunResult result = run({kCc, "--target=riscv64-linux-gnu", "-c", "a.c"}, options);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("faultline-cc: note: a.c compiled without IR: the target riscv64"));
  EXPECT_EQ(call({kCc, "--target=riscv64-linux-gnu", "-c", "a.c"}).err, "");
}

TEST_F(CompilerWrapper, AnInterruptEndsTheChildAndLeavesNoTemporaryFiles) {
  writeFile(dir / "a.c", "int x;\n");
  // A clang that plans as usual, with itself as the compiler, and then compiles for ever.
  writeFile(dir / "slow", "#!/bin/sh\nfor a; do [ \"$a\" = -### ] && { clang-19 \"$@\" 2>&1 | "
                          "sed \"s|\\\"/[^\\\"]*bin/clang\\\"|\\\"$PWD/slow\\\"|\" >&2; exit; }; done\n"
                          "echo $$ > child; exec sleep 60\n");
  chmod((dir / "slow").c_str(), 0755);
  writeFile(dir / "script", "FAULTLINE_CLANG=$PWD/slow " + kCc +
                                " -c a.c & wrapper=$!\n"
                                "while ! [ -s child ]; do sleep 0.05; done\n"
                                "kill -TERM $wrapper; wait $wrapper; echo status $?\n"
                                "kill -0 $(cat child) 2> /dev/null && echo child lives\n"
                                "ls tmp | wc -l\n");
  RunResult result = call({"bash", "script"});
  EXPECT_EQ(result.out, "status 143\n0\n") << result.err;
}

TEST_F(CompilerWrapper, RecordsWhereItWasCompiled) {
  std::filesystem::create_directory(dir / "sub");
  writeFile(dir / "sub/a.c", "int x;\n");
  good({kCc, "-S", "-ffile-prefix-map=" + dir.path() + "=.", "sub/a.c", "-o", "a.s"});
  good({kCc, "-c", "a.s"});
  good({"objcopy", "--dump-section", ".faultline_ir=record", "a.o"});
  // The header, the name, a zstd frame of the size that the header gives, padding.
  std::string record = readFile(dir / "record");
  uint64_t size = 0;
  std::memcpy(&size, record.data() + 16, sizeof size);
  size_t frame = record.find("\x28\xb5\x2f\xfd");
  ASSERT_NE(frame, std::string::npos);
  writeFile(dir / "a.bc.zst", record.substr(frame, size));
  call({"sh", "-c", "zstd -q -d -f a.bc.zst -o a.bc 2> /dev/null"});
  if (!std::filesystem::exists(dir / "a.bc")) GTEST_SKIP() << "no zstd command here";
  EXPECT_THAT(call({"clang-19", "-x", "ir", "-S", "-emit-llvm", "a.bc", "-o", "-"}).out,
              HasSubstr("directory: \"" + dir.path()));
}

TEST_F(CompilerWrapper, CcacheTakesItForACompilerAndHits) {
  if (call({"sh", "-c", "command -v ccache"}).status != 0) GTEST_SKIP() << "no ccache here";
  writeFile(dir / "a.c", kHello);
  RunOptions options = here();
  options.env["CCACHE_DIR"] = dir / "cache";
  ASSERT_EQ(run({"env", "-u", "CCACHE_DISABLE", "ccache", kCc, "-O2", "-c", "a.c", "-o", "first.o"}, options)
                .status,
            0);
  ASSERT_EQ(run({"env", "-u", "CCACHE_DISABLE", "ccache", kCc, "-O2", "-c", "a.c", "-o", "second.o"}, options)
                .status,
            0);
  EXPECT_TRUE(carriesIr("second.o"));
  EXPECT_EQ(readFile(dir / "first.o"), readFile(dir / "second.o"));
  EXPECT_THAT(run({"ccache", "--print-stats"}, options).out,
              ::testing::ContainsRegex("(direct|preprocessed)_cache_hit\t1"));
}

TEST_F(CompilerWrapper, CMakeBuildsWithIt) {
  writeFile(dir / "CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(p C CXX)\n"
                                    "add_library(part STATIC part.cpp)\nadd_executable(prog main.c)\n"
                                    "target_link_libraries(prog part)\n");
  writeFile(dir / "part.cpp",
            "#include <string>\nextern \"C\" int size() { return std::string(\"four\").size(); }\n");
  writeFile(dir / "main.c", "int size(void);\nint main(void) { return size(); }\n");
  good({"cmake", "-S", ".", "-B", "out", "-DCMAKE_C_COMPILER=" + kCc, "-DCMAKE_CXX_COMPILER=" + kCxx});
  good({"cmake", "--build", "out"});
  EXPECT_EQ(call({dir / "out/prog"}).status, 4);
  EXPECT_TRUE(carriesIr("out/prog"));
}

} // namespace
} // namespace faultline::test
