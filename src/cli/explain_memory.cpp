#include "cli/explain_memory.h"

#include "base/text.h"
#include "cli/led_there.h"
#include "cli/slice_lines.h"
#include "technique/instance_text.h"
#include "technique/memory/memory.h"

#include <unordered_set>

namespace faultline::cli {
namespace {

// The lines that made these values, the closest first, without `own`. `asked`: who asked for them, if that
// was by functions of the program's own; of those only what made something of what they pass on is told.
struct Made {
  std::vector<finding::Place> lines;
  bool isConstant = false; // only passed on from where it stands in the source
};

// Whether nothing was computed, nor read from memory.
bool isOnlyPassedOn(ValueRun& run, const depend::Slice& slice) {
  using fir::Op;
  if (!slice.leaves.empty() || slice.isBounded || !slice.hasAllNodes) return false;
  return std::ranges::all_of(slice.instructions, [&](const auto& entry) {
    const depend::RunCode::Where at = run.history->code().where(entry.first);
    if (!at) return false;
    switch (at.module->image->instructions[at.local].op) {
    case Op::Call:
    case Op::Ret:
    case Op::LoadVar:
    case Op::StoreVar:
    case Op::Trunc:
    case Op::ZExt:
    case Op::SExt:
    case Op::BitCast:
      return true;
    default:
      return false;
    }
  });
}

Result<Made> madeValues(ValueRun& run, const depend::Question& question, const finding::Place& own,
                        const std::optional<finding::Place>& asked = {}) {
  constexpr size_t kMost = 12;
  depend::WalkOptions options;
  options.control = options.addresses = false;
  FL_TRY(slice, depend::sliceBackward(*run.history, question, options));
  std::vector<finding::Place> lines = linesOf(run, slice);
  std::erase_if(lines, [&](const finding::Place& p) { return p.file == own.file && p.line == own.line; });
  if (asked) {
    const Lines moving = movingLines(run, slice);
    auto isAsked = [&](const finding::Place& p) { return p.file == asked->file && p.line == asked->line; };
    auto within = std::find_if(lines.begin(), lines.end(), isAsked);
    auto isMoving = [&](const finding::Place& p) { return moving.contains({p.file, p.line}); };
    if (within != lines.end()) lines.erase(std::remove_if(lines.begin(), within, isMoving), within);
  }
  if (lines.size() > kMost) lines.resize(kMost);
  return Made{std::move(lines), isOnlyPassedOn(run, slice)};
}

// What code may read by intent: what it then leaves alone, or the rest of a word or two.
bool mayBeMeant(const finding::MemoryErrorInfo& e) {
  constexpr int64_t kWords = 64; // bytes
  if (e.kind == "uninitialised") return true;
  return e.kind == "out-of-bounds" && e.access == "read" && e.object && e.offset && *e.offset >= 0 &&
         *e.offset < int64_t(e.object->size) + kWords && e.size.value_or(0) <= uint64_t(kWords);
}

// A write a little beyond a block, into what the C library's allocator leaves there to nobody.
bool isInSlack(const finding::MemoryErrorInfo& e) {
  constexpr uint64_t kHeader = 8, kStep = 16, kLeast = 24;
  if (e.kind != "out-of-bounds" || e.access != "write" || !e.object || e.object->kind != "heap") return false;
  if (!e.offset || *e.offset < 0 || !e.size) return false;
  const uint64_t usable = std::max(kLeast, (e.object->size + kHeader + kStep - 1) / kStep * kStep - kHeader);
  return uint64_t(*e.offset) + *e.size <= usable;
}

// Reads on whose value the failure does not depend are marked, and come last; and writes that fell on
// nothing, unless the run crashed.
void putIdleLast(ValueRun& run, CauseRun& causes, const depend::Slice* slice, bool isCrash,
                 std::vector<finding::MemoryErrorInfo>& errors) {
  std::unordered_set<uint64_t> needed;
  if (slice)
    for (const depend::Node& node : slice->nodes) needed.insert(node.time);
  std::vector<finding::MemoryErrorInfo> felt, idle;
  for (finding::MemoryErrorInfo& e : errors) {
    e.isIdle = slice && mayBeMeant(e) && !needed.contains(e.time);
    if (e.isIdle && !slice->hasAllNodes) {
      auto x = causes.instances.at(e.time);
      e.isIdle = x && !slice->instructions.contains(x->id);
    }
    e.isIdle |= !isCrash && isInSlack(e);
    (e.isIdle ? idle : felt).push_back(std::move(e));
  }
  errors = std::move(felt);
  for (finding::MemoryErrorInfo& e : idle) errors.push_back(std::move(e));
}

// What made the address of the first access that no run may make: the operands of that instruction, by
// values alone.
Result<std::vector<finding::Place>> madeAddress(ValueRun& run, const finding::MemoryErrorInfo& error) {
  replay::Replay& replay = run.failing.run.replay;
  FL_CHECK(replay.seek(error.time));
  std::vector<replay::FrameView> frames = replay.frames();
  if (frames.empty() || frames[0].instruction == fir::kNone) return std::vector<finding::Place>();
  const fir::Instruction& i = frames[0].image->instructions[frames[0].instruction];
  depend::Question question;
  question.time = error.time;
  // Of a store the value does not matter; of a call or a copy all operands say where and how much.
  uint32_t count = i.op == fir::Op::Store || i.op == fir::Op::Load ? 1 : i.operandCount;
  bool isNegative = error.size && int64_t(*error.size) < 0; // then nothing but the size is wrong
  for (uint32_t k = isNegative ? count - 1 : 0; k < count; ++k) question.operands.push_back(k);
  FL_TRY(made, madeValues(run, question, error.place));
  return std::move(made.lines);
}

// What made the size that the call at `time` asked the allocator for. `asked`, `within`: who called it, if
// that was by a function of the program's own.
Result<Made> madeSize(ValueRun& run, uint64_t time, bool isOnlyResized,
                      const std::optional<finding::Place>& asked, const std::optional<finding::Place>& within,
                      const finding::Place& access) {
  replay::Replay& replay = run.failing.run.replay;
  FL_CHECK(replay.seek(time));
  std::vector<replay::FrameView> frames = replay.frames();
  if (frames.empty() || frames[0].instruction == fir::kNone) return Made();
  const fir::Image& image = *frames[0].image;
  const fir::Instruction& call = image.instructions[frames[0].instruction];
  if (call.op != fir::Op::Call) return Made();
  uint32_t symbol = image.calls[call.aux].symbol;
  const bool isResized =
      symbol != fir::kNone && image.string(image.symbols[symbol].name).starts_with("realloc");
  if (isOnlyResized && !isResized) return Made();
  depend::Question question;
  question.time = time;
  for (uint32_t k = isResized ? 2 : 1; k < call.operandCount; ++k) question.operands.push_back(k);
  FL_TRY(made, madeValues(run, question, access, within ? asked : std::nullopt));
  if (within)
    std::erase_if(made.lines,
                  [&](const finding::Place& p) { return p.file == within->file && p.line == within->line; });
  return made;
}

// What made the size that was asked for, of the block that the access goes beyond.
Result<Made> madeBlockSize(ValueRun& run, const finding::MemoryErrorInfo& error) {
  const auto& o = error.object;
  if (error.kind != "out-of-bounds" || !o || !o->madeAt) return Made();
  return madeSize(run, *o->madeAt, false, o->made, o->madeWithin, error.place);
}

// What made the 0 by which realloc() gave the block back.
Result<std::vector<finding::Place>> madeNothing(ValueRun& run, const finding::MemoryErrorInfo& error) {
  const auto& o = error.object;
  if (!o || !o->endedAt || !o->ended) return std::vector<finding::Place>();
  FL_TRY(made, madeSize(run, *o->endedAt, true, o->ended, o->endedWithin, error.place));
  std::erase_if(made.lines, [&](const finding::Place& place) { // it is told of that line already
    return place.file == o->ended->file && place.line == o->ended->line;
  });
  return std::move(made.lines);
}

} // namespace

// The decisions that led to asking for the block that the access goes beyond.
static Result<std::vector<finding::Place>> decisionsToBlock(ValueRun& run, CauseRun& causes,
                                                            const finding::MemoryErrorInfo& error) {
  const auto& object = error.object;
  if (error.kind != "out-of-bounds" || !object || !object->madeAt || !object->made)
    return std::vector<finding::Place>();
  uint64_t at = *object->madeAt;
  while (at != depend::kNoInstance) { // out of those that pass it on
    FL_TRY(x, causes.instances.at(at));
    finding::Place place =
        technique::placeOf(run.history->code(), x.id, run.failing.run.recording.meta().cwd);
    if (place.file == object->made->file && place.line == object->made->line)
      return decisionsTo(run, causes, at);
    FL_TRY(call, causes.instances.caller(at));
    at = call;
  }
  return std::vector<finding::Place>();
}

Result<void> lookAtMemory(ValueRun& run, CauseRun& causes, std::chrono::steady_clock::time_point end,
                          const depend::Slice* slice, finding::MemoryReport& report, explain::Found& found,
                          finding::Explanation& explanation) {
  constexpr size_t kMost = 3, kMostLooked = 12;
  replay::Replay& replay = run.failing.run.replay;
  replay::Time failure = replay.now();
  run.watchUntil(end);
  technique::MemoryQuestion question;
  question.most = kMostLooked;
  question.program = explanation.program;
  FL_TRY(made, technique::findMemoryErrors(*run.history, question));
  report = std::move(made);
  // What comes behind the wrong byte did not make it wrong.
  const size_t behind = std::erase_if(
      report.errors, [&](const finding::MemoryErrorInfo& e) { return e.time > run.question.from.time; });
  putIdleLast(run, causes, slice, found.isCrash, report.errors);
  if (report.errors.size() > kMost) report.errors.resize(kMost);
  found.memory = &report;
  run.watchUntil(end);
  if (!report.errors.empty()) {
    auto address = madeAddress(run, report.errors.front());
    if (address) found.address = std::move(*address);
    auto size = madeBlockSize(run, report.errors.front());
    if (size) {
      found.blockSize = std::move(size->lines);
      found.isSizeConstant = size->isConstant;
    }
    auto nothing = madeNothing(run, report.errors.front());
    if (nothing) found.freedSize = std::move(*nothing);
    auto decided = decisionsTo(run, causes, report.errors.front().time);
    if (decided) found.decided = std::move(*decided);
    auto allocated = decisionsToBlock(run, causes, report.errors.front());
    if (allocated) found.allocated = std::move(*allocated);
    constexpr size_t kMostCalls = 3;
    auto calls = callsTo(run, causes.instances, report.errors.front().time, kMostCalls);
    if (calls) found.calls = std::move(*calls);
  }
  std::string what =
      report.errors.empty()
          ? fmt::format("none of them invalid{}{}", found.isCrash || behind ? " before the failure" : "",
                        behind ? fmt::format(", {} after it", withThousands(behind)) : "")
          : fmt::format("the first invalid one is at {}:{}",
                        std::filesystem::path(report.errors.front().place.file).filename().string(),
                        report.errors.front().place.line);
  explanation.tried.push_back(fmt::format("{} accesses to memory checked in {:.1f} s, {}: faultline memory",
                                          withThousands(report.stats.value("accesses", uint64_t(0))),
                                          report.stats.value("seconds", 0.0), what));
  explanation.addCaveats(report.caveats, "memory");
  return replay.seek(failure);
}

} // namespace faultline::cli
