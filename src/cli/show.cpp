// faultline show: an instance of the run, by default the failing one, with its source, stack and variables.
#include "base/text.h"
#include "cli/expectation.h"
#include "cli/open_replay.h"
#include "finding/describe_stop.h"
#include "report/terminal.h"

#include <charconv>
#include <chrono>

namespace faultline::cli {
namespace {

struct ShowOptions {
  RunOptions run;
  std::string at;
  std::string frames = "inner";
  bool globals = false;
  std::vector<std::string> print;
};

// "EPOCH:INSTRUCTION", an instance as every layer names it; "@TIME", the instruction with that number, or
// "@-N", N instructions before the end.
Result<void> goTo(replay::Replay& replay, const std::string& where) {
  auto number = [&](std::string_view text) -> Result<uint64_t> {
    uint64_t value = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size())
      return errorf("'{}' is no instance: write EPOCH:INSTRUCTION, @TIME or @-N", where);
    return value;
  };
  std::string_view text = where;
  if (text.starts_with("@-")) {
    FL_TRY(back, number(text.substr(2)));
    FL_CHECK(replay.runToEnd());
    return replay.seek(replay.now() > back ? replay.now() - back : 0);
  }
  if (text.starts_with("@")) {
    FL_TRY(time, number(text.substr(1)));
    return replay.seek(time);
  }
  size_t colon = text.find(':');
  FL_TRY(epoch, number(text.substr(0, colon)));
  FL_TRY(id, number(colon == std::string_view::npos ? "" : text.substr(colon + 1)));
  FL_TRY(reached, replay.runToInstance(epoch, id));
  if (!reached) return errorf("the run has no instance {}", where);
  return {};
}

replay::RunEnd endOf(const OpenRun& run, const std::string& standardError) {
  const replay::Ending& ending = run.replay.ending();
  replay::RunEnd end;
  end.signal = ending.signal;
  end.signalCode = ending.code;
  end.address = ending.address;
  end.isWrite = ending.write;
  end.isInside = ending.kind == replay::Ending::Fault && !ending.outside;
  end.isSmashed = ending.smashed;
  end.thread = run.replay.thread();
  end.standardError = standardError;
  if (ending.kind == replay::Ending::Exited) end.exitStatus = int(ending.status);
  if (const auto& recorded = run.recording.end()) {
    end.timedOut = recorded->timedOut;
    // The runtime closed its log, but what we have does not go so far: the disk was full, or the file cut
    // off.
    end.isBeyond = recorded->ended && ending.kind == replay::Ending::LogEnded;
    if (!end.signal) end.signal = recorded->signal();
    if (!end.exitStatus && !recorded->signal()) end.exitStatus = recorded->exitStatus();
  }
  return end;
}

std::string instanceText(const replay::Instance& i) {
  if (!i.module) return fmt::format("@{}", i.time);
  return fmt::format("{}:{} (@{})", i.epoch, uint64_t(i.module->base) + i.local, i.time);
}

finding::ProgramInfo programOf(const OpenRun& run) {
  const recording::Meta& meta = run.recording.meta();
  return {meta.program, meta.argv, meta.cwd};
}

Result<int> didNotFail(const Context& context, const OpenRun& run) {
  if (context.json) {
    finding::Document document{.technique = "show", .program = programOf(run), .caveats = run.caveats};
    FL_CHECK(context.answer(finding::printed(finding::toJson(document))));
  } else {
    FL_CHECK(context.answer(fmt::format("The run did not fail: it {}.\nTo see any instance of it: faultline "
                                        "show --at @-1 {}\n",
                                        endText(*run.recording.end()), shellWord(run.path.string()))));
  }
  return kDidNotFail;
}

// A recording that was cut off has no verdict; then its end is shown.
Result<replay::Verdict> verdictOn(const OpenRun& run, const ShowOptions& options) {
  if (run.recording.end()) return verdictOf(run.recording, options.run);
  replay::Verdict cutOff;
  cutOff.kind = replay::Verdict::Crashed;
  return cutOff;
}

Result<int> show(const Context& context, const ShowOptions& options) {
  FL_TRY(run, openRun(context, options.run));
  auto start = std::chrono::steady_clock::now();
  replay::Verdict verdict;
  replay::FailurePoint point;
  if (options.at.empty()) {
    FL_TRY(judged, verdictOn(run, options));
    verdict = std::move(judged);
    if (!verdict.failed()) return didNotFail(context, run);
    FL_TRY(found, goToFailure(run.replay, verdict, outcomeOf(run.recording)));
    point = std::move(found);
  } else {
    FL_CHECK(goTo(run.replay, options.at));
  }
  finding::StopQuestion question;
  question.program = programOf(run);
  question.failure = point.failure;
  question.frames = run.replay.frames();
  question.memory = &run.replay.memoryView();
  question.symbols = &run.replay.symbolView();
  question.instance = instanceText(run.replay.current());
  question.allFrames = options.frames == "all";
  question.globals = options.globals;
  question.print = options.print;
  std::string standardError;
  if (auto captured = run.recording.output(2)) standardError = std::move(*captured);
  if (run.replay.atEnd()) question.end = endOf(run, standardError);
  finding::StopReport report = finding::describeStop(question);
  if (report.failure && verdict.difference)
    report.failure->output = finding::describeOutput(*verdict.difference, point.origin);
  report.caveats.insert(report.caveats.end(), point.caveats.begin(), point.caveats.end());
  report.caveats.insert(report.caveats.begin(), run.caveats.begin(), run.caveats.end());
  if (const std::string& damage = run.replay.engine().log().damage(); !damage.empty())
    report.caveats.push_back(damage);
  if (run.replay.divergence())
    report.caveats.push_back(fmt::format("the replay left the run here: it expected {}, the log has {}",
                                         run.replay.divergence()->expected, run.replay.divergence()->found));
  report.stats["instructions"] = run.replay.now();
  report.stats["executed"] = run.replay.executed();
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (context.json) {
    FL_CHECK(context.answer(finding::printed(finding::toJson(finding::toDocument(report)))));
  } else {
    report::SourceFiles files;
    report::Screen screen{context.answerTerminal(), report::localeHasUnicode(),
                          std::filesystem::current_path().string()};
    FL_CHECK(context.answer(report::renderStop(report, files, screen, {.allFrames = question.allFrames})));
  }
  return kAnswered;
}

} // namespace

void addShow(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("show", "Where the run failed: source, call stack and variables");
  addCommonOptions(*command, context);
  auto options = std::make_shared<ShowOptions>();
  addRunOptions(*command, options->run);
  command
      ->add_option("--at", options->at,
                   "Another instance: EPOCH:INSTRUCTION, @TIME, or @-N (N before the end)")
      ->type_name("WHERE");
  command->add_option("--frames", options->frames, "Variables of the innermost frame, or of all")
      ->check(CLI::IsMember({"inner", "all"}))
      ->type_name("inner|all");
  command->add_flag("--globals", options->globals, "Show the globals that each function names, too");
  command
      ->add_option("--print,-p", options->print,
                   "Show this expression, e.g. list->head.next or a[3]; may be given again")
      ->allow_extra_args(false) // what follows is the recording
      ->type_name("EXPR");
  command->callback([options, &context] { context.run([&] { return show(context, *options); }); });
}

} // namespace faultline::cli
