#include "cli/context.h"

#include "base/file.h"

#include <algorithm>
#include <unistd.h>

namespace faultline::cli {

ColorChoice Context::colorChoice() const {
  if (color == "always") return ColorChoice::Always;
  return color == "never" ? ColorChoice::Never : ColorChoice::Auto;
}

Log Context::log() const {
  Verbosity verbosity = quiet ? Verbosity::Quiet : verbose ? Verbosity::Verbose : Verbosity::Normal;
  return Log(stderr, Terminal::of(STDERR_FILENO, colorChoice()), verbosity);
}

Terminal Context::answerTerminal() const {
  if (output.empty()) return Terminal::of(STDOUT_FILENO, colorChoice());
  Terminal plain;
  plain.color = color == "always";
  return plain;
}

Result<void> Context::answer(const std::string& text) const {
  if (!output.empty()) return writeFileAtomic(output, text);
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0)
    return errorf("cannot write the answer to standard output: {}", strerror(errno));
  return {};
}

Result<void> Context::answer(const nlohmann::json& document) const {
  // Program text need not be UTF-8; the document must be.
  return answer(document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void Context::run(const std::function<Result<int>()>& body) {
  // Nothing of ours throws but for want of memory; a library may, on a file that is not what it should be.
  auto done = [&]() -> Result<int> {
    if (!badFormat.empty()) return Error{badFormat};
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return errorf("there is not enough memory for this");
    } catch (const std::exception& e) {
      return errorf("{}", e.what());
    }
  }();
  if (done) {
    status = *done;
    return;
  }
  Terminal terminal = Terminal::of(STDERR_FILENO, colorChoice());
  fmt::print(stderr, "faultline: {} {}\n", terminal.paint(Style::Red, "error:"), done.error().message);
  status = wasStopped ? kNoAnswer : kCallAtFault;
}

// No word that a person types begins with it.
static constexpr char kAsWritten = '\1';

std::vector<std::string> wordsForCli11(int argc, char** argv) {
  std::vector<std::string> words;
  bool isOwn = true;
  for (int k = 1; k < argc; ++k) {
    words.push_back(isOwn ? std::string(argv[k]) : kAsWritten + std::string(argv[k]));
    if (words.back() == "--") isOwn = false;
  }
  return words;
}

CLI::Validator asWritten() {
  return CLI::Validator(
      [](std::string& word) {
        if (word.starts_with(kAsWritten)) word.erase(0, 1);
        return std::string();
      },
      "");
}

namespace {

// "text, json and sarif".
std::string listed(const Formats& names) {
  std::string out = names.front();
  for (size_t k = 1; k < names.size(); ++k) out += (k + 1 == names.size() ? " and " : ", ") + names[k];
  return out;
}

void takeFormat(Context& context, const std::string& command, const Formats& formats) {
  if (context.format.empty()) return;
  if (std::find(formats.begin(), formats.end(), context.format) == formats.end())
    context.badFormat =
        fmt::format("{} has no format {}: it has {}", command, context.format, listed(formats));
  else if (context.json && context.format != "json")
    context.badFormat = fmt::format("--json and --format {}: give one of them", context.format);
  context.json |= context.format == "json";
}

} // namespace

void addCommonOptions(CLI::App& command, Context& context, const Formats& formats) {
  // A budget that was asked for is one for building, too. One that nobody asked for is not: large programs
  // would never get their variant.
  command.parse_complete_callback([&command, &context, formats] {
    CLI::Option* budget = command.get_option_no_throw("--budget");
    if (budget && budget->count() > 0) context.askedBudget = budget->as<double>();
    takeFormat(context, command.get_name(), formats);
  });
  command.add_flag("--json", context.json, "Print the answer as one JSON document: --format json");
  command.add_option("--format", context.format, "Print the answer as " + listed(formats))
      ->type_name("FORMAT");
  command.add_option("--output,-o", context.output, "Write the answer (of `record`: the recording) to FILE")
      ->type_name("FILE");
  command.add_flag("--quiet,-q", context.quiet, "No notes and no progress");
  command.add_flag("--verbose,-v", context.verbose, "Say what is being done, and all notes");
  command.add_option("--color", context.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  command.add_option("--jobs,-j", context.jobs, "How many things to do at once (default: one per core)")
      ->type_name("N");
}

} // namespace faultline::cli
