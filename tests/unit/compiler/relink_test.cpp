// Programs built by the real wrappers and linked again from the IR that they carry: they must do the same.
#include "compiler/embed.h"
#include "compiler/relink.h"
#include "support/run.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::compiler {
namespace {

using test::run;
using test::writeFile;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kCc = std::string(FAULTLINE_BIN_DIR) + "/faultline-cc";
const std::string kCxx = std::string(FAULTLINE_BIN_DIR) + "/faultline-c++";

class RelinkTest : public ::testing::Test {
protected:
  void build(std::vector<std::string> argv) {
    auto result = run(argv, {.cwd = dir.path()});
    ASSERT_EQ(result.status, 0) << ::testing::PrintToString(argv) << result.err;
  }

  // Compiles every unit of the program from its own IR.
  std::map<uint64_t, std::string> recompile(const program::EmbeddedProgram& program) {
    std::map<uint64_t, std::string> objects;
    for (const program::EmbeddedRecord& unit : program.units()) {
      if (unit.kind != FL_EMBEDDED_BITCODE) continue;
      std::string base = dir / ("again/" + hashText(unit.hash));
      auto bitcode = program::unpack(unit);
      EXPECT_TRUE(bitcode);
      writeFile(base + ".bc", *bitcode);
      EXPECT_EQ(run({"clang-19", "-x", "ir", "-c", "-fPIC", "-O1", base + ".bc", "-o", base + ".o"}).status,
                0);
      objects[unit.hash] = base + ".o";
    }
    return objects;
  }

  Result<void> again(const std::string& name, const std::string& output) {
    auto program = program::EmbeddedProgram::open(dir / name);
    if (!program) return program.error();
    auto objects = recompile(*program);
    return relink({.program = *program, .replacements = objects, .output = dir / output});
  }

  // The relinked program prints what the original does.
  void expectSame(const std::string& name, const std::vector<std::string>& args = {}) {
    auto done = again(name, "relinked");
    ASSERT_TRUE(done) << done.error().message;
    std::vector<std::string> first = {dir / name}, second = {dir / "relinked"};
    first.insert(first.end(), args.begin(), args.end());
    second.insert(second.end(), args.begin(), args.end());
    auto expected = run(first, {.cwd = dir.path()}), got = run(second, {.cwd = dir.path()});
    EXPECT_EQ(got.out, expected.out);
    EXPECT_EQ(got.status, expected.status);
    EXPECT_NE(expected.out, "");
  }

