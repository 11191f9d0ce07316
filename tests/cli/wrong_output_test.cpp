// Runs that end without a crash and are wrong all the same: what they print, or their status.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class WrongOutput : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(
        words,
        {.cwd = dir.path(),
         .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}}});
  }
  void build(const std::string& source, bool cpp = false) {
    std::string file = cpp ? "p.cpp" : "p.c";
    writeFile(dir / file, source);
    RunResult built =
        run({kBin + (cpp ? "/faultline-c++" : "/faultline-cc"), "-g", file, "-o", "p"}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  // The failure of one run that should have printed `expected`.
  json failure(const std::string& expected) {
    writeFile(dir / "right", expected);
    return failureWith({"--expect", "right"});
  }
  json failureWith(std::vector<std::string> options) {
    std::vector<std::string> words = {"show", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./p"});
    RunResult shown = faultline(words);
    EXPECT_EQ(shown.status, 0) << shown.out << shown.err;
    json document = json::parse(shown.out, nullptr, false);
    EXPECT_TRUE(document.contains("failure") && document["failure"].is_object()) << shown.out << shown.err;
    return document.is_object() ? document["failure"] : json();
  }
  // Which argument, by which conversion, wrote the byte on which line of the source.
  void expectOrigin(const json& f, int line, const std::string& call, int argument,
                    const std::string& conversion, const std::string& text, const std::string& name,
                    bool verified = true) {
    ASSERT_TRUE(f.contains("output")) << f;
    EXPECT_EQ(f["kind"], "wrong-output");
    EXPECT_EQ(f["place"]["line"], line) << f;
    EXPECT_EQ(f["output"].value("call", ""), call);
    EXPECT_EQ(f["output"].value("argument", -1), argument);
    EXPECT_EQ(f["output"].value("conversion", "-"), conversion);
    EXPECT_EQ(f["output"].value("text", ""), text);
    EXPECT_EQ(f["criterion"]["name"], name);
    EXPECT_EQ(f["output"]["verified"], verified);
  }

  TempDir dir;
};

TEST_F(WrongOutput, OneFieldOfSeveralInALine) {
  build(R"(#include <stdio.h>
int main(void) {
  const char *who = "Ann";
  int n = 4, sum = 17;
  double mean = sum / 4.0;
  printf("%s: ", who);
  printf("%d values, sum %5d, mean %.2f%%\n", n, sum, mean);
  return 0;
}
)");
  json f = failure("Ann: 4 values, sum    18, mean 4.25%\n");
  expectOrigin(f, 7, "printf", 3, "%5d", "   17", "sum");
  EXPECT_EQ(f["message"], "Wrong output: byte 24 of standard output (line 1) is \"7\", expected \"8\"");
  EXPECT_EQ(f["output"]["offset"], 23);
  EXPECT_EQ(f["output"]["got"], "7");
  EXPECT_EQ(f["output"]["expected"], "8");
  expectOrigin(failure("Ann: 4 values, sum    17, mean 4.35%\n"), 7, "printf", 4, "%.2f", "4.25", "mean");
  expectOrigin(failure("Ann: 4 values, sum    17; mean 4.25%\n"), 7, "printf", 1, "", ", mean ", "");
  expectOrigin(failure("Anna: 4 values, sum    17, mean 4.25%\n"), 6, "printf", 1, "", ": ", "who");
  // A number may be too short, but it has no semicolon.
  expectOrigin(failure("Ann: 42 values, sum    17, mean 4.25%\n"), 7, "printf", 1, "", " values, sum ", "n");
  expectOrigin(failure("And: 4 values, sum    17, mean 4.25%\n"), 6, "printf", 2, "%s", "Ann", "who");
}

TEST_F(WrongOutput, TheInstanceOfALoopIsTheRightOne) {
  build(R"(#include <stdio.h>
int main(void) {
  const char *s = "abcdef";
  for (int i = 0; s[i]; i++)
    putchar(i == 3 ? 'x' : s[i]);
  putchar('\n');
  return 0;
}
)");
  writeFile(dir / "right", "abcdef\n");
  json document =
      json::parse(faultline({"show", "--json", "--print", "i", "--expect", "right", "--", "./p"}).out);
  EXPECT_EQ(document["failure"]["place"]["line"], 5);
  EXPECT_EQ(document["failure"]["output"]["call"], "putchar");
  EXPECT_EQ(document["printed"][0]["text"], "3");
}

TEST_F(WrongOutput, BlocksAndPlainWrites) {
  build(R"(#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char block[8] = "1234567";
  fwrite(block, 1, 4, stdout);
  fputs("\n", stdout);
  fflush(stdout);
  memset(block, 'z', 4);
  write(1, block, 4);
  puts("");
  return 0;
}
)");
  expectOrigin(failure("1334\nzzzz\n"), 6, "fwrite", 1, "", "1234", "&block[0]");
  expectOrigin(failure("1234\nzzyz\n"), 10, "write", 2, "", "zzzz", "&block[0]");
}

TEST_F(WrongOutput, BufferedOutputMayComeAfterWhatWasWrittenLater) {
  build(R"(#include <stdio.h>
#include <unistd.h>
int main(void) {
  printf("first %d\n", 1);
  write(1, "second\n", 7);
  printf("third %d\n", 3);
  return 0;
}
)");
  expectOrigin(failure("second\nfirst 1\nthird 4\n"), 6, "printf", 2, "%d", "3", "3");
  expectOrigin(failure("seconD\nfirst 1\nthird 3\n"), 5, "write", 2, "", "second\n", "");
}

TEST_F(WrongOutput, ThroughAFunctionWithAnArgumentList) {
  build(R"(#include <stdarg.h>
#include <stdio.h>
static void vsay(FILE *to, const char *format, va_list list) { vfprintf(to, format, list); }
static void say(int level, const char *format, ...) {
  va_list list;
  va_start(list, format);
  if (level > 0) vsay(stdout, format, list);
  va_end(list);
}
int main(void) {
  int width = 3, height = 4;
  for (int i = 0; i < 3; i++) {
    say(0, "not %d\n", i);
    say(1, "%d by %d of %s, %Lg %g\n", width, height, "six", 2.5L, 1.5);
    width++;
  }
  return 0;
}
)");
  json f = failure("3 by 4 of six, 2.5 1.5\n4 by 5 of six, 2.5 1.5\n5 by 4 of six, 2.5 1.5\n");
  expectOrigin(f, 3, "vfprintf", 4, "%d", "4", "height");
  EXPECT_EQ(f["criterion"]["place"]["line"], 14);
  EXPECT_EQ(f["criterion"]["place"]["function"], "main");
  f = failure("3 by 4 of six, 2.5 1.5\n4 by 4 of six, 2.5 1.5\n5 by 4 of six, 2.5 1.6\n");
  expectOrigin(f, 3, "vfprintf", 7, "%g", "1.5", "1.5");
}

TEST_F(WrongOutput, Streams) {
  build(R"(#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
int main() {
  int n = 41;
  double x = 2.5;
  std::string name = "a name that is not short";
  std::string_view part = "part";
  std::cout << "n = " << n << ", x = " << x << std::endl;
  std::cout << std::setw(6) << n << std::hex << ' ' << n << std::dec << '\n';
  std::cout << std::fixed << x << ' ' << std::setprecision(1) << x << '\n';
  std::cout << name << '/' << part << true << std::endl;
  return 0;
}
)",
        true);
  const std::string l1 = "n = 41, x = 2.5\n", l2 = "    41 29\n", l3 = "2.500000 2.5\n",
                    l4 = "a name that is not short/part1\n";
  expectOrigin(failure("n = 42, x = 2.5\n" + l2 + l3 + l4), 10, "operator<<", 2, "", "41", "n");
  expectOrigin(failure(l1 + "    41 30\n" + l3 + l4), 11, "operator<<", 2, "", "29", "n");
  expectOrigin(failure(l1 + "    42 29\n" + l3 + l4), 11, "operator<<", 2, "", "    41", "n");
  expectOrigin(failure(l1 + l2 + "2.500000 2.6\n" + l4), 12, "operator<<", 2, "", "2.5", "x");
  json f = failure(l1 + l2 + l3 + "a name that is not short/pert1\n");
  EXPECT_EQ(f["output"]["text"], "part");
  EXPECT_EQ(f["called_from"]["line"], 13) << f;
  // What is in a std::string the library alone has written; where it was printed is found all the same.
  f = failure(l1 + l2 + l3 + "a name that is too short/part1\n");
  EXPECT_EQ(f["place"]["line"], 13);
  EXPECT_EQ(f["output"]["text"], "a name that is not short");
  EXPECT_EQ(f["criterion"]["name"], "&name");
}

