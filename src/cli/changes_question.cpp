#include "cli/changes_question.h"

#include "cli/interrupt.h"
#include "cli/led_there.h"
#include "finding/describe_stop.h"
#include "report/edits.h"
#include "report/number_text.h"
#include "report/statement_text.h"
#include "technique/call_sites.h"
#include "technique/changes/assignments.h"
#include "technique/changes/changes.h"
#include "technique/changes/copies.h"
#include "technique/changes/guards.h"
#include "technique/instance_text.h"

#include <charconv>

namespace faultline::cli {
namespace {

using Clock = std::chrono::steady_clock;

// How far down in the order of search a line is put for what it stands near to.
double nearness(const finding::Place& at, const FirstLines& first) {
  constexpr double kNext = 10, kPerPlace = 5; // lines of reading that come before
  double best = 1e18;
  for (size_t k = 0; k < first.near.size(); ++k) {
    const finding::Place& near = first.near[k];
    if (near.file != at.file || near.function != at.function) continue;
    double lines = near.line > at.line ? near.line - at.line : at.line - near.line;
    best = std::min(best, kNext + lines + kPerPlace * double(k));
  }
  return best;
}

// The instructions that the user wrote: those on the lines given first, then the rest of the slice.
std::vector<technique::Changeable> placesIn(ValueRun& run, const depend::Slice& slice,
                                            const FirstLines& first) {
  std::vector<technique::Changeable> out;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  for (technique::Changeable place : technique::changeableIn(slice)) {
    finding::Place at = technique::placeOf(run.history->code(), place.id, cwd);
    if (!at.isKnown() || finding::isLibraryFrame(at)) continue;
    auto known = first.order.find({at.file, at.line});
    place.order =
        known != first.order.end() ? double(known->second) : double(first.order.size()) + place.order;
    place.order = std::min(place.order, nearness(at, first));
    out.push_back(place);
  }
  return out;
}

// A run that takes so much longer than the recorded one hangs. One that had been cut short by a crash may
// have much before it.
uint64_t stepLimit(const ValueRun& run) {
  const recording::End& end = *run.failing.run.recording.end();
  const bool isShortened = run.failing.run.recording.meta().shortened.steps != 0;
  if (end.timedOut) return isShortened ? end.epoch * 10 + 100'000 : 0;
  return run.failing.failure && run.failing.failure->signal ? end.epoch * 10 + 100'000
                                                            : end.epoch * 2 + 20'000;
}

// Whether something was found that a person might write, after which the run takes the way it took, and goes
// through where it failed. Another way, or another test there, does without what is missing. Where the right
// output is known, to pass is enough, but for what often helps by chance: another variable, another value.
bool isRepaired(ValueRun& run, const technique::ChangeResult& result, const finding::ChangesReport& report) {
  constexpr double kClose = 0.1, kNotFar = 0.5; // experiment::Judge::strays
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  bool isOutput = report.failure && report.failure->output;
  return std::ranges::any_of(result.found, [&](const technique::FoundChange& c) {
    if (!c.effect.passes() || technique::isGuard(c.proposal.form)) return false;
    if (isOutput) return c.proposal.form <= technique::ChangeForm::NextTo;
    if (!c.effect.strays) return true;
    finding::Place place = technique::placeOf(run.history->code(), c.id, cwd);
    bool isFailure = report.failure && place.file == report.failure->place.file &&
                     place.line == report.failure->place.line;
    // Of a status that should be another the way to the end of main is no part.
    const bool isStatus = report.failure && report.failure->kind.ends_with("status");
    return !c.effect.leadsAround() && !c.effect.complains &&
           *c.effect.strays < (isStatus ? kNotFar : kClose) && !isFailure &&
           c.proposal.form <= technique::ChangeForm::Index;
  });
}

std::string numbersText(const finding::CodeChange& change) {
  return fmt::format("with {} instead of {}", change.to, change.from);
}

bool isNumber(const std::string& text, int64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// `'A'` in the place of `'a'`, not 65 in that of 97.
void nameNumbers(report::SourceFiles& sources, finding::CodeChange& change) {
  auto line = sources.line(change.place.file, change.place.line);
  if (!line || change.place.column == 0 || change.text != numbersText(change)) return;
  int64_t own = 0, other = 0;
  if (!isNumber(change.from, own) || !isNumber(change.to, other)) return;
  if (auto spelled = report::spelledAs(*line, change.place.column - 1, own, other)) {
    change.from = spelled->own;
    change.to = spelled->other;
    change.text = numbersText(change);
  }
}

// There is no 1 in `n++` that could be another number.
void nameStep(report::SourceFiles& sources, finding::CodeChange& change) {
  auto line = sources.line(change.place.file, change.place.line);
  if (!line || change.text != numbersText(change)) return;
  if (change.from != "1" && change.from != "-1") return;
  const char* step = change.from == "1" ? "++" : "--";
  if (line->find(step) == line->npos || line->find('1') != line->npos) return;
  change.text =
      change.to == "0" ? fmt::format("without `{}`", step) : fmt::format("if `{}` added {}", step, change.to);
}

std::optional<std::string> statementAt(report::SourceFiles& sources, const finding::Place& place) {
  auto line = sources.line(place.file, place.line);
  return line && place.column > 0 ? report::statementAt(*line, place.column - 1) : std::nullopt;
}

bool isOfMany(ValueRun& run, uint32_t id) {
  const depend::RunCode::Where at = run.history->code().where(id);
  return at && technique::isCalledByMany(run.failing.run.replay.program(), *at.module->image, at.function);
}

// Where its function serves many, who called it may have asked for the wrong thing.
void addCalls(ValueRun& run, depend::Instances& instances, const depend::Slice& slice,
              const std::vector<technique::FoundChange>& found, std::vector<finding::CodeChange>& changes) {
  constexpr size_t kMostAsked = 12, kMostCalls = 2;
  instances.setWatch([] { return !wasInterrupted(); });
  size_t asked = 0;
  for (size_t k = 0; k < found.size() && asked < kMostAsked; ++k) {
    if (!changes[k].isOfMany) continue;
    ++asked;
    // The execution that the failure depends on most closely.
    const auto known = slice.instructions.find(found[k].id);
    if (known == slice.instructions.end() || known->second.node >= slice.nodes.size()) continue;
    auto calls = callsTo(run, instances, slice.nodes[known->second.node].time, kMostCalls);
    if (calls) changes[k].calls = std::move(*calls); // they can be done without
  }
}

// A statement that is missing, as it is written elsewhere.
void nameInserted(report::SourceFiles& sources, const finding::Place& copied, finding::CodeChange& change) {
  if (copied.isKnown()) change.to = statementAt(sources, copied).value_or("");
  const std::string made =
      change.to.empty() ? fmt::format("what line {} does", copied.line) : fmt::format("`{}`", change.to);
  if (change.form == technique::nameOf(technique::ChangeForm::Replaced)) {
    change.from = statementAt(sources, change.place).value_or("");
    change.text = fmt::format("with {} instead", made);
    if (!change.from.empty()) change.text += fmt::format(" of `{}`", change.from);
  } else {
    change.text = fmt::format("if {} came {} it", made, change.isBehind ? "after" : "before");
    if (!change.to.empty()) change.to += ';';
  }
}

// What the searches share that come where no change of what is written repairs the run.
struct Search {
  depend::Instances& instances;
  technique::FirstEpochs& epochs;
  experiment::Trials& trials;
  const technique::ChangeOptions& options;
  Clock::time_point& end; // when the options' watch stops
  Clock::time_point deadline;
};

Result<void> findCopies(ValueRun& run, const depend::Slice& slice,
                        const std::vector<technique::Changeable>& places, Search search,
                        Clock::time_point end, technique::ChangeResult& result) {
  search.end = end;
  run.watchUntil(end);
  auto copied = technique::searchCopies(*run.history, slice, places, search.epochs, search.trials,
                                        search.options, ownCode(run), result);
  if (!copied && !run.history->wasStopped()) return copied.error();
  return {};
}

Result<void> findAssignments(ValueRun& run, const depend::Slice& slice, Search search, Clock::time_point end,
                             technique::ChangeResult& result) {
  search.end = end;
  run.watchUntil(end);
  search.instances.setWatch([end] { return !wasInterrupted() && Clock::now() < end; });
  auto added = technique::searchAssignments(search.instances, slice, search.trials, search.options,
                                            ownCode(run), result);
  const bool wasStopped = search.instances.wasStopped() || run.history->wasStopped();
  if (!added && !wasStopped) return added.error();
  result.stopped |= wasStopped; // what was found before the time was over is worth telling
  return {};
}

// Where the right output is known, what repairs the run now comes first: what was found before is another
// way, or another test of what failed. Else many a statement keeps the run from failing, and comes last.
Result<void> findMissing(ValueRun& run, const finding::ChangesReport& report, const depend::Slice& slice,
                         const std::vector<technique::Changeable>& places, Search search,
                         technique::ChangeResult& result) {
  const size_t before = result.found.size();
  const Clock::time_point half = Clock::now() + (search.deadline - Clock::now()) / 2;
  const bool isOutput = report.failure && report.failure->output;
  if (isOutput) FL_CHECK(findCopies(run, slice, places, search, half, result));
  FL_CHECK(findAssignments(run, slice, search, isOutput ? search.deadline : half, result));
  std::ranges::rotate(result.found, result.found.begin() + std::ptrdiff_t(before));
  return isOutput ? Result<void>() : findCopies(run, slice, places, search, search.deadline, result);
}

} // namespace

Result<finding::ChangesReport> findChanges(const Context& context, ValueRun& run, Laboratory& laboratory,
                                           const depend::Slice& slice, const FirstLines& first,
                                           const Effort& effort, Clock::time_point deadline) {
  auto begin = Clock::now();
  finding::ChangesReport report;
  report.program = programOf(run.failing.run);
  report.failure = run.failing.info;
  std::vector<technique::Changeable> places = placesIn(run, slice, first);
  report.places = places.size();
  run.watchUntil(deadline);

  std::unique_ptr<Progress> progress;
  experiment::Trials trials = laboratory.trials(stepLimit(run));
  technique::ChangeOptions options;
  options.most = effort.most;
  options.leastTried = effort.leastTried;
  options.end = run.question.from.time;
  options.epochs = run.failing.run.recording.end()->epoch;
  // Where nothing small repairs the run, some time must be left to look for what is missing.
  Clock::time_point end = begin + (deadline - begin) * 2 / 3;
  options.watch = [&](uint64_t done, uint64_t all, size_t) {
    if (!progress) progress = std::make_unique<Progress>(context.log(), "trying changes", all);
    progress->update(done);
    return !wasInterrupted() && Clock::now() < end;
  };
  depend::Instances instances(*run.history);
  instances.setWatch([&] { return !wasInterrupted() && Clock::now() < end; });
  auto guards = technique::proposeGuards(instances, slice, ownCode(run));
  if (!guards && !instances.wasStopped() && !run.history->wasStopped()) return guards.error();
  if (guards) options.guards = std::move(*guards);
  FL_TRY(epochs, technique::FirstEpochs::of(*run.history, options.end));
  FL_TRY(result, technique::searchChanges(*run.history, places, epochs, trials, options));
  if (!isRepaired(run, result, report) && !wasInterrupted()) {
    FL_CHECK(
        findMissing(run, report, slice, places, {instances, epochs, trials, options, end, deadline}, result));
  }
  progress.reset();
  run.watchUntil(deadline);
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  report::SourceFiles sources;
  for (const auto* list : {&result.found, &result.partial})
    for (const technique::FoundChange& found : *list) {
      report.changes.push_back({.place = technique::placeOf(run.history->code(), found.id, cwd),
                                .form = std::string(technique::nameOf(found.proposal.form)),
                                .text = found.proposal.text,
                                .verified = found.confirmed,
                                .effect = found.effect,
                                .from = found.proposal.from,
                                .to = found.proposal.to,
                                .isOfMany = isOfMany(run, found.id)});
      if (!found.proposal.text.empty()) continue;
      report.changes.back().isBehind = found.proposal.isBehind;
      finding::Place copied;
      if (found.proposal.copied) copied = technique::placeOf(run.history->code(), found.proposal.copied, cwd);
      nameInserted(sources, copied, report.changes.back());
    }
  addCalls(run, instances, slice, result.found, report.changes);
  for (finding::CodeChange& change : report.changes) {
    nameNumbers(sources, change);
    change.edit = report::editOf(sources, change);
    if (!change.edit) nameStep(sources, change);
  }
  report.proposals = result.proposals;
  report.tried = result.tried;
  report.passed = result.passed;
  report.missing = {result.missingTried, result.missingPassed, result.missingAround};
  report.around = result.around;
  report.orderly = result.orderly;
  report.same = result.same;
  report.other = result.other;
  report.none = result.none;
  report.guards = result.guards;
  report.guarded = result.guarded;
  if (result.stopped)
    report.caveats.push_back(
        fmt::format("not all changes were tried: {} of {}", result.tried, result.proposals));
  Laboratory::addCaveats(trials, report.caveats);
  if (slice.isBounded)
    report.caveats.push_back("the slice of the failure is not complete: code beyond it was not changed");
  report.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  report.method = laboratory.methodText();
  report.stats = laboratory.stats(trials);
  report.stats["improved"] = result.improved;
  run.stopWatching();
  return report;
}

} // namespace faultline::cli