  test::TempDir dir;
};

TEST_F(RelinkTest, AProgramOfSeveralObjects) {
  writeFile(dir / "main.c",
            "#include <stdio.h>\nint twice(int);\nint main(void) { printf(\"%d\\n\", twice(21)); }");
  writeFile(dir / "twice.c", "int twice(int x) { return 2 * x; }");
  build({kCc, "-O2", "-c", "main.c", "twice.c"});
  build({kCc, "main.o", "twice.o", "-o", "prog"});
  // The objects are no longer needed: the program has all of it.
  std::filesystem::remove(dir / "main.o");
  std::filesystem::remove(dir / "twice.o");
  expectSame("prog");
}

TEST_F(RelinkTest, SourcesCompiledAndLinkedInOneCall) {
  writeFile(dir / "main.cpp",
            "#include <iostream>\n#include <stdexcept>\nint f();\nint main() { try { f(); } "
            "catch (std::exception& e) { std::cout << e.what() << '\\n'; } }");
  writeFile(dir / "f.cpp", "#include <stdexcept>\nint f() { throw std::runtime_error(\"thrown\"); }");
  build({kCxx, "-O1", "-x", "c++", "main.cpp", "f.cpp", "-o", "prog", "-MD"});
  expectSame("prog");
}

TEST_F(RelinkTest, OnlyTheArchiveMembersThatWereUsed) {
  writeFile(dir / "main.c",
            "#include <stdio.h>\nint used(void);\nint main(void) { printf(\"%d\\n\", used()); }");
  writeFile(dir / "used.c", "int used(void) { return 7; }");
  writeFile(dir / "unused.c", "int nowhere(void);\nint unused(void) { return nowhere(); }");
  build({kCc, "-c", "main.c", "used.c", "unused.c"});
  build({"ar", "rcs", "libu.a", "unused.o", "used.o"});
  build({kCc, "main.o", "-L.", "-lu", "-o", "prog"});
  expectSame("prog");
  auto program = program::EmbeddedProgram::open(dir / "prog");
  ASSERT_TRUE(program);
  ASSERT_EQ(program->units().size(), 2u);
  std::filesystem::remove(dir / "libu.a");
  expectSame("prog");
}

TEST_F(RelinkTest, TheSameMemberInTwoArchivesComesOnce) {
  writeFile(dir / "main.c", "#include <stdio.h>\nint f(void);\nint main(void) { printf(\"%d\\n\", f()); }");
  writeFile(dir / "f.c", "int f(void) { return 9; }");
  build({kCc, "-c", "main.c", "f.c"});
  build({"ar", "rcs", "liba.a", "f.o"});
  build({"ar", "rcsT", "libb.a", "f.o"});
  build({kCc, "main.o", "liba.a", "libb.a", "-o", "prog"});
  expectSame("prog");
}

TEST_F(RelinkTest, AWholeArchiveKeepsMembersWithoutIr) {
  writeFile(dir / "main.c", "#include <stdio.h>\nint n;\nint main(void) { printf(\"%d\\n\", n); }");
  writeFile(dir / "a.c", "extern int n;\n__attribute__((constructor)) static void a(void) { n += 1; }");
  writeFile(dir / "b.c", "extern int n;\n__attribute__((constructor)) static void b(void) { n += 10; }");
  build({kCc, "-c", "main.c", "a.c"});
  build({"clang-19", "-c", "b.c"});
  build({"ar", "rcs", "lib.a", "a.o", "b.o"});
  build({kCc, "main.o", "-Wl,--whole-archive,lib.a,--no-whole-archive", "-o", "prog"});
  expectSame("prog");
  EXPECT_EQ(run({dir / "relinked"}).out, "11\n");
}

TEST_F(RelinkTest, AssemblyComesOutOfTheProgramItself) {
  writeFile(dir / "main.c",
            "#include <stdio.h>\nint low(void);\nint main(void) { printf(\"%d\\n\", low()); }");
  writeFile(dir / "low.S", "#define V 5\n.text\n.globl low\nlow: mov $V, %eax\nret\n"
                           ".section .note.GNU-stack,\"\",@progbits\n");
  build({kCc, "-c", "main.c"});
  build({kCc, "-c", "low.S"});
  build({kCc, "main.o", "low.o", "-o", "prog"});
  std::filesystem::remove(dir / "low.o");
  expectSame("prog");
}

TEST_F(RelinkTest, APartialLinkIsTakenApart) {
  writeFile(dir / "main.c",
            "#include <stdio.h>\nint f(void), g(void);\nint main(void) { printf(\"%d\\n\", f() + g()); }");
  writeFile(dir / "f.c", "int f(void) { return 1; }");
  writeFile(dir / "g.c", "int g(void) { return 2; }");
  build({kCc, "-c", "main.c", "f.c"});
  build({"clang-19", "-c", "g.c"});
  build({kCc, "-r", "-nostdlib", "f.o", "g.o", "-o", "fg.o"});
  build({kCc, "main.o", "fg.o", "-o", "prog"});
  expectSame("prog");
}

TEST_F(RelinkTest, ASharedLibraryWithAVersionScript) {
  writeFile(dir / "lib.c", "int hidden(void) { return 3; }\nint shown(void) { return hidden(); }");
  writeFile(dir / "v.map", "V1 { global: shown; local: *; };");
  writeFile(dir / "main.c",
            "#include <stdio.h>\nint shown(void);\nint main(void) { printf(\"%d\\n\", shown()); }");
  build({kCc, "-fPIC", "-c", "lib.c"});
  build({kCc, "-shared", "lib.o", "-Wl,-soname,liblib.so", "-Wl,--version-script=v.map", "-o", "liblib.so"});
  build({kCc, "main.c", "-L.", "-llib", "-Wl,-rpath,$ORIGIN", "-o", "prog"});
  expectSame("prog");
  auto done = again("liblib.so", "new.so");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(run({"nm", "-D", dir / "new.so"}).out, HasSubstr("shown@@V1"));
  EXPECT_THAT(run({"nm", "-D", dir / "new.so"}).out, Not(HasSubstr("hidden")));
  std::filesystem::rename(dir / "new.so", dir / "liblib.so");
  EXPECT_EQ(run({dir / "prog"}).out, "3\n");
}

TEST_F(RelinkTest, OriginMeansTheOldProgramsPlace) {
  writeFile(dir / "lib.c", "int f(void) { return 4; }");
  writeFile(dir / "main.c", "#include <stdio.h>\nint f(void);\nint main(void) { printf(\"%d\\n\", f()); }");
  build({kCc, "-fPIC", "-shared", "lib.c", "-o", "libx.so"});
  build({kCc, "main.c", "libx.so", "-Wl,-rpath,${ORIGIN}", "-o", "prog"});
  auto program = program::EmbeddedProgram::open(dir / "prog");
  ASSERT_TRUE(program);
  std::filesystem::create_directory(dir / "else");
  auto done = relink({.program = *program, .replacements = recompile(*program), .output = dir / "else/prog"});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(run({dir / "else/prog"}).out, run({dir / "prog"}).out);
}

struct Variant {
  std::string name;
  std::vector<std::string> compile, link;
};

class RelinkVariant : public RelinkTest, public ::testing::WithParamInterface<Variant> {};

TEST_P(RelinkVariant, DoesTheSame) {
  writeFile(dir / "main.c",
            "#include <stdio.h>\nint f(int);\nint dead(void);\nint idle(void) { return dead(); }\n"
            "int main(int n, char** v) { printf(\"%d\\n\", f(n)); return n; }");
  writeFile(dir / "f.c", "static int table[] = {1, 2, 3};\nint f(int n) { return table[n % 3]; }");
  writeFile(dir / "dead.c", "int dead(void) { return 1; }");
  std::vector<std::string> compile = {kCc, "-c", "main.c", "f.c", "dead.c"},
                           link = {kCc, "main.o", "f.o", "dead.o"};
  compile.insert(compile.end(), GetParam().compile.begin(), GetParam().compile.end());
  link.insert(link.end(), GetParam().link.begin(), GetParam().link.end());
  link.insert(link.end(), {"-o", "prog"});
  build(compile);
  build(link);
  expectSame("prog", {"x"});
  build({"strip", "prog"});
  expectSame("prog", {"y", "z"});
}

INSTANTIATE_TEST_SUITE_P(
    Links, RelinkVariant,
    ::testing::Values(
        Variant{"plain", {}, {}}, Variant{"static", {}, {"-static"}},
        Variant{"staticPie", {"-fPIE"}, {"-static-pie"}}, Variant{"noPie", {"-fno-pie"}, {"-no-pie"}},
        Variant{"gcSections", {"-ffunction-sections"}, {"-Wl,--gc-sections"}},
        Variant{"gcSectionsLld", {"-ffunction-sections"}, {"-fuse-ld=lld", "-Wl,--gc-sections"}},
        Variant{"lld", {"-O2"}, {"-fuse-ld=lld"}}, Variant{"gold", {}, {"-fuse-ld=gold"}},
        Variant{"lto", {"-O2", "-flto"}, {"-flto", "-fuse-ld=lld", "-O2"}},
        Variant{"thinLto", {"-O2", "-flto=thin"}, {"-flto=thin", "-fuse-ld=lld"}},
        Variant{"ltoBfd", {"-O2", "-flto"}, {"-flto", "-O2"}},
        Variant{"fatLto", {"-O2", "-flto=auto", "-ffat-lto-objects"}, {"-flto=auto", "-ffat-lto-objects"}},
        Variant{"fatLtoOnlyCompiled", {"-O2", "-flto=auto", "-ffat-lto-objects"}, {}},
        Variant{"stripped", {}, {"-s", "-Wl,-Map=x.map"}},
        Variant{"asan", {"-fsanitize=address"}, {"-fsanitize=address"}}),
    [](const auto& info) { return info.param.name; });

TEST_F(RelinkTest, NamesTheFileThatIsMissing) {
  writeFile(dir / "main.c", "int f(void);\nint main(void) { return f(); }");
  writeFile(dir / "f.c", "int f(void) { return 0; }");
  build({kCc, "-c", "main.c"});
  build({"clang-19", "-c", "f.c"});
  build({kCc, "main.o", "f.o", "-o", "prog"});
  std::filesystem::remove(dir / "f.o");
  auto done = again("prog", "relinked");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr(dir / "f.o"));
}

