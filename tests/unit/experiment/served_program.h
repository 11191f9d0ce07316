// A small program, built by the real compiler wrapper, with its alter variant, for a server to walk.
#pragma once

#include "compiler/variant.h"
#include "experiment/server.h"
#include "program/image.h"
#include "support/environment.h"
#include "support/run.h"

#include <gtest/gtest.h>

namespace faultline::experiment::testing {

class ServedProgram {
public:
  explicit ServedProgram(const std::string& source,
                         compiler::VariantKind kind = compiler::VariantKind::Alter) {
    test::writeFile(dir_ / "p.c", source);
    test::RunResult built = test::run(
        {std::string(FAULTLINE_BIN_DIR) + "/faultline-cc", "-g", "p.c", "-o", "p"}, {.cwd = dir_.path()});
    EXPECT_EQ(built.status, 0) << built.err;
    test::ScopedVariable cache("XDG_CACHE_HOME", (dir_ / "cache").c_str());
    auto made = compiler::recordVariant(dir_ / "p", {.jobs = 2, .kind = kind, .progress = {}});
    EXPECT_TRUE(bool(made)) << (bool(made) ? "" : made.error().message);
    if (bool(made)) executable_ = made->executable;
  }
  fir::Image image() const {
    for (auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "cache"))
      if (entry.path().extension() == ".fir")
        if (auto image = fir::openImage(entry.path().string())) return std::move(*image);
    ADD_FAILURE() << "the program has no image";
    return {};
  }
  ServerSetting setting(const std::string& input) const {
    ServerSetting out;
    out.variant = executable_;
    out.program = dir_ / "p";
    out.run = {.argv = {"./p"}, .env = {"PATH=/usr/bin:/bin"}, .cwd = dir_.path(), .input = input};
    out.limits.epochs = 100000;
    out.limits.seconds = 30;
    out.worldPid = 4711;
    out.worldClock = 1'700'000'000'000'000'000;
    return out;
  }

private:
  test::TempDir dir_;
  std::filesystem::path executable_;
};

} // namespace faultline::experiment::testing
