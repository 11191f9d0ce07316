// A small program, built by the real compiler wrapper, with its record variant, to experiment with.
//
//   BuiltProgram program("int main(void) { return 3; }");
//   FreshRunner runner = program.runner();
//   EXPECT_EQ(valueOf(runner.run(program.spec())).status(), 3);
#pragma once

#include "compiler/variant.h"
#include "experiment/fresh_runner.h"
#include "support/environment.h"
#include "support/run.h"

#include <gtest/gtest.h>

namespace faultline::experiment::testing {

template <class T> T valueOf(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class BuiltProgram {
public:
  explicit BuiltProgram(const std::string& source, const std::vector<std::string>& flags = {},
                        const std::string& compiler = "faultline-cc") {
    test::ScopedVariable cache("XDG_CACHE_HOME", dir_ / "cache");
    test::writeFile(dir_ / "a.c", source);
    std::vector<std::string> words = {std::string(FAULTLINE_BIN_DIR) + "/" + compiler, "-g", "a.c", "-o",
                                      "program"};
    words.insert(words.end(), flags.begin(), flags.end());
    test::RunResult built = test::run(words, {.cwd = dir_.path()});
    if (built.status) throw std::runtime_error(built.err);
    variant_ = valueOf(compiler::recordVariant(dir_ / "program"));
  }

  FreshRunner runner(const Limits& limits = {}, const Containment& containment = {},
                     InputKind input = InputKind::File) const {
    return valueOf(
        FreshRunner::create(FreshProgram::of(variant_, dir_ / "program"), limits, containment, input));
  }
  RunSpec spec(std::vector<std::string> args = {}, std::string input = {}) const {
    args.insert(args.begin(), "./program");
    return {.argv = std::move(args),
            .env = {"PATH=/usr/bin:/bin"},
            .cwd = dir_.path(),
            .input = std::move(input)};
  }
  const test::TempDir& dir() const { return dir_; }
  const compiler::Variant& variant() const { return variant_; }

private:
  test::TempDir dir_;
  compiler::Variant variant_;
};

} // namespace faultline::experiment::testing
