#include "technique/minimize/isolate_inputs.h"

#include "technique/minimize/difference.h"

namespace faultline::technique {

Result<IsolateResult> isolateInputs(InputSet passing, InputSet failing, const InputExperiment& experiment,
                                    const MinimizeOptions& options) {
  std::vector<Unit> units;
  if (options.finest.kind == Unit::Bytes || options.finest.kind == Unit::Tokens)
    units.push_back({.kind = Unit::Lines});
  if (options.finest.kind == Unit::Bytes) units.push_back({.kind = Unit::Tokens});
  units.push_back(options.finest);

  MinimizeProgress progress;
  SearchOptions searching = options.search;
  searching.onVerdict = [&, more = searching.onVerdict] {
    if (options.onProgress) options.onProgress(progress);
    if (more) more();
  };
  IsolateResult result;
  result.unit = unitName(options.finest);
  Search search(searching);
  for (const Unit& unit : units) {
    Difference difference(passing, failing, unit);
    uint64_t verdicts = search.stats().verdicts;
    progress = {unitName(unit), difference.size(), 0};
    Tester tester = [&](const Subset& steps) {
      auto inputs = std::make_shared<InputSet>(difference.with(steps));
      return Trial{keyOf(*inputs), [&experiment, inputs] { return experiment(*inputs); }};
    };
    FL_TRY(found, isolate(search, tester, {}, allOf(difference.size()), [&](const Isolated& pair) {
             progress.best = pair.failing.size() - pair.passing.size();
           }));
    result.steps = found.difference().size();
    result.isMinimal = found.isMinimal;
    result.levels.push_back(
        {unitName(unit), search.stats().verdicts - verdicts, difference.size(), result.steps});
    InputSet closer = difference.with(found.passing);
    failing = difference.with(found.failing);
    passing = std::move(closer);
    if (search.wasStopped()) break;
  }
  result.passing = std::move(passing);
  result.failing = std::move(failing);
  result.wasStopped = search.wasStopped();
  if (result.wasStopped) result.isMinimal = false;
  result.stats = search.stats();
  return result;
}

} // namespace faultline::technique
