#include "cli/explain_origin.h"

#include "cli/led_there.h"
#include "cli/slice_lines.h"
#include "replay/object_names.h"
#include "technique/instance_text.h"
#include "technique/slice/named_data.h"
#include "technique/slice/slice.h"

namespace faultline::cli {
namespace {

depend::WalkOptions valuesAlone() {
  depend::WalkOptions options;
  options.control = options.addresses = false;
  return options;
}

class Texts {
public:
  Texts(ValueRun& run, CauseRun& causes, explain::Found& found)
      : run_(run), causes_(causes), found_(found),
        names_(run.failing.run.replay.symbolView(), {}, run.failing.run.replay.memoryView()) {}

  // `own`: the line that used it, of which nothing new is told.
  Result<void> look(const depend::Question& question, const finding::Place& own,
                    std::optional<size_t> decision) {
    const std::string& cwd = run_.failing.run.recording.meta().cwd;
    FL_TRY(all, technique::findNamedData(*run_.history, question));
    for (const technique::NamedData& data : all) {
      auto text = names_.find(data.address);
      if (!text || text->kind != replay::ObjectName::Kind::Literal) continue;
      finding::Place place = technique::placeOf(run_.history->code(), data.id, cwd);
      if (place.file == own.file && place.line == own.line) continue;
      depend::RunCode::Where at = run_.history->code().where(data.id);
      const bool isSaid = at && at.module->image->instructions[at.local].op == fir::Op::Call;
      found_.texts.push_back({std::move(place), text->object, isSaid, decision});
    }
    return {};
  }

  // And by which it was decided that a constant was set which it was made by.
  Result<void> lookBehind(const depend::Question& question, const finding::Place& own, size_t decision) {
    FL_TRY(slice, depend::sliceBackward(*run_.history, question, valuesAlone()));
    for (const depend::Node& source : sourcesOf(slice)) {
      FL_TRY(times, decisionTimesTo(run_, causes_, source.time, 1));
      for (uint64_t time : times) FL_CHECK(look({.time = time, .operands = {0}}, own, decision));
    }
    return {};
  }

private:
  ValueRun& run_;
  CauseRun& causes_;
  explain::Found& found_;
  replay::ObjectNames names_;
};

} // namespace

Result<void> lookAtSource(ValueRun& run, CauseRun& causes, explain::Found& found) {
  using replay::FailureKind;
  const FailureKind kind = run.failing.failure ? run.failing.failure->kind : FailureKind::None;
  const bool isStatus = replay::isOfStatus(kind);
  const bool isCrash = kind == FailureKind::Crash || kind == FailureKind::DivisionByZero;
  if (!found.knowsOutput && !isStatus && !isCrash) return {}; // else the value is what a test was made of
  replay::Replay& replay = run.failing.run.replay;
  const replay::Time failure = replay.now();
  FL_TRY(slice, depend::sliceBackward(*run.history, technique::valueOnly(run.question.from), valuesAlone()));
  const std::vector<depend::Node> sources = sourcesOf(slice);
  found.passedOn = movingLines(run, slice, sources);
  for (const depend::Node& source : sources) {
    explain::Chosen chosen;
    chosen.place = technique::placeOf(run.history->code(), source.id, run.failing.run.recording.meta().cwd);
    FL_TRY(decided, decisionsTo(run, causes, source.time));
    chosen.decided = std::move(decided);
    found.chosen.push_back(std::move(chosen));
  }
  return replay.seek(failure);
}

Result<void> lookAtTexts(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                         explain::Found& found) {
  constexpr size_t kMostDecisions = 4;
  replay::Replay& replay = run.failing.run.replay;
  const replay::Time failure = replay.now();
  Texts texts(run, causes, found);
  run.watchUntil(end);
  if (found.knowsOutput && found.failure)
    FL_CHECK(texts.look(run.question.from, *found.failure, std::nullopt));
  const size_t count = found.critical ? std::min(found.critical->decisions.size(), kMostDecisions) : 0;
  for (size_t k = 0; k < count; ++k) {
    const finding::CriticalDecision& d = found.critical->decisions[k];
    const depend::Question question{.time = d.time, .operands = {0}};
    FL_CHECK(texts.look(question, d.place, k));
    FL_CHECK(texts.lookBehind(question, {}, k));
  }
  run.stopWatching();
  return replay.seek(failure);
}

Result<void> lookUnder(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                       explain::Found& found) {
  constexpr size_t kMostDecisions = 4, kMostLines = 6;
  replay::Replay& replay = run.failing.run.replay;
  const replay::Time failure = replay.now();
  const size_t count = found.critical ? std::min(found.critical->decisions.size(), kMostDecisions) : 0;
  run.watchUntil(end);
  for (size_t k = 0; k < count; ++k) {
    FL_TRY(lines, linesUnder(run, causes, found.critical->decisions[k].time, kMostLines));
    found.under.push_back(std::move(lines));
  }
  run.stopWatching();
  return replay.seek(failure);
}

} // namespace faultline::cli
