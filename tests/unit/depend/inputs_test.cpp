// Which bytes of which stream the calls of recorded programs took.
#include "depend/inputs.h"
#include "depend/scanned_input.h"

#include "unit/depend/recorded_program.h"

#include <gmock/gmock.h>

namespace faultline::depend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProgramOptions;
using testing::RecordedProgram;

Inputs inputsOf(const RecordedProgram& program, bool withInput = true) {
  replay::Replay replay = program.open();
  InputOptions options;
  options.argv = program.recording().meta().argv;
  auto input = program.recording().input();
  if (withInput && input) options.standardInput = *input;
  auto inputs = Inputs::of(replay, options);
  if (!inputs) throw std::runtime_error(inputs.error().message);
  return std::move(*inputs);
}

// "call bytes first-last at offset" for each place, calls numbered in order of time.
std::vector<std::string> places(const Inputs& inputs, std::string_view what) {
  auto found = inputs.find(what);
  if (!found) return {found.error().message};
  std::vector<std::string> out;
  for (const InputPlace& p : found->places)
    if (isPiece(p.first))
      out.push_back(fmt::format("conversion {} at {}", pieceNumber(p.first), p.offset));
    else
      out.push_back(fmt::format("{} {}+{} at {}", p.call ? "call" : "memory", p.first, p.size, p.offset));
  for (size_t k = 0; k < found->uncertain.size(); ++k) out.push_back("uncertain");
  return out;
}

TEST(Inputs, StandardInputByEveryRoad) {
  RecordedProgram program("a.c", R"(
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char line[64], word[64];
  char* long_ = 0;
  size_t room = 0;
  int n;
  if (getchar() != 'A') return 1;                      // 0
  if (!fgets(line, sizeof line, stdin)) return 2;      // 1-4
  if (scanf("%d %s", &n, word) != 2) return 3;         // 5-10
  if (getc(stdin) != '\n') return 4;                   // 11
  int c = getc(stdin);                                 // 12
  ungetc(c, stdin);
  if (getline(&long_, &room, stdin) != 6) return 5;    // 12-17
  if (fread(line, 2, 2, stdin) != 2) return 6;         // 18-21
  return getchar() != EOF;
})",
                          {.input = "Abcd\n 12 ab\nhello\nWXYZ"});
  ASSERT_EQ(program.recorded().status, 0) << program.recorded().err;
  Inputs inputs = inputsOf(program);
  EXPECT_THAT(places(inputs, "stdin:0"), ElementsAre("call 0+1 at 0"));
  EXPECT_THAT(places(inputs, "stdin:3-3"), ElementsAre("call 2+1 at 3"));
  EXPECT_THAT(places(inputs, "stdin:9-12"),
              ElementsAre("call 4+2 at 9", "conversion 1 at 9", "call 0+1 at 11", "call 0+1 at 12",
                          "call 0+1 at 12"));
  EXPECT_THAT(places(inputs, "stdin:7"), ElementsAre("call 2+1 at 7", "conversion 0 at 5"));
  EXPECT_THAT(places(inputs, "stdin:8"), ElementsAre("call 3+1 at 8")) << "a blank between two conversions";
  EXPECT_THAT(places(inputs, "stdin:17-19"), ElementsAre("call 5+1 at 17", "call 0+2 at 18"));
  EXPECT_THAT(places(inputs, "stdin:22-30"), IsEmpty());
  EXPECT_THAT(places(inputs, "stdin:5-x")[0], HasSubstr("read nothing called"));
  EXPECT_THAT(places(inputs, "stdin:5-2")[0], HasSubstr("no range"));
  EXPECT_EQ(inputs.calls(), 8u) << "the end of the input is found by a call as well";
  Inputs without = inputsOf(program, false);
  EXPECT_THAT(places(without, "stdin:19"), Contains("uncertain")) << "scanf took nobody knows how much";
}

TEST(Inputs, FilesDescriptorsAndPositions) {
  RecordedProgram program(
      "a.c", R"(
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  char b[16];
  int fd = open("data.txt", O_RDONLY), other = dup(fd);
  if (read(fd, b, 4) != 4) return 1;      // 0-3
  if (read(other, b, 2) != 2) return 2;   // 4-5
  if (lseek(fd, 10, SEEK_SET) != 10) return 3;
  if (read(other, b, 3) != 3) return 4;   // 10-12
  if (pread(fd, b, 2, 20) != 2) return 5; // 20-21
  FILE* f = fopen("./more.txt", "r");
  if (fgetc(f) != 'm') return 6;          // 0
  fseek(f, 5, SEEK_SET);
  if (fgetc(f) < 0) return 7;             // 5
  fseek(f, -1, SEEK_END);
  if (fgetc(f) < 0) return 8;             // not known
  if (ftell(f) != 12) return 9;
  rewind(f);
  return fread(b, 1, 3, f) != 3;          // 0-2
})",
      {.files = {{"data.txt", "0123456789abcdefghijklmnop"}, {"more.txt", "more of this"}}});
  ASSERT_EQ(program.recorded().status, 0) << program.recorded().err;
  Inputs inputs = inputsOf(program);
  EXPECT_THAT(places(inputs, "data.txt"),
              ElementsAre("call 0+4 at 0", "call 0+2 at 4", "call 0+3 at 10", "call 0+2 at 20"));
  EXPECT_THAT(places(inputs, "data.txt:3-4"), ElementsAre("call 3+1 at 3", "call 0+1 at 4"));
  EXPECT_THAT(places(inputs, "more.txt"),
              ElementsAre("call 0+1 at 0", "call 0+1 at 5", "call 0+3 at 0", "uncertain"));
  EXPECT_THAT(places(inputs, "nothing.txt")[0], HasSubstr("data.txt"));
}

