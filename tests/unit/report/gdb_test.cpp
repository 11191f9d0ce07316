// The script for gdb: whatever the program holds, it is one line of a comment or of an echo. That it stops
// where it should is shown with gdb itself, in tests/cli/gdb_test.cpp.
#include "report/gdb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string scriptOf(const finding::ChainStep& step, const std::string& message = "It failed") {
  finding::Explanation e;
  e.program = {.path = "/x/prog", .argv = {"./prog", "a b"}, .cwd = "/x"};
  e.failure = finding::FailureInfo{.message = message};
  e.suspects = {{.place = step.place, .reason = message, .chain = {step}}};
  SourceFiles files;
  return renderGdb(e, files, {.workingDirectory = "/x"});
}

TEST(GdbScript, StopsAtTheExecutionMeant) {
  finding::ChainStep step{{"/x/a.c", 7, 1, "f"}, "n = 3"};
  step.hitsBefore = 4, step.isExact = true;
  EXPECT_THAT(scriptOf(step), AllOf(HasSubstr("tbreak -source \"a.c\" -line 7\nignore $bpnum 4\n"),
                                    HasSubstr("line done: n = 3\\n"), HasSubstr("  output n\n"),
                                    HasSubstr("set args 'a b'\n"), Not(HasSubstr("Not exact"))));
}

TEST(GdbScript, SaysWhereTheCountIsNotExactOrNotKnown) {
  finding::ChainStep step{{"/x/a.c", 7, 1, "f"}, "n = 3"};
  EXPECT_THAT(scriptOf(step), AllOf(HasSubstr("is not known"), Not(HasSubstr("ignore"))));
  step.hitsBefore = 1;
  EXPECT_THAT(scriptOf(step), HasSubstr("Not exact"));
}

TEST(GdbScript, ExpressionsThatWouldCallSomethingAreNotPrinted) {
  for (const char* text : {"f() = 3", "i++ = 3", "n is true", "a = b = 3; shell rm = 1", "*p-- = 4"}) {
    std::string script = scriptOf({{"/x/a.c", 7, 1, "f"}, text});
    EXPECT_TRUE(script.find("output ") == std::string::npos || std::string(text).starts_with("a = "))
        << script;
  }
  EXPECT_THAT(scriptOf({{"/x/a.c", 7, 1, "f"}, "list->head.next = NULL"}),
              HasSubstr("output list->head.next\n"));
}

TEST(GdbScript, TextOfTheProgramIsNoCommand) {
  std::string script = scriptOf({{"/x/a\"b.c", 7, 1, "f"}, "s = \"\nshell touch /tmp/owned\n\\n\""},
                                "bad\nshell touch /tmp/owned");
  EXPECT_THAT(script, AllOf(Not(HasSubstr("\nshell")), HasSubstr("-source \"a\\\"b.c\"")));
}

} // namespace
} // namespace faultline::report
