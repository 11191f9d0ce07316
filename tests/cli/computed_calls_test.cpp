// What calls give that only read memory is not in the log, however often they are made: replay computes it.
#include "support/run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

const std::string kBin = FAULTLINE_BIN_DIR;

TEST(ComputedCalls, LeaveNothingInTheLog) {
  TempDir dir;
  writeFile(dir / "p.c", R"(#include <string.h>
int main(void) {
  char a[16] = "abcdefgh", b[16] = "abcdefgh";
  int n = 0;
  for (int i = 0; i < 20000; i++) b[i % 8] ^= 1, n += memcmp(a, b, 8) > 0, n += (int)strlen(b);
  return n == 0;
}
)");
  auto call = [&](std::vector<std::string> words) {
    words[0] = kBin + "/" + words[0];
    return run(words, {.cwd = dir.path(),
                       .env = {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}}});
  };
  ASSERT_EQ(call({"faultline-cc", "p.c", "-o", "p"}).status, 0);
  ASSERT_EQ(call({"faultline", "record", "-q", "-o", "run.flr", "--", "./p"}).status, 0);
  auto info = nlohmann::json::parse(call({"faultline", "info", "--json", "run.flr"}).out);
  EXPECT_LT(info["stats"]["rawBytes"], 10'000) << "40,000 calls";
  EXPECT_EQ(call({"faultline", "verify", "run.flr"}).status, 0);
}

} // namespace
} // namespace faultline::test