TEST(Inputs, MappedFilesPipesAndTwoReadersOfOneDescriptor) {
  RecordedProgram program("a.c", R"(
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
  char b[8];
  int fd = open("data.txt", O_RDONLY), ends[2];
  const char* p = mmap(0, 6, PROT_READ, MAP_PRIVATE, fd, 0);
  FILE* f = fdopen(fd, "r");
  if (p[2] != '2' || fgetc(f) != '0') return 1;
  if (read(fd, b, 1) < 0 || fgetc(f) != '1') return 2;
  if (pipe(ends) || write(ends[1], "abc", 3) != 3 || read(ends[0], b, 3) != 3) return 3;
  FILE* child = popen("echo hi", "r");
  return fgetc(child) != 'h';
})",
                          {.files = {{"data.txt", "012345"}}});
  ASSERT_EQ(program.recorded().status, 0) << program.recorded().err;
  Inputs inputs = inputsOf(program);
  EXPECT_THAT(places(inputs, "data.txt:0"),
              ElementsAre("call 0+1 at 0", "memory 0+1 at 0", "uncertain", "uncertain"))
      << "a FILE and its descriptor are both read: then nobody knows";
  EXPECT_THAT(places(inputs, "output of echo hi"), ElementsAre("call 0+1 at 0"));
}

TEST(Inputs, ArgumentsAndEnvironment) {
  RecordedProgram program("a.c", R"(
#include <stdlib.h>
#include <string.h>
int main(int argc, char** argv) {
  const char* value = getenv("FL_TEST");
  return !value || value[0] != 'f' || argc != 3 || argv[1][0] != 'x' || getenv("FL_NONE");
})",
                          {.args = {"xyz", "second"}});
  ASSERT_EQ(program.recorded().status, 0) << program.recorded().err;
  Inputs inputs = inputsOf(program);
  EXPECT_THAT(places(inputs, "env:FL_TEST"), Contains("call 0+13 at 0"));
  EXPECT_THAT(places(inputs, "argv[1]:1-2"), ElementsAre("memory 0+2 at 1"));
  EXPECT_THAT(places(inputs, "argv[2]"), ElementsAre("memory 0+7 at 0")) << "the program never looked at it";
  auto found = inputs.find("argv[2]");
  ASSERT_TRUE(found);
  auto range = inputs.inMemory(found->places[0].address + 2);
  ASSERT_TRUE(range);
  EXPECT_EQ(inputs.streams()[range->stream].text(), "argv[2]");
  EXPECT_EQ(range->offset, 2u);
}

TEST(Inputs, TheEnvironmentThroughItsPointers) {
  RecordedProgram program("a.c", R"(
#include <string.h>
extern char** environ;
int main(int argc, char** argv) {
  for (char** e = environ; *e; ++e) {
    const char* p = *e;
    unsigned sum = 0;
    if (p[0] == 'F' && p[1] == 'L' && p[2] == '_' && p[3] == 'T')
      while (*p) sum += *p++;
    if (sum) return sum == 1;
  }
  return 2;
})");
  ASSERT_EQ(program.recorded().status, 0) << program.recorded().err;
  EXPECT_THAT(places(inputsOf(program), "env:FL_TEST:0-3"), ElementsAre("memory 0+4 at 0"));
}

TEST(Inputs, Streams) {
  RecordedProgram program("a.cpp", R"(
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
int main() {
  int n;
  std::string line, word;
  std::cin >> n;                  // 0-1
  std::cin >> word;               // 2-5
  std::getline(std::cin, line);   // 6
  std::getline(std::cin, line);   // 7-11
  std::istringstream inner("5");
  inner >> n;
  std::ifstream file("data.txt");
  char b[4];
  file.read(b, 3);
  return n != 5 || line != "line" || b[0] != '0' || std::cin.get() != 'z';
})",
                          {.input = "12 abc\nline\nz", .files = {{"data.txt", "0123"}}});
  ASSERT_EQ(program.recorded().status, 0) << program.recorded().err;
  Inputs inputs = inputsOf(program);
  EXPECT_THAT(places(inputs, "stdin"), ElementsAre("call 0+2 at 0", "call 0+4 at 2", "call 0+1 at 6",
                                                   "call 0+5 at 7", "call 0+1 at 12"));
  EXPECT_THAT(places(inputs, "data.txt").size(), 1u);
}

} // namespace
} // namespace faultline::depend
