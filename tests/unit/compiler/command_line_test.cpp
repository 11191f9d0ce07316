#include "compiler/command_line.h"

#include "compiler/wrapper.h"
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::compiler {
namespace {

using ::testing::ElementsAre;

using Words = std::vector<std::string>;

CommandLine parse(const Words& words) { return parseCommandLine(words); }

TEST(CommandLine, ALinkNamesItsInputsByTheirPlace) {
  CommandLine line = parse({"-O2", "a.o", "-Lx", "-L", "y", "-l", "z", "-lm", "lib/libq.a", "-o", "prog"});
  EXPECT_EQ(line.mode, Mode::Link);
  EXPECT_EQ(line.output, "prog");
  EXPECT_THAT(line.libraryDirs, ElementsAre("x", "y"));
  ASSERT_EQ(line.inputs.size(), 4u);
  EXPECT_EQ(line.inputs[0].text, "a.o");
  EXPECT_EQ(line.inputs[0].arg, 1u);
  EXPECT_EQ(line.inputs[1].kind, InputKind::Library);
  EXPECT_EQ(line.inputs[1].text, "z");
  EXPECT_EQ(line.inputs[1].arg, 5u);
  EXPECT_EQ(line.inputs[1].width, 2u);
  EXPECT_EQ(line.inputs[2].text, "m");
  EXPECT_EQ(line.inputs[3].text, "lib/libq.a");
}

TEST(CommandLine, AnOptionsValueIsNoInput) {
  CommandLine line = parse({"-include", "x.c", "-D", "y.c", "-Xlinker", "z.o", "-MF", "w.c", "-isystem",
                            "v.c", "-mllvm", "u.c", "-c", "real.c"});
  EXPECT_EQ(line.mode, Mode::Object);
  ASSERT_EQ(line.inputs.size(), 1u);
  EXPECT_EQ(line.inputs[0].text, "real.c");
}

TEST(CommandLine, TheLanguageComesFromXOrTheSuffix) {
  CommandLine line = parse({"-x", "c", "a.txt", "-x", "none", "b.cc", "c.s", "d.o", "-c"});
  ASSERT_EQ(line.inputs.size(), 4u);
  EXPECT_EQ(line.inputs[0].kind, InputKind::Source);
  EXPECT_EQ(line.inputs[1].kind, InputKind::Source);
  EXPECT_EQ(line.inputs[2].kind, InputKind::Assembler);
  EXPECT_EQ(line.inputs[3].kind, InputKind::LinkerInput);
}

TEST(CommandLine, GccsWordsForLtoBecomeClangs) {
  EXPECT_THAT(withoutGccLto(Words{"-flto=8", "-flto-partition=none", "-fuse-linker-plugin", "-flto-report",
                                  "-flto-compression-level=9", "-c", "a.c"}),
              ElementsAre("-flto=auto", "-c", "a.c"));
  for (const Words& same :
       std::vector<Words>{{"-flto", "-flto=thin", "-flto=auto", "-flto=jobserver", "-fno-lto"},
                          {"-flto-jobs=4", "-ffat-lto-objects", "-flto=x4", "-flto="},
                          {"-o", "-flto=8", "-Xlinker", "-flto-report"},
                          {"--", "-flto=8"},
                          {"-cc1", "-flto=8"},
                          {"-o"}})
    EXPECT_EQ(withoutGccLto(same), same);
}

TEST(CommandLine, WhatMakesNoObjectGoesToClang) {
  for (const Words& words : std::vector<Words>{{"-E", "a.c"},
                                               {"-M", "a.c"},
                                               {"-MM", "a.c"},
                                               {"-fsyntax-only", "a.c"},
                                               {"--version"},
                                               {"-v"},
                                               {},
                                               {"-print-search-dirs"},
                                               {"-###", "a.c"},
                                               {"-dumpmachine"},
                                               {"-emit-llvm", "-c", "a.c"},
                                               {"-Xclang", "-ast-dump", "-c", "a.c"},
                                               {"-c", "a.m"},
                                               {"-c", "a.cu"},
                                               {"-x", "c-header", "a.h"},
                                               {"a.h"},
                                               {"-c", "a.o"},
                                               {"-lm"}})
    EXPECT_EQ(parse(words).mode, Mode::PassThrough) << ::testing::PrintToString(words);
}

TEST(CommandLine, DependencyFlagsBesideACompileAreNoReasonToPassThrough) {
  EXPECT_EQ(parse({"-MD", "-MMD", "-MP", "-MF", "a.d", "-MT", "t", "-c", "a.c"}).mode, Mode::Object);
  EXPECT_EQ(parse({"-S", "a.c"}).mode, Mode::Assembly);
  EXPECT_EQ(parse({"-c", "-S", "a.c"}).mode, Mode::Assembly);
}

TEST(CommandLine, AnArchiveInsideWlIsAnInput) {
  test::TempDir dir;
  test::writeFile(dir / "liba.a", "!<arch>\n            ");
  test::writeFile(dir / "v.map", "{ global: *; };          ");
  CommandLine line = parse({"-Wl,--whole-archive," + dir / "liba.a" + ",--no-whole-archive", "x.o",
                            "-Wl,--version-script," + dir / "v.map"});
  ASSERT_EQ(line.inputs.size(), 2u);
  EXPECT_EQ(line.inputs[0].text, dir / "liba.a");
  EXPECT_EQ(line.inputs[0].piece, 1);
  EXPECT_EQ(line.inputs[1].text, "x.o");
}

TEST(CommandLine, ResponseFilesNestAndQuote) {
  test::TempDir dir;
  test::writeFile(dir / "inner", "-DX=\"a b\" 'c d.c'");
  test::writeFile(dir / "outer", "-O2\n@" + dir / "inner" + "\n-c");
  auto words = expandResponseFiles(Words{"-g", "@" + dir / "outer", "@absent"});
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, ElementsAre("-g", "-O2", "-DX=a b", "c d.c", "-c", "@absent"));
}

TEST(CommandLine, TheWrappersNameTellsTheLanguage) {
  EXPECT_EQ(languageOfName("/usr/bin/faultline-cc"), Language::C);
  EXPECT_EQ(languageOfName("faultline-c++"), Language::Cxx);
  EXPECT_EQ(languageOfName("/g++/bin/gcc"), Language::C);
  EXPECT_EQ(languageOfName("x86_64-linux-gnu-g++"), Language::Cxx);
}

} // namespace
} // namespace faultline::compiler
