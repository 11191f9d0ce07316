#include "compiler/command_line.h"

#include "compiler/ir_tools.h"
#include "compiler/options.h"

#include <algorithm>

namespace faultline::compiler {

namespace {

class Parser {
public:
  explicit Parser(std::span<const std::string> args) : args_(args) {}

  CommandLine parse() {
    while (next_ < args_.size()) takeArgument();
    if (line_.reason.empty()) decideMode();
    if (!line_.reason.empty()) line_.mode = Mode::PassThrough;
    return std::move(line_);
  }

private:
  void takeArgument() {
    const std::string& arg = args_[next_];
    if (onlyInputs_ || arg == "-" || !arg.starts_with('-')) return takeInput(arg);
    if (arg == "--") {
      onlyInputs_ = true;
      ++next_;
    } else if (asksForSomethingElse(arg)) {
      passThrough(arg);
    } else if (takesLibrary(arg) || takesValue(arg)) {
      return;
    } else {
      takeFlag(arg);
      ++next_;
    }
  }

  void passThrough(const std::string& why) {
    if (line_.reason.empty()) line_.reason = why;
    ++next_;
  }

  // -lm, -l m, -l:libm.a
  bool takesLibrary(const std::string& arg) {
    if (!arg.starts_with("-l")) return false;
    bool separate = arg == "-l";
    if (separate && next_ + 1 >= args_.size()) return false;
    std::string name = separate ? args_[next_ + 1] : arg.substr(2);
    line_.inputs.push_back({InputKind::Library, name, next_, separate ? 2u : 1u, -1});
    next_ += separate ? 2 : 1;
    return true;
  }

  // Options whose value may be the next word. The value never is an input.
  bool takesValue(const std::string& arg) {
    for (std::string_view joined : {"-o", "-x", "-L"}) {
      if (!arg.starts_with(joined) || isLongerOption(arg, joined)) continue;
      bool separate = arg.size() == joined.size();
      std::string value = !separate ? arg.substr(2) : next_ + 1 < args_.size() ? args_[next_ + 1] : "";
      takeOwnValue(joined[1], value);
      next_ += separate ? 2 : 1;
      return true;
    }
    if (!valueIsNextWord(arg)) return false;
    if (arg == "-Xclang" && next_ + 1 < args_.size() && frontendDoesSomethingElse(args_[next_ + 1]))
      passThrough(args_[next_ + 1]), --next_;
    next_ += 2;
    return true;
  }

  // -objcmt-..., -object-file-name: these begin with -o yet are options of their own.
  static bool isLongerOption(const std::string& arg, std::string_view joined) {
    return joined == "-o" && (arg.starts_with("-obj") || arg.starts_with("-openmp"));
  }

  void takeOwnValue(char option, const std::string& value) {
    if (option == 'o') line_.output = value;
    if (option == 'L') line_.libraryDirs.push_back(value);
    if (option != 'x') return;
    forced_ = value == "none" ? "" : value;
  }

  void takeFlag(const std::string& arg) {
    if (arg == "-c" || arg == "--compile")
      wanted_ = std::min(wanted_, Mode::Object);
    else if (arg == "-S" || arg == "--assemble")
      wanted_ = Mode::Assembly;
    else if (arg == "-shared" || arg == "--shared")
      line_.shared = true;
    else if (arg == "-static" || arg == "--static" || arg == "-static-pie")
      line_.fullyStatic = true;
    else if (arg == "-v" || arg == "--verbose")
      line_.verbose = true;
    else if (arg.find("color-diagnostics") != std::string::npos || arg.starts_with("-fdiagnostics-color"))
      line_.colorGiven = true;
    else if (arg.starts_with("--library-directory="))
      line_.libraryDirs.push_back(arg.substr(20));
    else if (arg.starts_with("-Wl,"))
      takeLinkerPieces(arg);
  }

  // -Wl,--whole-archive,liba.a,--no-whole-archive: the archive is an input as any other.
  void takeLinkerPieces(const std::string& arg) {
    int piece = 0;
    for (size_t from = 4; from <= arg.size(); ++piece) {
      size_t comma = std::min(arg.find(',', from), arg.size());
      std::string word = arg.substr(from, comma - from);
      if (!word.starts_with('-') && isLinkableFile(word))
        line_.inputs.push_back({InputKind::LinkerInput, word, next_, 1, piece});
      from = comma + 1;
    }
  }

  void takeInput(const std::string& arg) {
    std::string kind = forced_.empty() ? languageOfSuffix(arg) : forced_;
    if (arg == "-") line_.readsStdin = true;
    InputKind input = InputKind::LinkerInput;
    if (isOurLanguage(kind))
      input = InputKind::Source;
    else if (kind == "assembler" || kind == "assembler-with-cpp")
      input = InputKind::Assembler;
    else if (!kind.empty())
      return passThrough("a " + kind + " input");
    line_.inputs.push_back({input, arg, next_, 1, -1});
    ++next_;
  }

  void decideMode() {
    line_.mode = wanted_;
    bool files = std::ranges::any_of(line_.inputs, [](auto& i) { return i.kind != InputKind::Library; });
    if (!files)
      line_.reason = "no input";
    else if (line_.mode != Mode::Link && !line_.hasSources())
      line_.reason = "nothing to compile";
  }

  std::span<const std::string> args_;
  size_t next_ = 0;
  bool onlyInputs_ = false;
  std::string forced_;
  Mode wanted_ = Mode::Link;
  CommandLine line_;
};

} // namespace

bool CommandLine::hasSources() const {
  return std::ranges::any_of(
      inputs, [](auto& i) { return i.kind == InputKind::Source || i.kind == InputKind::Assembler; });
}

std::vector<std::string> withoutGccLto(std::span<const std::string> args) {
  std::vector<std::string> words;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--" || arg == "-cc1") {
      words.insert(words.end(), args.begin() + static_cast<ptrdiff_t>(i), args.end());
      break;
    }
    if (isGccLtoDetail(arg)) continue;
    words.push_back(isGccLtoJobs(arg) ? "-flto=auto" : arg);
    bool hasValue = valueIsNextWord(arg) || arg == "-o" || arg == "-x" || arg == "-L" || arg == "-l";
    if (hasValue && i + 1 < args.size()) words.push_back(args[++i]);
  }
  return words;
}

CommandLine parseCommandLine(std::span<const std::string> args) { return Parser(args).parse(); }

Result<std::vector<std::string>> expandResponseFiles(std::span<const std::string> args) {
  std::vector<std::string> plain(args.begin(), args.end());
  if (std::ranges::none_of(plain, [](auto& a) { return a.starts_with('@'); })) return plain;
  FL_TRY(ir, irTools());
  return ir->expandedWords(plain);
}

} // namespace faultline::compiler