TEST_F(WrongOutput, MissingOutputIsFoundAtTheEnd) {
  build(R"(#include <stdio.h>
int main(void) {
  int lines = 2;
  for (int i = 0; i < lines; i++)
    printf("line %d\n", i);
  return 0;
}
)");
  json f = failure("line 0\nline 1\nline 2\n");
  EXPECT_EQ(f["kind"], "wrong-output");
  EXPECT_EQ(f["message"], "Wrong output: standard output ends after 14 bytes (line 3), expected \"l\"");
  EXPECT_EQ(f["place"]["line"], 6) << f;
  EXPECT_EQ(f["place"]["function"], "main");
  EXPECT_FALSE(f["output"].contains("call"));
}

TEST_F(WrongOutput, ExtraOutputLeadsToItsCall) {
  build(R"(#include <stdio.h>
int main(void) {
  for (int i = 0; i <= 2; i++)
    printf("line %d\n", i);
  return 0;
}
)");
  writeFile(dir / "right", "line 0\nline 1\n");
  json document =
      json::parse(faultline({"show", "--json", "--print", "i", "--expect", "right", "--", "./p"}).out);
  EXPECT_EQ(document["failure"]["message"],
            "Wrong output: byte 15 of standard output (line 3) is \"l\", expected no more");
  EXPECT_EQ(document["failure"]["place"]["line"], 4);
  EXPECT_EQ(document["printed"][0]["text"], "2");
}

