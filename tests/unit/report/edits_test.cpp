// The edit that a change is: made where the source has what the change is about, and nowhere else.
#include "report/edits.h"
#include "support/run.h"

#include <gtest/gtest.h>

namespace faultline::report {
namespace {

class Edits : public ::testing::Test {
protected:
  // Of a line, with the column of the first `at` in it. Empty: there is none.
  std::string edited(const std::string& line, const std::string& at, const std::string& from,
                     const std::string& to, const std::string& form = "operator") {
    test::writeFile(dir_ / "a.c", before_ + "\n" + line + "\n");
    SourceFiles files;
    finding::CodeChange change{.place = {dir_ / "a.c", 2, uint32_t(line.find(at)) + 1, "f"}, .form = form};
    change.from = from;
    change.to = to;
    change.isBehind = isBehind_;
    auto edit = editOf(files, change);
    if (!edit) return "";
    std::string made = line;
    made.replace(edit->column - 1, edit->length, edit->text);
    if (!edit->isNewLine) EXPECT_EQ(made, edit->line);
    return edit->isNewLine ? edit->line : made;
  }
  test::TempDir dir_;
  std::string before_; // the line before
  bool isBehind_ = false;
};

TEST_F(Edits, AreMadeAtTheColumn) {
  EXPECT_EQ(edited("  if (a <= b && c <= d)", "<= d", "<=", "<"), "  if (a <= b && c < d)");
  EXPECT_EQ(edited("  k += 2;", "+=", "+", "-"), "  k -= 2;");
  EXPECT_EQ(edited("  return low + low;", "low;", "low", "high"), "  return low + high;");
  EXPECT_EQ(edited("  return b->width;", "width", "width", "height"), "  return b->height;");
}

TEST_F(Edits, OrAtTheOnePlaceBehindIt) {
  EXPECT_EQ(edited("  x = f(x) * 32;", "=", "32", "33"), "  x = f(x) * 33;");
  EXPECT_EQ(edited("  c = 'a';", "=", "'a'", "'b'"), "  c = 'b';");
  EXPECT_EQ(edited("  f(1, 2, 1);", "f", "1", "0"), ""); // which?
}

TEST_F(Edits, AreNotMadeOfPartsOfOtherWords) {
  EXPECT_EQ(edited("  if (a << b)", "<<", "<", ">"), "");
  EXPECT_EQ(edited("  i++;", "++", "+", "-"), "");
  EXPECT_EQ(edited("  x = 132 + a2;", "=", "2", "3"), "");
  EXPECT_EQ(edited("  x = 2.5;", "=", "2", "3"), "");
  EXPECT_EQ(edited("  if (!p)", "p", "==", "!="), "");
  EXPECT_EQ(edited("  x = SIZE;", "=", "8", "9"), "");
}

TEST_F(Edits, AStatementIsPutInWithTheIndentOfTheLine) {
  EXPECT_EQ(edited("\t  putchar(c);", "putchar", "", "p->column = 0;", "inserted"), "\t  p->column = 0;");
}

TEST_F(Edits, AStatementIsPutInOnlyWhereALineOfItsOwnIsExecutedAsOften) {
  EXPECT_EQ(edited("  if (full(s)) grow(s);", "if", "", "n++;", "inserted"), "  n++;");
  EXPECT_EQ(edited("  if (full(s)) grow(s);", "grow", "", "n++;", "inserted"), "");
  EXPECT_EQ(edited("  for (k = 0; k < n; k++)", "k < n", "", "n++;", "inserted"), "");
  EXPECT_EQ(edited("  a = 1; b = 2;", "b = 2", "", "n++;", "inserted"), "");
  before_ = "  if (full(s))";
  EXPECT_EQ(edited("    grow(s);", "grow", "", "n++;", "inserted"), "");
  before_ = "  else {";
  EXPECT_EQ(edited("    grow(s);", "grow", "", "n++;", "inserted"), "    n++;");
  isBehind_ = true;
  EXPECT_EQ(edited("    grow(s);", "grow", "", "n++;", "inserted"), "    n++;");
  EXPECT_EQ(edited("    grow(s,", "grow", "", "n++;", "inserted"), "");
}

TEST_F(Edits, AStatementIsPutInThePlaceOfAnother) {
  EXPECT_EQ(edited("  at = most;", "= most", "at = most", "at = k", "replaced"), "  at = k;");
  EXPECT_EQ(edited("  if (a) at = most; else", "= most", "at = most", "at = k", "replaced"),
            "  if (a) at = k; else");
  EXPECT_EQ(edited("  at = most;", "= most", "", "at = k", "replaced"), "");
  EXPECT_EQ(edited("  drop(s);", "drop", "", "drop(s)", "moved"), "");
}

TEST_F(Edits, WithoutTheSourceThereIsNone) {
  SourceFiles files;
  finding::CodeChange change{.place = {dir_ / "gone.c", 1, 1, "f"}, .form = "operator"};
  change.from = "+";
  change.to = "-";
  EXPECT_FALSE(editOf(files, change));
}

} // namespace
} // namespace faultline::report
