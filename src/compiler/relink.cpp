#include "compiler/relink.h"

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "compiler/job_runner.h"
#include "compiler/link_inputs.h"
#include "compiler/link_record.h"
#include "compiler/link_words.h"
#include "compiler/toolchain.h"

#include <algorithm>
#include <filesystem>

namespace faultline::compiler {

namespace {

namespace fs = std::filesystem;

// Above this the words go into a response file: one exec takes 2 MB at most, one word 128 KB.
constexpr size_t kLongestCommand = 100'000;

std::string absolutePath(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

Result<std::vector<LinkRecord>> linkRecords(const program::EmbeddedProgram& program) {
  std::vector<LinkRecord> records;
  for (const program::EmbeddedRecord& record : program.links()) {
    FL_TRY(json, program::unpack(record));
    FL_TRY(link, linkRecordFromJson(json));
    records.push_back(std::move(link));
  }
  if (records.empty())
    return errorf("{} carries IR but no link command, so it was not linked by faultline-cc: link it with "
                  "CC=faultline-cc instead of calling ld",
                  program.path());
  return records;
}

// The word as it stands where a shared library of ours is linked too; empty: it goes.
std::string besideRuntime(const std::string& word) {
  if (word == "-static" || word == "--static") return "-no-pie";
  if (word == "-static-pie") return "-pie";
  constexpr std::string_view kSanitize = "-fsanitize=";
  if (!word.starts_with(kSanitize)) return word;
  constexpr std::string_view kAlone[] = {"address",   "memory",   "thread",    "leak",
                                         "hwaddress", "dataflow", "safe-stack"};
  std::string kept;
  for (size_t from = kSanitize.size(); from < word.size();) {
    size_t comma = std::min(word.find(',', from), word.size());
    std::string name = word.substr(from, comma - from);
    if (std::ranges::find(kAlone, name) == std::end(kAlone)) kept += (kept.empty() ? "" : ",") + name;
    from = comma + 1;
  }
  return kept.empty() ? "" : std::string(kSanitize) + kept;
}

// Words and inputs of the link, in order, through to the caller's words.
Result<std::vector<std::string>> rewrittenWords(const RelinkRequest& request, const LinkRecord& link,
                                                LinkInputs& inputs) {
  std::vector<std::string> words;
  for (const LinkWord& word : linkWords(link)) {
    if (!word.input) {
      std::string text = request.loadsRuntime ? besideRuntime(word.text) : word.text;
      if (!text.empty()) words.push_back(std::move(text));
      continue;
    }
    FL_TRY(files, inputs.expand(*word.input, word.text, word.wholeArchive));
    words.insert(words.end(), files.begin(), files.end());
  }
  FL_TRY(unclaimed, inputs.unclaimed());
  words.insert(words.end(), unclaimed.begin(), unclaimed.end());
  words.insert(words.end(), request.extra.begin(), request.extra.end());
  return words;
}

// The file moves, so $ORIGIN no longer means where its libraries are.
void fixOrigin(std::vector<std::string>& words, const std::string& program) {
  std::string directory = fs::path(absolutePath(program)).parent_path().string();
  for (std::string& word : words)
    for (std::string_view name : {"${ORIGIN}", "$ORIGIN"})
      for (size_t at; (at = word.find(name)) != std::string::npos;) word.replace(at, name.size(), directory);
}

std::string forResponseFile(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += '"';
    for (char c : word) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += "\"\n";
  }
  return text;
}

Result<std::vector<std::string>> shortened(std::vector<std::string> words, const std::string& scratch) {
  size_t size = 0;
  for (const std::string& word : words) size += word.size() + 1;
  if (size < kLongestCommand) return words;
  std::string file = scratch + "/link.rsp";
  FL_CHECK(writeFileAtomic(file, forResponseFile(words)));
  return std::vector<std::string>{"@" + file};
}

Result<std::string> directoryOfLink(const RelinkRequest& request) {
  FL_TRY(links, linkRecords(request.program));
  std::error_code ignored;
  std::string cwd = links.back().cwd;
  return fs::is_directory(cwd, ignored) ? cwd : std::string("/");
}

} // namespace

Result<std::vector<std::string>> relinkCommand(const RelinkRequest& request, const std::string& scratch) {
  FL_TRY(links, linkRecords(request.program));
  const LinkRecord& link = links.back();
  LinkInputs inputs(request, links, scratch);
  FL_TRY(words, rewrittenWords(request, link, inputs));
  fixOrigin(words, request.program.path());
  // Compile options stay on the line: some of them choose libraries (-fsanitize, -pthread, -stdlib).
  std::vector<std::string> command = clangFor(link.driver);
  command.push_back("-Qunused-arguments");
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"-o", absolutePath(request.output)});
  return command;
}

Result<void> relink(const RelinkRequest& request) {
  FL_TRY(scratch, ScratchDir::create());
  FL_TRY(command, relinkCommand(request, scratch.path()));
  FL_TRY(directory, directoryOfLink(request));
  std::vector<std::string> words(command.begin() + 1, command.end());
  FL_TRY(few, shortened(std::move(words), scratch.path()));
  few.insert(few.begin(), command.front());
  FL_TRY(outcome, runCommand({.argv = few, .directory = directory}));
  if (outcome.ok()) return {};
  return errorf("linking {} again failed; the command was\n  cd {} && {}\nand the linker said\n{}",
                request.program.path(), shellWord(directory), shellCommand(command), outcome.err);
}

} // namespace faultline::compiler
