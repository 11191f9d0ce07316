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
    fmt::print(stderr, "faultline: error: {} is no subcommand; faultline --help lists them\n", argv[1]);
    return kCallAtFault;
  } catch (const CLI::ParseError& e) {
    // CLI11's own statuses are not ours: help is an answer, all else is the call's fault.
    return app.exit(e) == 0 ? kAnswered : kCallAtFault;
  }
  return context.status;
}
