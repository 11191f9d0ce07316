#include "depend/models.h"

#include <gmock/gmock.h>

namespace faultline::depend {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string errorOf(std::string_view text) {
  auto parsed = CallModels::parse(text, "my.models");
  return parsed ? "no error" : parsed.error().message;
}

TEST(Models, StandardModelsParse) {
  auto parsed = CallModels::parse(standardModelsText(), "standard");
  ASSERT_TRUE(parsed) << parsed.error().message;
  for (const char* name : {"strcpy", "read", "qsort", "__snprintf_chk", "sin", "_Znwm", "pthread_mutex_lock"})
    EXPECT_NE(parsed->find(name), nullptr) << name;
  EXPECT_EQ(parsed->find("frobnicate"), nullptr);
}

TEST(Models, LinesCommentsAndContinuations) {
  auto parsed = CallModels::parse("# a comment\n"
                                  "\n"
                                  "f(a, b): result <- a;   # the first\n"
                                  "   result <- b\n"
                                  "  # a comment of its own\n"
                                  "g, h(): noreturn\n"
                                  "k(x, ...): nothing");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->size(), 4u);
  EXPECT_EQ(parsed->find("f")->clauses.size(), 2u);
  EXPECT_TRUE(parsed->find("h")->mayNotReturn);
  EXPECT_TRUE(parsed->find("k")->isVariadic);
  EXPECT_EQ(parsed->find("k")->parameters, 1u);
}

TEST(Models, ShorthandsStandInNames) {
  auto parsed = CallModels::parse("$s = _ZN3foo\n{s}3barEv, {s}Ev(this): nothing\n");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_NE(parsed->find("_ZN3foo3barEv"), nullptr);
  EXPECT_NE(parsed->find("_ZN3fooEv"), nullptr);
  EXPECT_EQ(errorOf("{t}a(): nothing"), "my.models:1: 't' is no shorthand");
  EXPECT_EQ(errorOf("$s = a b"), "my.models:1: the end of the line expected, not 'b'");
}

TEST(Models, ErrorsNameTheLine) {
  EXPECT_EQ(errorOf("f(a): result <- a\ng(b): result < b"), "my.models:2: '<=' or '<-' expected, not '<'");
  EXPECT_EQ(errorOf("f(a): result <- c"), "my.models:1: 'c' is neither a parameter nor a function");
  EXPECT_EQ(errorOf("f(a) result <- a"), "my.models:1: ':' expected, not 'result'");
  EXPECT_EQ(errorOf("f(a): a <- a"),
            "my.models:1: what is written needs a size, as in d[n] (or it is 'result')");
  EXPECT_EQ(errorOf("\n\nf(a):\n   a[len()] <- a"), "my.models:4: an expression expected, not ')'");
  EXPECT_EQ(errorOf("f(a): result <- a\nf(b): result <- b"), "my.models:2: f has two models");
  EXPECT_EQ(errorOf("f(a, a): nothing"), "my.models:1: two parameters are called a");
  EXPECT_EQ(errorOf("f(result): nothing"), "my.models:1: 'result' cannot name a parameter");
  EXPECT_EQ(errorOf("f(a): a[1] <= world"), "my.models:1: this has no bytes to copy one by one: write '<-'");
  EXPECT_EQ(errorOf("f(a): a[] <- world"), "my.models:1: neither side has a size");
  EXPECT_EQ(errorOf("f(a): a[min(1)] <- world"), "my.models:1: min takes 2 arguments");
  EXPECT_EQ(errorOf("f(a): a[min(1,2,3)] <- world"), "my.models:1: min takes at most 2 arguments");
  EXPECT_EQ(errorOf("f(a): a[1 <- world"), "my.models:1: ']' expected, not '<'");
  EXPECT_EQ(errorOf("f(a): result <- a b"), "my.models:1: ';' or the end of the line expected, not 'b'");
  EXPECT_EQ(errorOf("f(a): result <- a + 1"), "my.models:1: ';' or the end of the line expected, not '+'");
  EXPECT_EQ(errorOf("f(a): result <- (a + 1)"),
            "my.models:1: a source is a parameter, memory as in s[n], input, world, arguments or nothing");
  EXPECT_THAT(errorOf("f(a): a[99999999999999999999] <- a"), HasSubstr("too large a number"));
  EXPECT_THAT(errorOf("f(a): a[" + std::string(1000, '(')), StartsWith("my.models:1: too deep"));
  EXPECT_THAT(errorOf("f(a): a[" + std::string(1000, '*')), StartsWith("my.models:1: too deep"));
  EXPECT_EQ(errorOf("f(len): nothing"), "my.models:1: 'len' cannot name a parameter");
  EXPECT_EQ(errorOf("f(a)"), "my.models:1: ':' expected, not the end of the line");
  EXPECT_EQ(errorOf("7"), "my.models:1: the name of a function expected, not '7'");
}

} // namespace
} // namespace faultline::depend
