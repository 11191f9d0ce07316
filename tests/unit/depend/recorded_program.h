// A small program, built and recorded by the real commands, ready to be replayed.
//
//   RecordedProgram program("a.c", "int main(void) { ... }", {.args = {"x"}, .input = "12\n"});
//   replay::Replay replay = program.open();
#pragma once

#include "recording/log_reader.h"
#include "recording/reader.h"
#include "replay/replay.h"
#include "support/run.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace faultline::depend::testing {

struct ProgramOptions {
  std::vector<std::string> args = {}, flags = {};
  std::string input = {};
  std::map<std::string, std::string> files = {}; // in its directory
};

class RecordedProgram {
public:
  RecordedProgram(const std::string& file, const std::string& source, const ProgramOptions& options = {}) {
    const std::string bin = FAULTLINE_BIN_DIR;
    test::writeFile(dir_ / file, source);
    for (const auto& [name, text] : options.files) test::writeFile(dir_ / name, text);
    test::RunOptions run{
        .cwd = dir_.path(),
        .env = {{"XDG_CACHE_HOME", dir_ / "cache"}, {"LC_ALL", "C"}, {"FL_TEST", "from outside"}}};
    bool isCpp = file.ends_with(".cpp");
    std::vector<std::string> words = {bin + (isCpp ? "/faultline-c++" : "/faultline-cc"), "-g", file, "-o",
                                      "program"};
    words.insert(words.end(), options.flags.begin(), options.flags.end());
    test::RunResult built = test::run(words, run);
    if (built.status) throw std::runtime_error(built.err);
    run.input = options.input;
    words = {bin + "/faultline", "record", "-o", "run.flt", "--", "./program"};
    words.insert(words.end(), options.args.begin(), options.args.end());
    recorded_ = test::run(words, run);
    if (!std::filesystem::exists(dir_ / "run.flt")) throw std::runtime_error(recorded_.err);
  }

  replay::Replay open() const {
    auto recording = valueOf(recording::Recording::open(dir_ / "run.flt"));
    std::vector<std::filesystem::path> files;
    for (auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "cache"))
      if (entry.path().extension() == ".fir" &&
          entry.path().parent_path().filename() == recording.meta().variant)
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<fir::Image> images;
    for (const auto& path : files) images.push_back(valueOf(fir::openImage(path.string())));
    replay::ReplayOptions options;
    options.endEpoch = recording.lastEpoch();
    return valueOf(replay::Replay::open(std::move(images),
                                        valueOf(recording::LogReader::open(recording.log())), options));
  }
  recording::Recording recording() const { return valueOf(recording::Recording::open(dir_ / "run.flt")); }
  const test::RunResult& recorded() const { return recorded_; }
  const std::string& directory() const { return dir_.path(); }

private:
  template <class T> static T valueOf(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }
  test::TempDir dir_;
  test::RunResult recorded_;
};

} // namespace faultline::depend::testing
