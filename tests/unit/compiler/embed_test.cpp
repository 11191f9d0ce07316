#include "compiler/elf_section.h"
#include "compiler/embed.h"
#include "program/embedded_reader.h"
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::compiler {
namespace {

using test::run;
using ::testing::HasSubstr;

TEST(Embed, ARecordReadsBackAsItWasMade) {
  std::string payload(100'000, 'p');
  auto record = makeRecord(FL_EMBEDDED_BITCODE, "dir/a.c", payload);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->size() % 16, 0u);
  EXPECT_LT(record->size(), payload.size() / 10);
  auto read = program::splitRecords(*record);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at(0).name, "dir/a.c");
  EXPECT_EQ(read->at(0).hash, recordHash(payload));
  EXPECT_EQ(*program::unpack(read->at(0)), payload);
}

TEST(Embed, HashesReadBackFromText) {
  EXPECT_EQ(parseHash(hashText(0x12ab)), 0x12abu);
  EXPECT_EQ(hashText(0x12ab), "00000000000012ab");
  EXPECT_FALSE(parseHash(""));
  EXPECT_FALSE(parseHash("12g"));
}

TEST(Embed, AssemblyCarriesTheSameRecord) {
  test::TempDir dir;
  auto record = makeRecord(FL_EMBEDDED_BITCODE, "a.c", "payload of some length");
  std::string assembly = recordAssembly(*record);
  EXPECT_EQ(hashInAssembly(assembly), recordHash("payload of some length"));
  EXPECT_FALSE(hashInAssembly(".text\n"));
  test::writeFile(dir / "a.s", ".text\nf: ret\n" + assembly + "g: ret\n");
  ASSERT_EQ(run({"clang-19", "-c", dir / "a.s", "-o", dir / "a.o"}).status, 0);
  std::string object = test::readFile(dir / "a.o");
  auto read = program::irRecords(object);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(*program::unpack(read->at(0)), "payload of some length");
}

class ElfSectionTest : public ::testing::Test {
protected:
  void compile(const std::string& source, const std::vector<std::string>& options = {}) {
    test::writeFile(dir / "a.c", source);
    std::vector<std::string> argv = {"clang-19", "-c", dir / "a.c", "-o", dir / "a.o"};
    argv.insert(argv.end(), options.begin(), options.end());
    ASSERT_EQ(run(argv).status, 0);
  }
  std::string disassembly() { return run({"objdump", "-drst", "-j", ".text", dir / "a.o"}).out; }

  test::TempDir dir;
};

TEST_F(ElfSectionTest, LeavesTheCodeAsItWasAndLinks) {
  compile("#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }");
  std::string before = disassembly();
  ASSERT_TRUE(appendToSection(dir / "a.o", ".mine", "0123456789abcdef"));
  EXPECT_EQ(disassembly(), before);
  EXPECT_THAT(run({"readelf", "-p", ".mine", dir / "a.o"}).out, HasSubstr("0123456789abcdef"));
  EXPECT_EQ(run({"readelf", "-aW", dir / "a.o"}).err, "");
  for (std::string linker : {"bfd", "lld", "gold"}) {
    ASSERT_EQ(run({"clang-19", "-fuse-ld=" + linker, dir / "a.o", "-o", dir / linker}).status, 0) << linker;
    EXPECT_EQ(run({dir / linker}).out, "ran\n");
    EXPECT_THAT(run({"readelf", "-p", ".mine", dir / linker}).out, HasSubstr("0123456789abcdef")) << linker;
  }
}

TEST_F(ElfSectionTest, ASecondCallAppendsToTheSection) {
  compile("int x;");
  ASSERT_TRUE(appendToSection(dir / "a.o", ".mine", "first 16 bytes.."));
  ASSERT_TRUE(appendToSection(dir / "a.o", ".mine", "second"));
  std::string bytes = test::readFile(dir / "a.o");
  auto elf = program::readElf(bytes);
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->find(".mine")->contents, "first 16 bytes..second");
}

TEST_F(ElfSectionTest, ASectionIsReplacedOnlyIfItIsThere) {
  compile("int x;");
  ASSERT_TRUE(appendToSection(dir / "a.o", ".mine", "the first, which is longer"));
  ASSERT_TRUE(replaceSection(dir / "a.o", ".mine", "second"));
  std::string bytes = test::readFile(dir / "a.o");
  auto elf = program::readElf(bytes);
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->find(".mine")->contents, "second");
  EXPECT_FALSE(replaceSection(dir / "a.o", ".other", "x"));
  EXPECT_EQ(test::readFile(dir / "a.o"), bytes);
}

TEST_F(ElfSectionTest, WorksWithMoreSectionsThanTheHeaderCanCount) {
  std::string source;
  for (int i = 0; i < 66'000; ++i) source += "int f" + std::to_string(i) + "(void){return 0;}\n";
  compile(source, {"-ffunction-sections", "-fno-asynchronous-unwind-tables", "-w"});
  auto done = appendToSection(dir / "a.o", ".mine", "many");
  ASSERT_TRUE(done) << done.error().message;
  std::string bytes = test::readFile(dir / "a.o");
  auto elf = program::readElf(bytes);
  ASSERT_TRUE(elf);
  EXPECT_GT(elf->sections.size(), 66'000u);
  EXPECT_EQ(elf->find(".mine")->contents, "many");
  EXPECT_EQ(run({"clang-19", "-shared", "-fuse-ld=lld", dir / "a.o", "-o", dir / "a.so"}).status, 0);
}

TEST_F(ElfSectionTest, RefusesWhatIsNoElfAndLeavesItAlone) {
  test::writeFile(dir / "t", "plain text");
  EXPECT_FALSE(appendToSection(dir / "t", ".mine", "x"));
  EXPECT_EQ(test::readFile(dir / "t"), "plain text");
}

} // namespace
} // namespace faultline::compiler
