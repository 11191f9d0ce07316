// faultline: one program, a subcommand per question.
#include "cli/context.h"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace {

constexpr const char* kExamples = R"(
A first session:
  CC=faultline-cc CXX=faultline-c++ make      build as usual; the program runs as usual
  faultline record -o run.flr -- ./prog args  record the failing run
  faultline verify run.flr                    prove that it replays exactly
  faultline show run.flr                      where it failed, who called, what the variables held

Exit status: 0 answered, 1 the call or the machine is at fault, 2 the run did not fail, 3 no answer found.)";

// A standard stream that is closed would become the first file that we open, and what is printed would go
// there. Whatever we start still finds it closed.
void occupyStandardStreams() {
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR | O_CLOEXEC) != stream) _exit(1);
}

// Letters that have to be put in, left out or changed.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t k = 0; k <= b.size(); ++k) row[k] = k;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t before = row[0];
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t other = before + (a[i - 1] != b[k - 1]);
      before = row[k];
      row[k] = std::min({other, row[k] + 1, row[k - 1] + 1});
    }
  }
  return row.back();
}

// "; did you mean --expect?", if one of them is meant.
std::string meant(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kFurthest = 3;
  std::string best;
  size_t least = kFurthest;
  for (const std::string& name : known)
    if (size_t far = distance(word, name); far < least) least = far, best = name;
  return best.empty() ? "" : fmt::format("; did you mean {}?", best);
}

std::vector<std::string> optionsOf(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> subcommandsOf(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

// What CLI11 did not expect is all that comes behind the option that there is none of.
std::string unexpected(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App& command = app.get_subcommands().empty() ? app : *app.get_subcommands().front();
  for (int k = 1; k < argc && std::string_view(argv[k]) != "--"; ++k) {
    const std::string name = std::string(argv[k]).substr(0, std::string_view(argv[k]).find('='));
    if (name.starts_with("--") && !command.get_option_no_throw(name) && !app.get_option_no_throw(name))
      return fmt::format("there is no option {}{}", name, meant(name, optionsOf(command)));
  }
  return error.what();
}

} // namespace

int main(int argc, char** argv) {
  using namespace faultline::cli;
  occupyStandardStreams();
  CLI::App app{"Faultline explains why a C or C++ program failed."};
  app.name("faultline");
  app.footer(kExamples);
  app.set_version_flag("--version", "faultline " FAULTLINE_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Context context;
  context.command.assign(argv, argv + argc);
  addExplain(app, context);
  addRecord(app, context);
  addMinimize(app, context);
  addChop(app, context);
  addOrigin(app, context);
  addShow(app, context);
  addSlice(app, context);
  addVerify(app, context);
  addInfo(app, context);
  addList(app, context);
  addRemove(app, context);
  addBuild(app, context);
  addCache(app, context);
  addCauses(app, context);
  addInvariants(app, context);
  addChanges(app, context);
  addCritical(app, context);
  addMemory(app, context);
  addVary(app, context);
  addDoctor(app, context);
  addWorker(app, context);
  try {
    std::vector<std::string> words = wordsForCli11(argc, argv);
    std::reverse(words.begin(), words.end()); // as it wants them
    app.parse(std::move(words));
  } catch (const CLI::RequiredError& e) {
    if (argc < 2 || argv[1][0] == '-' || !app.get_subcommands().empty()) return app.exit(e), kCallAtFault;
    fmt::print(stderr, "faultline: error: {} is no subcommand{}; faultline --help lists them\n", argv[1],
               meant(argv[1], subcommandsOf(app)));
    return kCallAtFault;
  } catch (const CLI::ParseError& e) {
    // CLI11's own statuses are not ours: help is an answer, all else is the call's fault.
    if (e.get_exit_code() == int(CLI::ExitCodes::Success)) return app.exit(e), kAnswered;
    fmt::print(stderr, "faultline: error: {}; --help lists the options\n", unexpected(app, e, argc, argv));
    return kCallAtFault;
  }
  return context.status;
}
