// The part that all questions share: which run is meant. Either a program after `--`, which is recorded
// first, or a recording made before, by path, by its name in `faultline list`, or the latest one.
#pragma once

#include "cli/context.h"
#include "recording/reader.h"
#include "recording/recorder.h"

#include <filesystem>

namespace faultline::cli {

struct RunOptions {
  std::vector<std::string> words; // PROGRAM ARGS..., or a recording
  std::string program;            // empty: the first of `words`
  std::string input;
  double timeout = 0;
  std::string limit;
  std::string last;
  uint64_t seed = 0;
  bool captureOutput = false;
  size_t children = 0; // recordings of forked children to keep
  std::string expect;  // file
  std::optional<int> expectStatus;
  std::string oracle;
};

// --program, --stdin, --timeout, --limit, --last, --seed, --capture, --children: how to run the program.
// --expect,
// --expect-status, --oracle: when it fails.
void addRunOptions(CLI::App& command, RunOptions& options);

// Where recordings go that nobody gave a name.
Result<std::filesystem::path> recordingsDirectory();

struct RecordedRun {
  std::filesystem::path path;
  recording::RecordResult result;
  double variantSeconds = 0;
};
Result<RecordedRun> recordProgram(const Context& context, const RunOptions& options, std::string output);

// The recording of this path, or of this name in `faultline list`.
std::optional<std::filesystem::path> namedRecording(const std::string& word);
// The recording that a question is about; records first if the words name a program. If then only a child of
// it failed, that one's.
Result<std::filesystem::path> recordingFor(const Context& context, const RunOptions& options);

// "killed by SIGSEGV", "exited with status 3".
std::string endText(const recording::End& end);
nlohmann::json endJson(const recording::End& end);

} // namespace faultline::cli
