#include "cli/reproduction.h"

#include "base/file.h"
#include "base/text.h"
#include "finding/paths.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace faultline::cli {

using technique::InputSet;
using technique::InputSource;

namespace {

constexpr size_t kMostShown = 2000;

// NAME.min, NAME.min.2 ...: the first that is free or has these bytes.
Result<fs::path> writeFresh(const fs::path& wished, std::string_view bytes) {
  for (int k = 1; k < 10000; ++k) {
    fs::path path = k == 1 ? wished : fs::path(fmt::format("{}.{}", wished.string(), k));
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      FL_CHECK(writeFileAtomic(path, bytes));
      return fs::absolute(path);
    }
    auto there = readFile(path);
    if (there && *there == bytes) return fs::absolute(path);
  }
  return errorf("there are too many files called {}: remove some", wished.string());
}

finding::MinimizedInput describe(const InputSource& before, const InputSource& after) {
  finding::MinimizedInput out{
      .what = after.text(), .before = before.bytes.size(), .after = after.bytes.size()};
  out.isGone = !after.isPresent;
  out.isCut = after.bytes.size() > kMostShown;
  out.text = replay::quotedBytes(std::string_view(after.bytes).substr(0, kMostShown));
  return out;
}

// In the word that names the file, another name; false: there is no such word.
bool rename(std::vector<std::string>& argv, const InputSource& file, const std::string& cwd,
            const std::string& name) {
  bool isFound = false;
  for (size_t k = 1; k < argv.size(); ++k) {
    size_t equals = argv[k].find('=');
    if (finding::absolutePath(argv[k], cwd) == file.path)
      argv[k] = name, isFound = true;
    else if (equals != std::string::npos &&
             finding::absolutePath(argv[k].substr(equals + 1), cwd) == file.path)
      argv[k] = argv[k].substr(0, equals + 1) + name, isFound = true;
  }
  return isFound;
}

std::string environmentText(const InputSet& inputs, const experiment::RunSpec& run) {
  size_t gone = 0, kept = 0;
  std::string unset, set;
  for (const InputSource& s : inputs) {
    if (s.kind != InputSource::Variable) continue;
    ++(s.isPresent ? kept : gone);
    if (s.isPresent)
      set += " " + shellWord(s.name + "=" + s.bytes);
    else
      unset += " -u " + shellWord(s.name);
  }
  if (gone + kept == 0) return "";
  return (gone > 4 ? "env -i" : "env" + unset) + set + " ";
}

} // namespace

Result<Reproduction> writeReproduction(const InputQuestion& question, const InputSet& inputs,
                                       const ReproductionFiles& files) {
  Reproduction out;
  out.run = question.spec;
  InputSet inArguments; // what stands in the command itself
  std::string cwd = fs::current_path().string();
  bool isElsewhere = cwd != question.spec.cwd || !files.folder.empty();
  std::string wished = files.first;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const InputSource& s = inputs[k];
    finding::MinimizedInput shown = describe(question.inputs[k], s);
    if (s.canBeAbsent()) {
      inArguments.push_back(s);
      out.inputs.push_back(std::move(shown));
      continue;
    }
    std::string base = s.kind == InputSource::StandardInput ? "stdin" : fs::path(s.name).filename().string();
    FL_TRY(path, writeFresh(files.folder / (wished.empty() ? base + files.suffix : wished), s.bytes));
    wished.clear();
    shown.written = path.string();
    out.inputs.push_back(std::move(shown));
    std::string word = isElsewhere ? path.string() : finding::shownPath(path.string(), cwd);
    if (s.kind == InputSource::StandardInput) {
      out.standardInput = word;
      out.run.input = s.bytes;
    } else if (!rename(out.run.argv, s, question.spec.cwd, word)) {
      out.run.files.push_back({s.path, s.bytes});
      out.caveats.push_back(
          fmt::format("{} is not named in the arguments: put {} in its place", s.name, word));
    }
  }
  out.run = applied(std::move(out.run), inArguments);
  out.command = environmentText(inputs, out.run) + shellCommand(out.run.argv);
  if (!out.standardInput.empty()) out.command += " < " + shellWord(out.standardInput);
  if (cwd != question.spec.cwd)
    out.command = fmt::format("cd {} && {}", shellWord(question.spec.cwd), out.command);
  return out;
}

} // namespace faultline::cli
