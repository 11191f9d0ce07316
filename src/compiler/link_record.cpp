#include "compiler/link_record.h"

#include "compiler/elf_section.h"
#include "compiler/embed.h"
#include "compiler/input_records.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace faultline::compiler {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kVersion = 1;

bool isFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string absolute(const std::string& cwd, const std::string& path) {
  return (fs::path(cwd) / path).lexically_normal().string();
}

std::vector<std::string> libraryDirs(const CommandLine& line) {
  std::vector<std::string> dirs = line.libraryDirs;
  const char* more = std::getenv("LIBRARY_PATH");
  for (std::string_view rest = more ? more : ""; !rest.empty();) {
    size_t colon = std::min(rest.find(':'), rest.size());
    if (colon) dirs.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(rest.size(), colon + 1));
  }
  return dirs;
}

// -Bstatic and -Bdynamic, on their own or among the pieces of a -Wl, switch what a later -l may find.
bool staticAt(const LinkRecord& record, size_t arg) {
  bool only = record.fullyStatic;
  for (size_t i = 0; i < arg; ++i) {
    std::string_view word = record.argv[i];
    if (word.starts_with("-Wl,"))
      word.remove_prefix(4);
    else if (i == 0 || record.argv[i - 1] != "-Xlinker")
      continue;
    while (!word.empty()) {
      std::string_view piece = word.substr(0, word.find(','));
      if (piece == "-Bstatic" || piece == "-dn" || piece == "-non_shared" || piece == "-static") only = true;
      if (piece == "-Bdynamic" || piece == "-dy" || piece == "-call_shared") only = record.fullyStatic;
      word.remove_prefix(std::min(word.size(), piece.size() + 1));
    }
  }
  return only;
}

// The file a -l stands for, among the directories of the user; a library of the system stays a -l.
std::string resolveLibrary(const LinkRecord& record, const CommandLine& line, const Input& input) {
  bool exact = input.text.starts_with(':');
  for (const std::string& dir : libraryDirs(line)) {
    fs::path base = absolute(record.cwd, dir);
    if (exact) {
      if (isFile(base / input.text.substr(1))) return (base / input.text.substr(1)).string();
      continue;
    }
    if (!staticAt(record, input.arg) && isFile(base / ("lib" + input.text + ".so")))
      return (base / ("lib" + input.text + ".so")).string();
    if (isFile(base / ("lib" + input.text + ".a"))) return (base / ("lib" + input.text + ".a")).string();
  }
  return "";
}

// Units come in the order of the jobs; a source named twice was compiled twice.
LinkInput describeSource(const Input& input, std::vector<CompiledUnit>& units, const std::string& cwd) {
  LinkInput described{input.arg, input.width, input.piece, absolute(cwd, input.text), "source", {}};
  auto unit = std::ranges::find(units, input.text, &CompiledUnit::source);
  if (unit == units.end()) return described;
  described.records.push_back(unit->hash);
  units.erase(unit);
  return described;
}

LinkInput describeFile(const LinkRecord& record, const CommandLine& line, const Input& input) {
  LinkInput described{input.arg, input.width, input.piece, "", "other", {}};
  described.path = input.kind == InputKind::Library ? resolveLibrary(record, line, input)
                                                    : absolute(record.cwd, input.text);
  if (described.path.empty()) return described;
  compiler::LinkerInput found = inspectLinkerInput(described.path);
  described.kind = kindName(found.kind);
  described.records = std::move(found.records);
  return described;
}

json inputToJson(const LinkInput& input) {
  json records = json::array();
  for (uint64_t hash : input.records) records.push_back(hashText(hash));
  json out = {{"arg", input.arg}, {"path", input.path}, {"kind", input.kind}, {"records", records}};
  if (input.width != 1) out["width"] = input.width;
  if (input.piece >= 0) out["piece"] = input.piece;
  return out;
}

LinkInput inputFromJson(const json& in) {
  LinkInput input;
  input.arg = in.at("arg").get<size_t>();
  input.width = in.value("width", size_t{1});
  input.piece = in.value("piece", -1);
  input.path = in.at("path").get<std::string>();
  input.kind = in.at("kind").get<std::string>();
  for (const json& hash : in.at("records"))
    if (auto parsed = parseHash(hash.get<std::string>())) input.records.push_back(*parsed);
  return input;
}

bool indicesAreGood(const LinkRecord& record) {
  return std::ranges::all_of(record.inputs, [&](const LinkInput& input) {
    return input.width >= 1 && input.width <= 2 && input.arg < record.argv.size() &&
           input.width <= record.argv.size() - input.arg;
  });
}

} // namespace

LinkRecord describeLink(Language driver, const std::vector<std::string>& argv, const CommandLine& line,
                        std::span<const CompiledUnit> units) {
  LinkRecord record;
  std::error_code ignored;
  record.cwd = fs::current_path(ignored).string();
  record.driver = driver;
  record.argv = argv;
  record.output = absolute(record.cwd, line.output.empty() ? "a.out" : line.output);
  record.shared = line.shared;
  record.fullyStatic = line.fullyStatic;
  std::vector<CompiledUnit> remaining(units.begin(), units.end());
  for (const Input& input : line.inputs) {
    bool compiled = input.kind == InputKind::Source || input.kind == InputKind::Assembler;
    record.inputs.push_back(compiled ? describeSource(input, remaining, record.cwd)
                                     : describeFile(record, line, input));
  }
  return record;
}

std::string toJson(const LinkRecord& record) {
  json inputs = json::array();
  for (const LinkInput& input : record.inputs) inputs.push_back(inputToJson(input));
  json out = {{"version", kVersion},
              {"cwd", record.cwd},
              {"driver", record.driver == Language::C ? "cc" : "c++"},
              {"argv", record.argv},
              {"output", record.output},
              {"shared", record.shared},
              {"static", record.fullyStatic},
              {"inputs", inputs}};
  // File names are bytes; those that are not UTF-8 lose their odd bytes rather than the whole record.
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<LinkRecord> linkRecordFromJson(std::string_view text) {
  json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return Error{"the embedded link command is damaged: build the program again"};
  try {
    if (in.at("version").get<int>() != kVersion)
      return Error{"the program was linked by another version of Faultline: build it again"};
    LinkRecord record;
    record.cwd = in.at("cwd").get<std::string>();
    record.driver = in.at("driver").get<std::string>() == "c++" ? Language::Cxx : Language::C;
    record.argv = in.at("argv").get<std::vector<std::string>>();
    record.output = in.at("output").get<std::string>();
    record.shared = in.at("shared").get<bool>();
    record.fullyStatic = in.at("static").get<bool>();
    for (const json& input : in.at("inputs")) record.inputs.push_back(inputFromJson(input));
    if (indicesAreGood(record)) return record;
    return Error{"the embedded link command is damaged (bad index): build the program again"};
  } catch (const json::exception& failure) {
    return errorf("the embedded link command is damaged ({}): build the program again", failure.what());
  }
}

Result<void> embedLinkRecord(const LinkRecord& record) {
  FL_TRY(bytes, makeRecord(FL_EMBEDDED_LINK, record.output, toJson(record)));
  return appendToSection(record.output, FL_LINK_SECTION, bytes);
}

} // namespace faultline::compiler