TEST_F(WrongOutput, UnseenTextIsFoundByItsSurroundings) {
  build(R"(#include <stdio.h>
#include <time.h>
int main(void) {
  char day[32];
  time_t zero = 0;
  strftime(day, sizeof day, "%Y-%m-%d", gmtime(&zero));
  printf("%d%d%d%d%d today: %s\n", 1, 2, 3, 4, 5, day); // the first six are looked at
  printf("sum: %d\n", 7);
  return 0;
}
)");
  expectOrigin(failure("12345 today: 1970-01-01\nsum: 8\n"), 8, "printf", 2, "%d", "7", "7");
  json f = failure("12345 today: 1970-01-02\nsum: 7\n");
  EXPECT_EQ(f["place"]["line"], 7);
  EXPECT_EQ(f["output"]["argument"], 7);
  EXPECT_EQ(f["output"]["verified"], false);
}

// What the library made, nobody else has looked at: neither how long it is nor what it says. One behind the
// other, their surroundings do not tell them apart.
TEST_F(WrongOutput, TextsThatTheLibraryMade) {
  build(R"(#include <cstdio>
#include <iostream>
#include <sstream>
static std::string text(int n) {
  std::ostringstream out;
  out << "a text that is too long to stand in its object " << n;
  return out.str();
}
int main() {
  std::string none, first = text(1), second = text(2);
  std::cout << none << first;
  std::cout << second << none;
  std::cout.write(second.data(), std::streamsize(second.size()));
  std::cout.flush();
  std::printf("%*d%.6s%s%s\n", 3, 7, first.c_str(), second.c_str(), none.c_str());
  std::fputs(first.c_str(), stdout);
  return 0;
}
)",
        true);
  const std::string all = "a text that is too long to stand in its object ";
  const std::string first = all + "1", second = all + "2";
  std::string right = first + second + second + "  7" + "a text" + second + "\n" + first;
  auto with = [&](size_t at, char c) {
    std::string other = right;
    other[at] = c;
    return other;
  };
  const size_t size = first.size();
  json f = failure(with(size - 1, '3'));
  EXPECT_EQ(f["place"]["line"], 11) << f;
  EXPECT_EQ(f["output"]["text"], first);
  f = failure(with(2 * size - 1, '3'));
  EXPECT_EQ(f["place"]["line"], 12) << f;
  EXPECT_EQ(f["output"]["text"], second);
  EXPECT_EQ(failure(with(3 * size - 1, '3'))["place"]["line"], 13);
  f = failure(with(3 * size + 4, 'A'));
  EXPECT_EQ(f["output"]["conversion"], "%.6s") << f;
  EXPECT_EQ(f["output"]["text"], "a text");
  f = failure(with(4 * size + 8, '3'));
  EXPECT_EQ(f["place"]["line"], 15) << f;
  EXPECT_EQ(f["output"]["argument"], 5);
  EXPECT_EQ(failure(with(5 * size + 9, '3'))["place"]["line"], 16);
}

TEST_F(WrongOutput, AWrongStatusByReturn) {
  build(R"(static int check(int n) { return n > 2; }
int main(void) {
  int bad = check(3);
  if (bad)
    return bad + 2;
  return 0;
}
)");
  json f = failureWith({"--expect-status", "1"});
  EXPECT_EQ(f["kind"], "wrong-status");
  EXPECT_EQ(f["message"], "Wrong exit status: 3, expected 1");
  EXPECT_EQ(f["place"]["function"], "main");
  EXPECT_EQ(f["criterion"]["text"], "0x3");
  f = failureWith({});
  EXPECT_EQ(f["kind"], "exit-status");
  EXPECT_EQ(f["place"]["function"], "main");
  EXPECT_EQ(faultline({"show", "--expect-status", "3", "--", "./p"}).status, 2);
}

