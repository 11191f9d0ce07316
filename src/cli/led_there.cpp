#include "cli/led_there.h"

#include "program/loops.h"
#include "program/operands.h"
#include "technique/instance_text.h"

#include <algorithm>
#include <set>

namespace faultline::cli {
namespace {

using depend::Instances;
using depend::Origin;

bool isAllocator(const std::string& name) {
  static const std::set<std::string> kNames = {"malloc", "calloc",  "realloc", "reallocarray",
                                               "strdup", "strndup", "_Znwm",   "_Znam"};
  return kNames.contains(name);
}

// Who made what this instance only passes on.
Result<Origin> passedBy(Instances& all, const depend::Executed& x) {
  using fir::Op;
  switch (x.instruction->op) {
  case Op::LoadVar:
  case Op::BitCast:
  case Op::Ret:
    return all.operand(x.time, 0);
  case Op::Store:
  case Op::StoreVar:
    return all.operand(x.time, 1);
  case Op::Load: {
    FL_TRY(pieces, all.loaded(x.time));
    return pieces.size() == 1 ? pieces[0].origin : Origin{};
  }
  default:
    return Origin{};
  }
}

// `(p = malloc(n)) == NULL`
Result<bool> asksWhetherMemoryCame(Instances& all, uint64_t decision) {
  constexpr int kMostSteps = 8;
  FL_TRY(condition, all.operand(decision, 0));
  if (condition.kind != Origin::Made) return false;
  FL_TRY(compared, all.at(condition.time));
  if (compared.instruction->op != fir::Op::ICmp) return false;
  FL_TRY(left, all.operand(condition.time, 0));
  FL_TRY(right, all.operand(condition.time, 1));
  if ((left.kind == Origin::Nobody) == (right.kind == Origin::Nobody)) return false;
  Origin at = left.kind == Origin::Nobody ? right : left;
  for (int k = 0; k < kMostSteps && at.kind == Origin::Made; ++k) {
    FL_TRY(x, all.at(at.time));
    if (x.instruction->op == fir::Op::Call) {
      FL_TRY(effect, all.effect(at.time));
      return effect && isAllocator(effect->function);
    }
    FL_TRY(next, passedBy(all, x));
    at = next;
  }
  return false;
}

} // namespace

Result<std::vector<uint64_t>> decisionTimesTo(ValueRun& run, CauseRun& causes, uint64_t at, size_t most) {
  std::vector<uint64_t> times;
  while (times.size() < most) {
    FL_TRY(outer, causes.instances.control(at));
    if (outer == depend::kNoInstance) break;
    FL_TRY(x, causes.instances.at(outer));
    depend::RunCode::Where where = run.history->code().where(x.id);
    if (!where || where.module->image->instructions[where.local].op == fir::Op::Call) break;
    FL_TRY(asksForMemory, asksWhetherMemoryCame(causes.instances, outer));
    if (!asksForMemory) times.push_back(outer);
    at = outer;
  }
  return times;
}

Result<std::vector<finding::Place>> decisionsTo(ValueRun& run, CauseRun& causes, uint64_t at, size_t most) {
  std::vector<finding::Place> lines;
  FL_TRY(times, decisionTimesTo(run, causes, at, most));
  for (uint64_t time : times) {
    FL_TRY(x, causes.instances.at(time));
    lines.push_back(technique::placeOf(run.history->code(), x.id, run.failing.run.recording.meta().cwd));
  }
  return lines;
}

bool isLoopTest(depend::RunCode& code, uint32_t id) {
  depend::RunCode::Where at = code.where(id);
  if (!at) return false;
  const fir::Image& image = *at.module->image;
  fir::Loops loops(image, image.functions[at.function]);
  const uint32_t number = loops.of(at.block);
  if (number == fir::kNone) return false;
  const fir::Loops::Loop& loop = loops.all()[number];
  bool isTest = at.block == loop.header;
  fir::forEachSuccessor(image, image.instructions[at.local],
                        [&](uint32_t next) { isTest |= next == loop.header; });
  return isTest && std::ranges::find(loop.leaving, at.block) != loop.leaving.end();
}

Result<std::vector<finding::Place>> callsTo(ValueRun& run, depend::Instances& instances, uint64_t at,
                                            size_t most) {
  std::vector<finding::Place> lines;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  while (lines.size() < most && at != depend::kNoInstance) {
    FL_TRY(call, instances.caller(at));
    at = call;
    if (at == depend::kNoInstance) break;
    FL_TRY(x, instances.at(at));
    finding::Place place = technique::placeOf(run.history->code(), x.id, cwd);
    if (place.isKnown() && !finding::isLibraryFrame(place)) lines.push_back(std::move(place));
  }
  return lines;
}

Result<std::vector<finding::Place>> linesUnder(ValueRun& run, CauseRun& causes, uint64_t decision,
                                               size_t most) {
  constexpr uint64_t kMostSteps = 3000;
  Instances& all = causes.instances;
  const std::string& cwd = run.failing.run.recording.meta().cwd;
  std::vector<finding::Place> lines;
  FL_TRY(branch, all.at(decision));
  const finding::Place own = technique::placeOf(run.history->code(), branch.id, cwd);
  for (uint64_t at = decision + 1; at <= decision + kMostSteps && lines.size() < most; ++at) {
    if (!all.isExecuted(at)) break; // as where the run ended
    FL_TRY(x, all.at(at));
    if (x.thread != branch.thread || x.depth > branch.depth) continue;
    if (x.depth < branch.depth) break;
    FL_TRY(control, all.control(at));
    if (control == depend::kNoInstance || control < decision) break; // it would have come there anyway
    if (control != decision) continue;
    finding::Place place = technique::placeOf(run.history->code(), x.id, cwd);
    auto isSame = [&](const finding::Place& p) { return p.file == place.file && p.line == place.line; };
    if (place.isKnown() && !isSame(own) && std::ranges::none_of(lines, isSame)) lines.push_back(place);
  }
  return lines;
}

} // namespace faultline::cli
