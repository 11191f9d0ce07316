// A length that became negative. What memmove does with it differs from machine to machine, and some come
// back with a part of the program overwritten; recorded, the run ends there, and the replay of it is exact.
#include "support/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string kBin = FAULTLINE_BIN_DIR;

class NegativeSize : public ::testing::TestWithParam<const char*> {
protected:
  test::TempDir dir_;
  test::RunOptions options_{.cwd = dir_.path(),
                            .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"XDG_DATA_HOME", dir_ / "data"}}};
};

TEST_P(NegativeSize, EndsTheRunWhereItIsUsed) {
  std::string source = R"(#include <stdio.h>
#include <string.h>
static int values[16], count;
static void insert(int at, int value) {
  size_t rest = (size_t)(count - at) * sizeof *values;
  MOVE;
  values[at] = value;
  count++;
}
int main(void) {
  insert(0, 3);
  insert(1, 5);
  insert(4, 7);
  printf("%d\n", values[4]);
  return 0;
}
)";
  source.replace(source.find("MOVE"), 4, GetParam());
  test::writeFile(dir_ / "program.c", source);
  ASSERT_EQ(test::run({kBin + "/faultline-cc", "-g", "program.c", "-o", "program"}, options_).status, 0);
  test::run({kBin + "/faultline", "record", "-o", "run.flr", "--", "./program"}, options_);
  auto verified = test::run({kBin + "/faultline", "verify", "run.flr"}, options_);
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  auto shown = test::run({kBin + "/faultline", "explain", "--json", "run.flr"}, options_);
  json document = json::parse(shown.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << shown.out << shown.err;
  EXPECT_EQ(document["failure"]["signal"]["number"], 11) << document["failure"].dump(1);
  EXPECT_THAT(std::string(document["failure"]["message"]), HasSubstr("of -8 bytes (rest)"));
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  ASSERT_GE(document["suspects"].size(), 2u);
  // A test of it is missing; what made it comes next.
  const json &guarded = document["suspects"][0], &made = document["suspects"][1];
  EXPECT_EQ(guarded["place"]["line"], 6) << document["suspects"].dump(1);
  EXPECT_THAT(guarded["evidence"].dump(), HasSubstr("is left here when `rest` is negative"));
  EXPECT_EQ(made["place"]["line"], 5) << document["suspects"].dump(1);
}

INSTANTIATE_TEST_SUITE_P(Each, NegativeSize,
                         ::testing::Values("memmove(&values[at + 1], &values[at], rest)",
                                           "memset(&values[at], 0, rest)"),
                         [](const auto& info) {
                           return std::string(info.param).starts_with("memmove") ? "Memmove" : "Memset";
                         });

} // namespace
} // namespace faultline::cli
