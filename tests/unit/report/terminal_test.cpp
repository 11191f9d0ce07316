#include "report/terminal.h"

#include "base/file.h"

#include <fstream>
#include <gmock/gmock.h>

namespace faultline::report {
namespace {

using ::testing::HasSubstr;

class Report : public ::testing::Test {
protected:
  Report() : file_(std::move(*TemporaryFile::create(".c"))) {
    std::ofstream(file_.path()) << "#include \"list.h\"\n"
                                   "int sum(struct node *n) {\n"
                                   "\tint s = 0;\n"
                                   "\ts += n->value; /* gr\xc3\xbc\xc3\x9f\x01 */\n"
                                   "\treturn s;\n"
                                   "}\n";
    screen_.workingDirectory = file_.path().parent_path();
    name_ = file_.path().filename();
  }
  finding::Place place(uint32_t line, uint32_t column) { return {file_.path(), line, column, "sum"}; }
  TemporaryFile file_;
  std::string name_;
  SourceFiles files_;
  Screen screen_;
};

TEST_F(Report, ExcerptPointsAtTheColumn) {
  EXPECT_EQ(excerpt(files_, place(4, 10), screen_, {.values = {{"n", "struct node *", "NULL"}}}),
            "     2 | int sum(struct node *n) {\n"
            "     3 |         int s = 0;\n"
            ">    4 |         s += n->value; /* gr??? */\n"
            "       |                 ^  n = NULL\n"
            "     5 |         return s;\n");
}

TEST_F(Report, UnicodeOnlyWhereTheLocaleHasIt) {
  screen_.unicode = true;
  EXPECT_THAT(excerpt(files_, place(4, 0), screen_, {}), HasSubstr("gr\xc3\xbc\xc3\x9f?"));
  EXPECT_THAT(excerpt(files_, place(4, 0), screen_, {}), ::testing::Not(HasSubstr("^")));
}

TEST_F(Report, MissingSourcesAreTolerated) {
  EXPECT_EQ(excerpt(files_, {"/does/not/exist.c", 1, 1, ""}, screen_, {}), "");
  EXPECT_EQ(excerpt(files_, place(99, 1), screen_, {}), "");
  EXPECT_EQ(excerpt(files_, {"/", 1, 1, ""}, screen_, {}), "");
}

TEST_F(Report, LongLinesAreCutAroundTheCaret) {
  std::ofstream(file_.path()) << std::string(300, 'a') << "X" << std::string(300, 'b') << "\n";
  std::string text = excerpt(files_, place(1, 301), screen_, {});
  size_t line = text.find('\n');
  EXPECT_LE(line, 80u);
  size_t caret = text.find('^') - line - 1;
  EXPECT_EQ(text[caret], 'X');
}

TEST_F(Report, ShowSaysItAllInOneScreen) {
  finding::StopReport report;
  report.failure =
      finding::FailureInfo{.kind = "crash",
                           .signal = 11,
                           .message = "Segmentation fault: read of 0x0 (n->value, where n is NULL)",
                           .place = place(4, 10),
                           .calledFrom = {},
                           .criterion = finding::CriterionInfo{.name = "&n->s", .text = "0x0"}};
  finding::StackFrame inner{.number = 0,
                            .place = place(4, 10),
                            .arguments = {{"n", "struct node *", "NULL"}},
                            .variables = {{"s", "int", "0"}}};
  finding::StackFrame outer{.number = 1, .place = {file_.path(), 50, 3, "main"}};
  report.stack = {inner, outer};
  report.depth = 2;
  report.caveats = {"the run was cut off"};
  std::string text = renderStop(report, files_, screen_);
  EXPECT_EQ(text, "Segmentation fault: read of 0x0 (n->value, where n is NULL) in sum() at\n  " + name_ +
                      ":4:10\n"
                      "\n"
                      "     2 | int sum(struct node *n) {\n"
                      "     3 |         int s = 0;\n"
                      ">    4 |         s += n->value; /* gr??? */\n"
                      "       |                 ^  n = NULL\n"
                      "     5 |         return s;\n"
                      "\n"
                      "Call stack\n"
                      "  #0  sum (n=NULL) at " +
                      name_ +
                      ":4\n"
                      "  #1  main () at " +
                      name_ +
                      ":50\n"
                      "\n"
                      "Variables of sum()\n"
                      "    n = NULL  (struct node *)\n"
                      "    s = 0  (int)\n"
                      "\n"
                      "note: the run was cut off\n");
}

TEST_F(Report, NoLineIsWiderThanTheScreen) {
  finding::StopReport report;
  for (size_t k = 0; k < 3000; k += k < 60 ? 1 : 100) {
    finding::StackFrame frame{
        .number = k,
        .place = {"/usr/include/c++/12/bits/stl_vector.h", 1046, 3, "std::vector<std::string>::operator[]"}};
    frame.arguments = {{"this", "t", "(std::vector<std::string> *) 0x7fffffffe000"},
                       {"text", "t", "\"" + std::string(70, 'x') + "\""}};
    frame.variables = {{"long", "std::map<int, int>",
                        std::string("word ") + std::string(60, 'y') + " and more words to come after it"}};
    report.stack.push_back(frame);
  }
  report.depth = 3000;
  std::string text = renderStop(report, files_, screen_, {.allFrames = true});
  EXPECT_THAT(text, HasSubstr("frames between"));
  EXPECT_THAT(text, HasSubstr("this=0x7fffffffe000"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(screenWidth(line), 80u) << line;
}

TEST_F(Report, OfALongNameTheTemplateArgumentsAreLeftOut) {
  finding::StopReport report;
  std::string map = "store::Map<store::Key<long, unsigned>, std::vector<store::Value>>";
  for (const std::string& member : {"::operator<<<store::Out>", "::Node<int>::Node", "::operator->"}) {
    finding::StackFrame frame{.number = report.stack.size(), .place = {"/src/map.h", 10, 3, map + member}};
    frame.arguments = {{"this", "t", "nullptr"}};
    report.stack.push_back(frame);
  }
  report.depth = 3;
  std::string text = renderStop(report, files_, screen_, {});
  EXPECT_THAT(text, HasSubstr("#1  store::Map<...>::Node<...>::Node (this=nullptr) at /src/map.h:10\n"));
  EXPECT_THAT(text, HasSubstr("#2  store::Map<...>::operator-> (this=nullptr) at /src/map.h:10\n"));
}

TEST_F(Report, InfoAndVerify) {
  finding::RecordingInfo info;
  info.path = "a.flt";
  info.program.argv = {"./a.out", "a b"};
  info.outcome = "Segmentation fault";
  info.failed = true;
  info.seconds = 1.5;
  info.records = 12345;
  EXPECT_THAT(renderInfo(info, screen_), HasSubstr("  command      ./a.out 'a b'\n"));
  EXPECT_THAT(renderInfo(info, screen_), HasSubstr("  records      12,345\n"));
  finding::VerifyReport verify;
  verify.isSame = true;
  verify.checked = {"memory", "failure"};
  verify.instructions = 50'000'000;
  verify.seconds = 0.5;
  EXPECT_EQ(renderVerify(verify, files_, screen_), "The replay is exact: 50,000,000 instructions in 500 ms, "
                                                   "100 million a second\n  same memory\n  same failure\n");
  verify.isSame = false;
  verify.difference = "page 0x7000 differs";
  verify.instance = "12:4";
  verify.place = place(4, 10);
  EXPECT_THAT(renderVerify(verify, files_, screen_),
              HasSubstr("page 0x7000 differs at instance 12:4, sum() at"));
}

TEST(Wrapping, BreaksAtBlanks) {
  EXPECT_EQ(wrapped("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(wrapped("", 8, 2), "");
  EXPECT_EQ(wrapped("    a = bcd", 20, 6), "    a = bcd");
  EXPECT_EQ(wrapped("abcdefghijklmnopqrstuv", 12, 2), "abcdefghijkl\n  mnopqrstuv");
  EXPECT_EQ(cutTo("abcdefgh", 6), "abc...");
  EXPECT_EQ(cutTo("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4), "\xc3\xbc...");
}

} // namespace
} // namespace faultline::report
