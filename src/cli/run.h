// The part that all questions share: which run is meant. Either a program after `--`, which is recorded
// first, or a recording made before, by path, by its name in `faultline list`, or the latest one.
#pragma once

#include "cli/context.h"
#include "compiler/variant.h"
#include "recording/reader.h"
#include "recording/recorder.h"

#include <filesystem>

namespace faultline::cli {

using compiler::VariantKind;

struct RunOptions {
  std::vector<std::string> words; // PROGRAM ARGS..., or a recording
  std::string program;            // empty: the first of `words`
  std::string input;
  double timeout = 0;
  uint64_t steps = 0;                  // RecordRequest::steps
  recording::Shortened shortened = {}; // of what, if they bound a run that hangs
  std::string limit;
  std::string last;
  uint64_t seed = 0;
  bool captureOutput = false;
  size_t children = 0; // recordings of forked children to keep
  bool alters = false; // with the variant that experiments need
  bool quick = false;  // with that of its kinds which is quickly built
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
// Fills in what the variant decides: what is run, its environment, what it opens.
Result<recording::RecordRequest> requestFor(const Context& context, const compiler::Variant& variant,
                                            std::vector<std::string> env, VariantKind kind);
// NAME-1.flr, NAME-2.flr, ... where recordings go: the first that is free.
Result<std::filesystem::path> freshRecordingName(const std::string& program);
// Our own environment.
std::vector<std::string> ownEnvironment();
Result<std::filesystem::path> findProgram(const std::string& word);
// The variant of the program, with a line of progress while it is made.
Result<compiler::Variant> makeVariant(const Context& context, const std::filesystem::path& program,
                                      VariantKind kind);
// It is in the cache, and need not be made.
bool isVariantThere(const Context& context, const std::filesystem::path& program, VariantKind kind);
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