TEST_F(RelinkTest, SaysWhenTheLinkerWasCalledDirectly) {
  writeFile(dir / "main.c", "int main(void) { return 0; }");
  build({kCc, "-c", "main.c"});
  build({"clang-19", "main.o", "-o", "prog"});
  auto done = again("prog", "relinked");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("no link command"));
}

TEST_F(RelinkTest, TheCallersWordsComeLast) {
  writeFile(dir / "main.c", "int main(void) { return 0; }");
  build({kCc, "-O2", "-flto", "main.c", "-fuse-ld=lld", "-o", "prog", "-lm"});
  auto program = program::EmbeddedProgram::open(dir / "prog");
  ASSERT_TRUE(program);
  uint64_t hash = program->units().at(0).hash;
  auto command = relinkCommand({.program = *program,
                                .replacements = {{hash, "/x/new.o"}},
                                .extra = {"/x/runtime.a"},
                                .output = "/x/out"},
                               dir.path());
  ASSERT_TRUE(command) << command.error().message;
  std::vector<std::string> words(command->begin() + 1, command->end());
  EXPECT_THAT(words, ::testing::ElementsAre("-Qunused-arguments", "-O2", "/x/new.o", "-fuse-ld=lld", "-lm",
                                            "/x/runtime.a", "-o", "/x/out"));
}

} // namespace
} // namespace faultline::compiler
