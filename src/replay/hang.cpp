#include "replay/hang.h"

#include "replay/call_view.h"
#include "replay/endless_loop.h"

namespace faultline::replay {
namespace {

// So many instructions before the end tell which loop it is.
constexpr uint64_t kFurthest = 2'000'000;
constexpr const char* kStill = "Still running when its time was over";

// A call that does not come back, of outside code for one: qsort() with a comparison that contradicts itself.
std::optional<Failure> atCall(const Replay& replay, const EndlessLoop& found) {
  const std::vector<FrameView> frames = replay.frames();
  Failure out;
  out.kind = FailureKind::Hang;
  out.frame = found.frame;
  out.criterion = Criterion{found.frame, frames[found.frame].instruction, fir::kNone, 0, ""};
  auto call = CallView::of(frames[found.frame], replay.memoryView(), replay.symbolView());
  if (!call) return std::nullopt;
  out.message = fmt::format("{}: the call of {}() does not come back", kStill, call->shownName());
  return out;
}

// The replay stands at the branch, in the activation itself.
Failure atTest(const Replay& replay, const EndlessLoop& found) {
  Failure out;
  out.kind = FailureKind::Hang;
  out.message = fmt::format("{}: an endless loop", kStill);
  const std::vector<FrameView> frames = replay.frames();
  const FrameView& frame = frames.front();
  const fir::Operand condition = frame.image->operandsOf(frame.image->instructions[frame.instruction])[0];
  out.criterion = Criterion{0, frame.instruction, 0, 0, ""};
  out.criterion->value = operandValue(frame, replay.symbolView(), condition).value_or(0);
  if (auto source = sourceValue(frame, condition)) out.criterion->text = source->text;
  return out;
}

} // namespace

Result<std::optional<Failure>> goToHang(Replay& replay, uint64_t since) {
  constexpr Time kBefore = 64; // instructions: what the test is decided by is computed on the way
  if (replay.threads().size() != 1 || replay.frames().empty()) return std::optional<Failure>();
  FL_TRY(found, findEndlessLoop(replay, since, kFurthest));
  if (!found || (found->isLoop && !found->test)) return std::optional<Failure>();
  if (!found->isLoop) return atCall(replay, *found);
  FL_CHECK(replay.seek(std::max(*found->test - std::min(kBefore, *found->test), replay.start())));
  Observer nobody;
  FL_CHECK(replay.observe(nobody, *found->test));
  return std::optional<Failure>(atTest(replay, *found));
}

} // namespace faultline::replay
