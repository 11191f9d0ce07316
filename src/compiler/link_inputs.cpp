#include "compiler/link_inputs.h"

#include "base/file.h"
#include "compiler/input_records.h"
#include "compiler/link_words.h"

#include <algorithm>
#include <filesystem>

namespace faultline::compiler {

namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

} // namespace

LinkInputs::LinkInputs(const RelinkRequest& request, std::span<const LinkRecord> links, std::string scratch)
    : request_(request), links_(links), scratch_(std::move(scratch)) {
  directoryIsThere_ = exists(links.back().cwd);
  for (const program::EmbeddedRecord& unit : request.program.units()) {
    units_.emplace(unit.hash, &unit);
    ++left_[unit.hash];
  }
  countExplicit(links.back());
}

// Two archives may hold the same member; the program has it once. What is linked in any case (objects, whole
// archives) is counted first, so that the archives share out only what is left.
void LinkInputs::countExplicit(const LinkRecord& link) {
  for (const LinkWord& word : linkWords(link)) {
    if (!word.input || (word.input->kind == "archive" && !word.wholeArchive)) continue;
    for (uint64_t hash : word.input->records) --left_[hash];
  }
}

Result<std::vector<std::string>> LinkInputs::expand(const LinkInput& input, const std::string& text,
                                                    bool wholeArchive) {
  if (input.kind == "archive") return expandArchive(input, text, wholeArchive);
  if (input.kind == "object" || input.kind == "source") return expandObject(input, text);
  FL_TRY(word, asItWas(input, text));
  return std::vector<std::string>{word};
}

// The output of `cc -r` among the inputs: its own inputs are known too, those without IR among them.
const LinkRecord* LinkInputs::partialLink(const LinkInput& input) const {
  auto partial = links_.first(links_.size() - 1);
  auto found = std::ranges::find(partial, input.path, &LinkRecord::output);
  return found == partial.end() ? nullptr : &*found;
}

Result<std::vector<std::string>> LinkInputs::expandObject(const LinkInput& input, const std::string& text) {
  std::vector<std::string> files;
  if (const LinkRecord* partial = partialLink(input)) {
    for (const LinkWord& word : linkWords(*partial)) {
      if (!word.input) continue;
      FL_TRY(more,
             expand(*word.input, word.input->path.empty() ? word.text : word.input->path, word.wholeArchive));
      files.insert(files.end(), more.begin(), more.end());
    }
    return files;
  }
  claimed_.insert(input.records.begin(), input.records.end());
  // An object whose code was all dropped by --gc-sections left no record; it may still be named by others.
  bool known = std::ranges::any_of(input.records, [&](uint64_t hash) { return canReplace(hash); });
  if (!known) {
    bool dropped = !input.records.empty() &&
                   std::ranges::none_of(input.records, [&](uint64_t hash) { return units_.contains(hash); });
    if (dropped && !exists(input.path)) return files;
    FL_TRY(word, asItWas(input, text));
    return std::vector<std::string>{word};
  }
  for (uint64_t hash : input.records) {
    if (!units_.contains(hash)) continue;
    FL_TRY(file, fileFor(hash));
    files.push_back(file);
  }
  return files;
}

Result<std::vector<std::string>> LinkInputs::expandArchive(const LinkInput& input, const std::string& text,
                                                           bool whole) {
  std::vector<std::string> files;
  for (uint64_t hash : input.records) {
    if (!canReplace(hash) || !(whole || takeFromArchive(hash))) continue;
    claimed_.insert(hash);
    FL_TRY(file, fileFor(hash));
    files.push_back(file);
  }
  if (whole && !files.empty()) {
    FL_TRY(rest, membersWithoutRecords(input));
    files.insert(files.end(), rest.begin(), rest.end());
    return files;
  }
  // Behind its members' replacements, for members without IR. Gone is fine if there was something of it.
  if (!files.empty() && !exists(input.path)) return files;
  FL_TRY(word, asItWas(input, text));
  files.push_back(word);
  return files;
}

Result<std::vector<std::string>> LinkInputs::membersWithoutRecords(const LinkInput& input) {
  std::vector<std::string> files;
  if (!exists(input.path)) return files;
  FL_TRY(members, readArchive(input.path));
  for (const ArchiveMember& member : members) {
    if (std::ranges::any_of(member.records, [&](uint64_t hash) { return canReplace(hash); })) continue;
    FL_TRY(file, writeOut(member.name, member.bytes));
    files.push_back(file);
  }
  return files;
}

// An archive that names a record has a claim only as long as the program has a copy not yet given away.
bool LinkInputs::takeFromArchive(uint64_t hash) {
  auto copies = left_.find(hash);
  if (copies == left_.end() || copies->second <= 0) return false;
  --copies->second;
  return true;
}

bool LinkInputs::canReplace(uint64_t hash) const {
  auto unit = units_.find(hash);
  if (unit == units_.end()) return false;
  return request_.replacements.contains(hash) || unit->second->kind == FL_EMBEDDED_OBJECT;
}

Result<std::string> LinkInputs::fileFor(uint64_t hash) {
  if (auto given = request_.replacements.find(hash); given != request_.replacements.end())
    return fs::absolute(given->second).string();
  if (auto done = written_.find(hash); done != written_.end()) return done->second;
  const program::EmbeddedRecord& unit = *units_.at(hash);
  if (unit.kind != FL_EMBEDDED_OBJECT)
    return errorf("there is no new object for {}, which was linked together with units that have one",
                  unit.name);
  FL_TRY(bytes, program::unpack(unit));
  FL_TRY(file, writeOut(fs::path(unit.name).stem().string() + ".o", bytes));
  written_[hash] = file;
  return file;
}

Result<std::string> LinkInputs::writeOut(const std::string& name, std::string_view bytes) {
  std::string file = scratch_ + "/" + std::to_string(files_++) + "-" + fs::path(name).filename().string();
  FL_CHECK(writeFileAtomic(file, bytes));
  return file;
}

// The word itself where the link runs in its old directory: a library's name is part of what links to it.
Result<std::string> LinkInputs::asItWas(const LinkInput& input, const std::string& text) const {
  if (input.path.empty()) return text;
  if (input.kind == "source")
    return errorf("{} was compiled and linked in one call that left no IR of it: build {} again", input.path,
                  request_.program.path());
  if (!exists(input.path))
    return errorf("{}, which was linked into {}, is gone: build the program again", input.path,
                  request_.program.path());
  bool plainWord = text.starts_with("-l") || (directoryIsThere_ && !text.starts_with('-'));
  return plainWord ? text : input.path;
}

Result<std::vector<std::string>> LinkInputs::unclaimed() {
  std::vector<std::string> files;
  for (const program::EmbeddedRecord& unit : request_.program.units()) {
    if (!canReplace(unit.hash) || !claimed_.insert(unit.hash).second) continue;
    FL_TRY(file, fileFor(unit.hash));
    files.push_back(file);
  }
  return files;
}

} // namespace faultline::compiler
