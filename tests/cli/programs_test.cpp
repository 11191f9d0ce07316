// Real programs, each about one hard thing (tests/programs). Of each it must hold that
//   1. built by faultline-cc it behaves as built by clang;
//   2. recorded it behaves the same, and the recording says how it ended;
//   3. the recording replays exactly;
//   4. so it does from a state that was written out at any time and read by another process;
//   5. if it fails, `show` names the place and the kind of failure;
//   6. `memory` finds the error that it has, and none if it has none.
#include "mutation/saved_states.h"
#include "support/program_case.h"
#include "support/run.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faultline::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;
using nlohmann::json;

const std::string kBin = FAULTLINE_BIN_DIR;
const std::string kPrograms = std::string(FAULTLINE_SOURCE_DIR) + "/tests/programs";

std::string endOf(const RunResult& r) {
  if (r.signal) return fmt::format("signal SIG{}", sigabbrev_np(r.signal));
  return fmt::format("exit {}", r.status);
}

std::string endOf(const json& end) {
  if (end.contains("signal")) return "signal " + end["signal"].get<std::string>();
  return fmt::format("exit {}", end.value("status", -1));
}

class Programs : public ::testing::TestWithParam<ProgramCase> {
protected:
  // Beside each other, in folders of their own, so that the program's name is the same in both.
  std::string build(const std::string& folder, const std::string& c, const std::string& cpp) {
    const ProgramCase& p = GetParam();
    std::string out = dir / folder;
    std::filesystem::create_directory(out);
    Words rest = p.flags;
    if (!p.library.empty()) {
      std::string library = out + "/libpart.so";
      compile({p.libraryIsOurs ? c : "clang-19", "-shared", "-fPIC", "-g", kPrograms + "/" + p.library, "-o",
               library});
      rest.insert(rest.end(), {library, "-Wl,-rpath," + out});
    }
    std::string program = out + "/program";
    Words words = {p.isCpp() ? cpp : c, "-g"};
    words.insert(words.end(), p.buildFlags.begin(), p.buildFlags.end());
    words.push_back(p.path);
    for (const std::string& part : p.with) words.push_back(kPrograms + "/" + part);
    words.insert(words.end(), {"-o", program});
    words.insert(words.end(), rest.begin(), rest.end());
    compile(words);
    return program;
  }

  void compile(const Words& words) {
    RunResult r = run(words);
    if (r.status != 0) throw std::runtime_error(fmt::format("{}\n{}", fmt::join(words, " "), r.err));
  }

  RunOptions world() {
    return {
        .cwd = dir.path(),
        .env = {{"FAULTLINE_TEST", "environment value"}, {"LC_ALL", "C"}, {"XDG_CACHE_HOME", dir / "cache"}},
        .input = GetParam().input,
        .timeout = std::chrono::seconds(60)};
  }

  RunResult start(Words words) {
    words.insert(words.end(), GetParam().args.begin(), GetParam().args.end());
    return run(words, world());
  }

  RunResult faultline(Words words) {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, world());
  }

  json ask(const std::string& question) {
    RunResult r = faultline({question, "--json", dir / "run.flr"});
    EXPECT_EQ(r.status, 0) << question << ": " << r.err;
    json document = json::parse(r.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << question << " printed: " << r.out << r.err;
    return document.is_object() ? document : json::object();
  }

  // Of all that was built here.
  std::vector<fir::Image> images() {
    std::vector<fir::Image> images;
    for (auto& entry : std::filesystem::recursive_directory_iterator(dir / "cache/faultline/variants")) {
      if (entry.path().extension() != ".fir") continue;
      auto image = fir::openImage(entry.path());
      if (image) images.push_back(std::move(*image));
    }
    return images;
  }

  void expectSameBehaviour(const RunResult& expected, const RunResult& seen) {
    if (GetParam().outputIsDefined) {
      EXPECT_EQ(seen.out, expected.out) << seen.err;
    }
    EXPECT_THAT(seen.err, HasSubstr(GetParam().error));
  }

  void expectFailure(const json& failure) {
    const ProgramCase& p = GetParam();
    json place = failure.value("place", json::object());
    EXPECT_EQ(failure.value("kind", ""), p.kind) << failure.dump(1);
    EXPECT_THAT(failure.value("message", ""), HasSubstr(p.message));
    EXPECT_THAT(place.value("function", ""), HasSubstr(p.failingFunction)) << failure.dump(1);
    if (!p.failingLine) return;
    EXPECT_THAT(place.value("file", ""), EndsWith(p.file)) << failure.dump(1);
    EXPECT_EQ(place.value("line", 0), *p.failingLine) << failure.dump(1);
  }

  // Long ones are followed for a while.
  void expectMemory() {
    RunResult r = faultline({"memory", "--json", "--steps", "3000000", dir / "run.flr"});
    json document = json::parse(r.out, nullptr, false);
    ASSERT_TRUE(document.is_object()) << r.out << r.err;
    json errors = document.value("errors", json::array());
    std::string first = errors.empty() ? "" : errors[0].value("kind", "");
    EXPECT_EQ(first, GetParam().memory) << errors.dump(1);
  }

  TempDir dir;
};

TEST_P(Programs, AreRecordedAndReplayedExactly) {
  const ProgramCase& p = GetParam();
  RunResult expected = start({build("clang", "clang-19", "clang++-19")});
  std::string program = build("ours", kBin + "/faultline-cc", kBin + "/faultline-c++");
  RunResult ordinary = start({program});
  if (p.ordinaryEndIsDefined) {
    ASSERT_EQ(endOf(expected), p.ends) << expected.out << expected.err;
    EXPECT_EQ(endOf(ordinary), p.ends) << ordinary.out << ordinary.err;
    expectSameBehaviour(expected, ordinary);
  }

  RunResult recorded =
      start({kBin + "/faultline", "record", "--quiet", "-o", dir / "run.flr", "--", program});
  ASSERT_EQ(recorded.status, 0) << recorded.err;
  expectSameBehaviour(expected, recorded);
  EXPECT_EQ(endOf(ask("info")["end"]), p.ends);

  RunResult verified = faultline({"verify", dir / "run.flr"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;

  EXPECT_EQ(checkSavedStates(dir / "run.flr", images(), 6), "");

  if (!p.kind.empty()) expectFailure(ask("show").value("failure", json::object()));
  expectMemory();
}

INSTANTIATE_TEST_SUITE_P(, Programs, ::testing::ValuesIn(programCases(kPrograms)),
                         [](const auto& info) { return info.param.name(); });

} // namespace

void PrintTo(const ProgramCase& program, std::ostream* out) { *out << program.file << ' ' << program.build; }

} // namespace faultline::test
