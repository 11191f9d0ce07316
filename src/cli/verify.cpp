// faultline verify: replay the whole run and compare it with what the run left behind.
#include "base/text.h"
#include "cli/open_replay.h"

#include <chrono>

namespace faultline::cli {
namespace {

std::string render(const replay::VerifyReport& report, const std::vector<std::string>& caveats,
                   double seconds, const Terminal& terminal) {
  std::string text;
  for (const std::string& problem : report.problems)
    text += fmt::format("{} {}\n", terminal.paint(Style::Red, "differs:"), problem);
  for (const std::string& caveat : caveats)
    text += fmt::format("{} {}\n", terminal.paint(Style::Yellow, "caveat:"), caveat);
  if (report.ok())
    text += fmt::format(
        "{}{}: {} instructions replayed in {}, {} records met, {}\n", terminal.paint(Style::Green, "exact"),
        report.start ? fmt::format(" from instruction {} on", withThousands(report.start)) : "",
        withThousands(report.instructions - report.start), humanDuration(seconds),
        withThousands(report.records),
        report.complete ? fmt::format("{} pages of memory equal", withThousands(report.pagesChecked))
                        : std::string("no list of pages to compare with: the program was killed"));
  else
    text += fmt::format("The replay is not exact ({} instructions replayed).\n",
                        withThousands(report.instructions));
  return text;
}

Result<int> verify(const Context& context, const RunOptions& options) {
  FL_TRY(run, openRun(context, options));
  auto start = std::chrono::steady_clock::now();
  FL_TRY(report, run.replay.verify());
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (report.instructions == 0)
    report.problems.push_back("no instruction was recorded: there is nothing to replay");
  if (context.json) {
    FL_CHECK(context.answer(nlohmann::json{{"schema", "faultline/1"},
                                           {"technique", "verify"},
                                           {"program", run.recording.meta().program},
                                           {"recording", run.path.string()},
                                           {"exact", report.ok()},
                                           {"problems", report.problems},
                                           {"caveats", run.caveats},
                                           {"stats",
                                            {{"seconds", seconds},
                                             {"instructions", report.instructions - report.start},
                                             {"start", report.start},
                                             {"executed", run.replay.executed()},
                                             {"records", report.records},
                                             {"pagesChecked", report.pagesChecked},
                                             {"pagesMismatched", report.pagesMismatched}}}}));
  } else {
    FL_CHECK(context.answer(render(report, run.caveats, seconds, context.answerTerminal())));
  }
  return report.ok() ? kAnswered : kNoAnswer;
}

} // namespace

void addVerify(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("verify", "Prove that a recording replays exactly");
  addCommonOptions(*command, context);
  auto options = std::make_shared<RunOptions>();
  addRunOptions(*command, *options);
  command->footer("Replays the whole run: every recorded value must be met, and memory must end as it did.\n"
                  "Exit status 0: exact; 3: it is not, and the first instance that differs is named.");
  command->callback([options, &context] { context.run([&] { return verify(context, *options); }); });
}

} // namespace faultline::cli
