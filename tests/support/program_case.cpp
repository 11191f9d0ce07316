#include "support/program_case.h"

#include "support/run.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace fs = std::filesystem;

namespace faultline::test {
namespace {

using Words = std::vector<std::string>;

const std::map<std::string, Words> kBuilds = {
    {"O0", {}},
    {"O2", {"-O2"}},
    {"nopie", {"-fno-pie", "-no-pie"}},
    {"sections", {"-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"}},
    {"lto", {"-flto", "-O2", "-fuse-ld=lld"}},
};

Words split(const std::string& text, char separator) {
  Words words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    switch (char c = text[++i]) {
    case 'n':
      out += '\n';
      break;
    case 't':
      out += '\t';
      break;
    case 'x':
      out += char(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
      i += 2;
      break;
    default:
      out += c;
    }
  }
  return out;
}

void isUndefined(bool& flag, const std::string& value) {
  if (value != "undefined") throw std::runtime_error("only \"undefined\" can be said here, not " + value);
  flag = false;
}

using Setter = std::function<void(ProgramCase&, const std::string&)>;
const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> table = {
      {"args", [](auto& p, auto& v) { p.args = split(v, ' '); }},
      {"flags", [](auto& p, auto& v) { p.flags = split(v, ' '); }},
      {"with", [](auto& p, auto& v) { p.with = split(v, ' '); }},
      {"stdin", [](auto& p, auto& v) { p.input = unescape(v); }},
      {"ends", [](auto& p, auto& v) { p.ends = v; }},
      {"kind", [](auto& p, auto& v) { p.kind = v; }},
      {"memory", [](auto& p, auto& v) { p.memory = v; }},
      {"message", [](auto& p, auto& v) { p.message = v; }},
      {"stderr", [](auto& p, auto& v) { p.error = v; }},
      {"fails-in", [](auto& p, auto& v) { p.failingFunction = v; }},
      {"builds", [](auto& p, auto& v) { p.build = v; }},
      {"library", [](auto& p, auto& v) { p.library = v, p.libraryIsOurs = true; }},
      {"plain-library", [](auto& p, auto& v) { p.library = v; }},
      {"stdout", [](auto& p, auto& v) { isUndefined(p.outputIsDefined, v); }},
      {"ordinary-ends", [](auto& p, auto& v) { isUndefined(p.ordinaryEndIsDefined, v); }},
  };
  return table;
}

// "// word: value"
void readDirective(ProgramCase& program, const std::string& line) {
  size_t colon = std::min(line.find(": "), line.size());
  auto setter = colon > 3 ? setters().find(line.substr(3, colon - 3)) : setters().end();
  if (setter == setters().end()) throw std::runtime_error(program.path + ": unknown directive: " + line);
  setter->second(program, line.substr(std::min(colon + 2, line.size())));
}

void readMarker(ProgramCase& program, const std::string& line, int number) {
  constexpr std::string_view kMarker = "// <- fails in ";
  size_t at = line.find(kMarker);
  if (at == std::string::npos) return;
  program.failingFunction = line.substr(at + kMarker.size());
  program.failingLine = number;
}

} // namespace

std::string ProgramCase::name() const {
  std::string text = file + "_" + build;
  std::ranges::replace_if(text, [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return text;
}

std::vector<ProgramCase> parseProgram(const std::string& path, std::string_view text) {
  ProgramCase program;
  program.path = path;
  program.file = fs::path(path).filename();
  program.build = "O0";
  std::istringstream in{std::string(text)};
  enum { Text, Directives, Code } part = Text;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.starts_with("//")) part = Code;
    if (part == Directives) readDirective(program, line);
    if (part == Code) readMarker(program, line, number);
    if (part == Text && line == "//") part = Directives;
  }
  std::vector<ProgramCase> cases;
  for (const std::string& build : split(program.build, ',')) {
    auto flags = kBuilds.find(build);
    if (flags == kBuilds.end()) throw std::runtime_error(path + ": unknown build " + build);
    program.build = build;
    program.buildFlags = flags->second;
    cases.push_back(program);
  }
  return cases;
}

std::vector<ProgramCase> programCases(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".cpp") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<ProgramCase> cases;
  for (const std::string& path : paths)
    for (ProgramCase& program : parseProgram(path, readFile(path))) cases.push_back(std::move(program));
  return cases;
}

} // namespace faultline::test