TEST_F(WrongOutput, AWrongStatusByExit) {
  build(R"(#include <stdio.h>
#include <stdlib.h>
static void bye(void) { puts("bye"); }
static void give_up(int code) {
  exit(code);
}
int main(void) {
  atexit(bye);
  give_up(4);
}
)");
  json f = failureWith({"--expect-status", "0"});
  EXPECT_EQ(f["kind"], "wrong-status");
  EXPECT_EQ(f["place"]["line"], 5) << f;
  EXPECT_EQ(f["criterion"]["name"], "code");
  EXPECT_EQ(f["criterion"]["text"], "0x4");
}

TEST_F(WrongOutput, AnOracleDecides) {
  build(R"(#include <stdio.h>
int main(void) {
  printf("%d\n", 12);
  printf("%d\n", 7);
  return 5;
}
)");
  json f = failureWith({"--oracle", "grep -q 8 $FAULTLINE_STDOUT || { echo no 8 >&2; exit 1; }"});
  EXPECT_EQ(f["kind"], "rejected");
  EXPECT_EQ(f["message"], "The oracle rejects the run: no 8");
  f = failureWith({"--oracle", "printf '12\\n8\\n'; exit 1"});
  expectOrigin(f, 4, "printf", 2, "%d", "7", "7");
  f = failureWith({"--oracle", "printf '11\\n' > $FAULTLINE_EXPECTED; exit 1"});
  expectOrigin(f, 3, "printf", 2, "%d", "12", "12");
  EXPECT_EQ(faultline({"show", "--oracle", "test $FAULTLINE_STATUS = 5", "--", "./p"}).status, 2);
  RunResult none = faultline({"show", "--oracle", "/no/such/oracle", "--", "./p"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("no verdict"));
}

TEST_F(WrongOutput, TheRecordingKeepsWhatWasExpected) {
  build("#include <stdio.h>\nint main(void) {\n  int n = 6;\n  printf(\"%d\\n\", n + 1);\n}\n");
  writeFile(dir / "right", "8\n");
  RunResult recorded = faultline({"record", "-o", "r.flr", "--expect", "right", "--", "./p"});
  EXPECT_EQ(recorded.status, 0);
  EXPECT_EQ(recorded.out, "7\n");
  EXPECT_THAT(recorded.err, HasSubstr("Wrong output: byte 1"));
  std::filesystem::remove(dir / "right");
  RunResult shown = faultline({"show", "r.flr"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out,
              HasSubstr("Wrong output: byte 1 of standard output (line 1) is \"7\", expected \"8\""));
  EXPECT_THAT(shown.out, HasSubstr("\"7\" comes from argument 2 of printf(), n + 1 (%d)"));
  EXPECT_THAT(shown.out, HasSubstr("p.c:4"));
  EXPECT_THAT(shown.out, HasSubstr("n = 6"));
  writeFile(dir / "seven", "7\n");
  EXPECT_EQ(faultline({"show", "r.flr", "--expect", "seven"}).status, 2) << "what is said now counts";
}

TEST_F(WrongOutput, ARunThatPassedHasNoFailureToShow) {
  build("#include <stdio.h>\nint main(void) {\n  puts(\"fine\");\n  return 0;\n}\n");
  writeFile(dir / "right", "fine\n");
  RunResult shown = faultline({"show", "--expect", "right", "--", "./p"});
  EXPECT_EQ(shown.status, 2);
  EXPECT_THAT(shown.out, HasSubstr("did not fail"));
  EXPECT_EQ(faultline({"show", "--", "./p"}).status, 2);
  RunResult document = faultline({"show", "--json", "--", "./p"});
  EXPECT_EQ(document.status, 2);
  EXPECT_TRUE(json::parse(document.out)["failure"].is_null());
  EXPECT_EQ(faultline({"show", "--at", "@-1"}).status, 0);
}

TEST_F(WrongOutput, ACrashIsACrashWhateverWasExpected) {
  build("#include <stdio.h>\nint main(void) {\n  printf(\"7\\n\");\n  *(volatile int *)0 = 1;\n}\n");
  json f = failure("8\n");
  EXPECT_EQ(f["kind"], "crash");
  EXPECT_EQ(f["place"]["line"], 4);
}

} // namespace
} // namespace faultline::test
