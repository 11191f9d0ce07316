// faultline build -- CMD: a build with faultline-cc and faultline-c++ as its compilers.
#include "cli/context.h"
#include "compiler/build_command.h"

namespace faultline::cli {

void addBuild(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("build", "Run a build command with our compilers in place");
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("command", *words, "The command, after --")
      ->required()
      ->transform(asWritten())
      ->type_name("CMD");
  command->footer("Example: faultline build -- make -j2\n"
                  "Its exit status is the command's own.");
  command->callback([words, &context] { context.run([&] { return compiler::runBuild(*words); }); });
}

} // namespace faultline::cli
