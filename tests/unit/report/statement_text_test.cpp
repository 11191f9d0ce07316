// What stands at a column of a line, as a statement.
#include "report/statement_text.h"

#include <gtest/gtest.h>

namespace faultline::report {
namespace {

// Of the first place where `at` stands.
std::string statement(std::string_view line, std::string_view at) {
  return statementAt(line, line.find(at)).value_or("-");
}

TEST(StatementText, IsWhatEndsWithTheSemicolon) {
  EXPECT_EQ(statement("  link(c, e);", "link"), "link(c, e)");
  EXPECT_EQ(statement("  c->uses++;  // one more", "++"), "c->uses++");
  EXPECT_EQ(statement("if (c == '\\n') { lines++; flush(o); }", "flush"), "flush(o)");
  EXPECT_EQ(statement("if (c == ';') flush(o, \");\");", "flush"), "flush(o, \");\")");
  EXPECT_EQ(statement("} else if (f(a, b)) put(x[i], 3);", "put"), "put(x[i], 3)");
  EXPECT_EQ(statement("  case ':': a = b; break;", "= b"), "a = b");
}

TEST(StatementText, OfADeclarationIsTheAssignment) {
  EXPECT_EQ(statement("  const char* end = text + size;", "end"), "end = text + size");
  EXPECT_EQ(statement("  p->end = text + size;", "= text"), "p->end = text + size");
  EXPECT_EQ(statement("  for (int k = 0; k < n; k++) sum += k;", "k = 0"), "k = 0");
  EXPECT_EQ(statement("  for (int k = 0; k < n; k++) sum += k;", "++"), "k++");
}

TEST(StatementText, IsNothingWhereItGoesOn) {
  EXPECT_EQ(statement("  call(with, many,", "call"), "-");
  EXPECT_EQ(statement("  struct s a = {1, 2};", "a = {"), "-");
  EXPECT_EQ(statementAt("short", 17), std::nullopt);
}

TEST(StatementText, KnowsWhatIsDoneWheneverTheLineIs) {
  auto isFirst = [](std::string_view line, std::string_view at) { return isFirstIn(line, line.find(at)); };
  EXPECT_TRUE(isFirst("  a = f(b);", "f(b)"));
  EXPECT_TRUE(isFirst("  if (a > b) c();", "a >"));
  EXPECT_FALSE(isFirst("  if (a > b) c();", "c()"));
  EXPECT_FALSE(isFirst("  while (a > b) c();", "a >")) << "it is executed each time around";
  EXPECT_TRUE(isFirst("  format(a);", "a)")) << "it begins with a word that begins with a loop's";
  EXPECT_FALSE(isFirst("  a(); b();", "b()"));
  EXPECT_FALSE(isFirst("", ""));
}

TEST(StatementText, KnowsWhereOneEnds) {
  for (const char* ends : {"  a();", "  a(); // so", "{", "}", "  case 3:", "#if X", "", "  /* so */"})
    EXPECT_TRUE(endsStatement(ends)) << ends;
  for (const char* goesOn : {"  if (a)", "  else", "  call(a,", "  a = ';'  +"})
    EXPECT_FALSE(endsStatement(goesOn)) << goesOn;
}

} // namespace
} // namespace faultline::report
