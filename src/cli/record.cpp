// faultline record -- PROGRAM ARGS: run it once, keep the run.
#include "base/text.h"
#include "cli/expectation.h"

namespace faultline::cli {
namespace {

// What a shell would see of the program itself.
int shellStatus(const recording::End& end) { return end.signal() ? 128 + end.signal() : end.exitStatus(); }

// What the program wrote is in the file, and needed only if something is expected of it.
Result<replay::Verdict> verdictOnRun(const RecordedRun& run) {
  if (!run.result.meta.expectation.isGiven()) return replay::judge({run.result.end, {}, {}, {}}, {});
  FL_TRY(recording, recording::Recording::open(run.path));
  return verdictOf(recording, {});
}

std::string childCount(size_t n) { return fmt::format("{} {}", n, n == 1 ? "child" : "children"); }

// Said of children, whether they were recorded or not.
void noteChildren(const Log& log, const recording::RecordResult& result, bool recorded) {
  const recording::ChildrenResult& children = result.children;
  if (!recorded) {
    if (result.end.forks > 0)
      log.note("it forked {}, not recorded; use --children", childCount(result.end.forks));
    return;
  }
  for (const recording::ChildResult& child : children.kept)
    log.note("child {} (process {}) {}; {} recorded in {}", child.number, child.pid, endText(child.end),
             humanSize(child.fileSize), child.path.string());
  if (children.replaced > 0)
    log.note("not kept: {} that became another program (exec)", childCount(children.replaced));
  if (children.dropped > 0)
    log.note("not kept: {} that ended well; --children=N keeps more", childCount(children.dropped));
}

nlohmann::json childrenJson(const recording::ChildrenResult& children) {
  nlohmann::json list = nlohmann::json::array();
  for (const recording::ChildResult& child : children.kept)
    list.push_back({{"number", child.number},
                    {"pid", child.pid},
                    {"recording", child.path.string()},
                    {"end", endJson(child.end)},
                    {"caveats", child.end.caveats},
                    {"bytes", child.fileSize}});
  return {{"kept", std::move(list)}, {"replaced", children.replaced}, {"dropped", children.dropped}};
}

Result<int> record(Context& context, const RunOptions& options, bool passStatus) {
  std::string output = std::exchange(context.output, ""); // here it names the recording, not the answer
  FL_TRY(run, recordProgram(context, options, output));
  const recording::End& end = run.result.end;
  FL_TRY(verdict, verdictOnRun(run));
  Log log = context.log();
  for (const std::string& caveat : end.caveats) log.warn("{}", caveat);
  for (const std::string& trouble : run.result.children.trouble) log.warn("{}", trouble);
  if (context.json) {
    nlohmann::json document{{"schema", "faultline/1"},
                            {"technique", "record"},
                            {"program", run.result.meta.program},
                            {"recording", run.path.string()},
                            {"end", endJson(end)},
                            {"verdict", verdictJson(verdict)},
                            {"caveats", end.caveats},
                            {"forks", end.forks},
                            {"start", run.result.start},
                            {"children", childrenJson(run.result.children)},
                            {"stats",
                             {{"seconds", end.seconds},
                              {"variantSeconds", run.variantSeconds},
                              {"bytes", run.result.fileSize},
                              {"rawBytes", end.rawBytes},
                              {"records", end.records}}}};
    FL_CHECK(context.answer(document));
  } else {
    log.note("{} {} after {}; {} recorded in {}", options.words[0], endText(end), humanDuration(end.seconds),
             humanSize(run.result.fileSize), run.path.string());
    if (run.result.start) log.note("kept from instruction {} on", withThousands(run.result.start));
    noteChildren(log, run.result, options.children > 0);
    if (run.result.meta.expectation.isGiven())
      log.note("{}", verdict.failed() ? verdict.text : "The run passed");
  }
  return passStatus ? shellStatus(end) : kAnswered;
}

} // namespace

void addRecord(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("record", "Run a program once and keep the run");
  addCommonOptions(*command, context);
  auto options = std::make_shared<RunOptions>();
  addRunOptions(*command, *options);
  auto passStatus = std::make_shared<bool>(false);
  command->add_flag("--pass-status", *passStatus,
                    "Exit as the program did (128 + signal), for use in its place");
  command->footer("Example: faultline record -o crash.flr -- ./prog --fast input.txt\n"
                  "The program must have been built with faultline-cc or faultline-c++. Without -o the\n"
                  "recording gets a name that `faultline list` shows.\n"
                  "The command of --oracle is run by a shell in the program's directory and finds what it\n"
                  "needs in $FAULTLINE_STDOUT, $FAULTLINE_STDERR (files) and $FAULTLINE_STATUS (128 +\n"
                  "signal after a crash). It may write what it expected to the file $FAULTLINE_EXPECTED.");
  command->callback([options, passStatus, &context] {
    context.run([&] { return record(context, *options, *passStatus); });
  });
}

} // namespace faultline::cli
