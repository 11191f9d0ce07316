#include "cli/failing_run.h"

#include "cli/expectation.h"
#include "cli/short_hang.h"
#include "replay/hang.h"
#include "replay/object_names.h"

#include <charconv>

namespace faultline::cli {

// "EPOCH:INSTRUCTION", an instance as every layer names it; "@TIME", the instruction with that number, or
// "@-N", N instructions before the end.
Result<void> goToInstance(replay::Replay& replay, const std::string& where) {
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

// A recording that was cut off has no verdict; then its end is shown.
Result<replay::Verdict> verdictOn(const OpenRun& run, const RunOptions& options) {
  if (run.recording.end()) return verdictOf(run.recording, options);
  replay::Verdict cutOff;
  cutOff.kind = replay::Verdict::Crashed;
  return cutOff;
}

std::vector<std::string> caveatsOf(OpenRun& run) {
  std::vector<std::string> caveats = run.caveats;
  if (std::string text = shortenedText(run.recording); !text.empty()) caveats.push_back(std::move(text));
  if (const std::string& damage = run.replay.engine().log().damage(); !damage.empty())
    caveats.push_back(damage);
  if (run.replay.divergence())
    caveats.push_back(fmt::format("the replay left the run here: it expected {}, the log has {}",
                                  run.replay.divergence()->expected, run.replay.divergence()->found));
  return caveats;
}

namespace {

// A program that waits stands where it waits; one that goes round in something is nowhere in particular.
Result<void> lookForLoop(FailingRun& run) {
  const recording::Recording& recording = run.run.recording;
  const recording::Shortened& shortened = recording.meta().shortened;
  if (!recording.end() || (shortened.steps == 0 && !isLongHang(*recording.end()))) return {};
  uint64_t since = shortened.entered ? shortened.entered + 1 : recording.end()->epoch / 2;
  FL_TRY(found, goToHang(run.run.replay, since));
  if (found) run.failure = std::move(found);
  return {};
}

// Where the run stands.
std::optional<finding::FailureInfo> failureInfo(const FailingRun& run) {
  if (!run.failure) return std::nullopt;
  finding::StopQuestion question;
  question.program = programOf(run.run);
  question.frames = run.run.replay.frames();
  question.memory = &run.run.replay.memoryView();
  question.symbols = &run.run.replay.symbolView();
  question.instance = instanceText(run.run.replay.current());
  finding::FailureInfo info = finding::describeFailure(*run.failure, question);
  if (run.verdict.difference)
    info.output = finding::describeOutput(*run.verdict.difference, run.point.origin);
  return info;
}

Result<FailingRun> openAtFailure(const Context& context, const RunOptions& options) {
  FL_TRY(run, openRun(context, options));
  FL_TRY(verdict, verdictOn(run, options));
  FailingRun out{std::move(run), std::move(verdict), {}, {}};
  if (!out.verdict.failed()) return out;
  FL_TRY(point, goToFailure(out.run.replay, out.verdict, outcomeOf(out.run.recording)));
  out.point = std::move(point);
  out.failure = out.point.failure;
  if (out.failure || !out.run.replay.atEnd()) return out;
  std::string standardError;
  if (auto captured = out.run.recording.output(2)) standardError = std::move(*captured);
  std::vector<replay::FrameView> frames = out.run.replay.frames();
  replay::ObjectNames names(out.run.replay.symbolView(), frames, out.run.replay.memoryView(), {});
  out.failure = replay::diagnose(endOf(out.run, standardError), {frames, &out.run.replay.memoryView(),
                                                                 &out.run.replay.symbolView(), &names});
  if (out.failure->kind == replay::FailureKind::Hang) FL_CHECK(lookForLoop(out));
  return out;
}

} // namespace

Result<FailingRun> openFailingRun(const Context& context, const RunOptions& options) {
  FL_TRY(out, openAtFailure(context, options));
  out.info = failureInfo(out);
  return out;
}

} // namespace faultline::cli
