#include "depend/query.h"

#include "program/operands.h"

namespace faultline::depend {

std::map<uint32_t, std::vector<StackFunction>> stacksOf(const replay::Replay& replay) {
  std::map<uint32_t, std::vector<StackFunction>> stacks;
  for (uint32_t thread : replay.threads()) {
    auto& stack = stacks[thread];
    for (const replay::FrameView& f : replay.frames(thread)) {
      bool isAtStart = stack.empty() && f.instruction == f.image->functions[f.function].firstInstruction;
      stack.push_back({f.module, f.function, isAtStart});
    }
    std::reverse(stack.begin(), stack.end());
  }
  return stacks;
}

Result<Slice> sliceBackward(History& history, const Question& question, WalkOptions options,
                            Alternatives* alternatives) {
  replay::Replay& replay = history.replay();
  if (replay.now() != question.time) FL_CHECK(replay.seek(question.time));
  std::vector<replay::FrameView> frames = replay.frames();
  if (question.frame >= frames.size()) return errorf("the program has no frame {} there", question.frame);
  const replay::FrameView& frame = frames[question.frame];
  uint32_t local = question.instruction == fir::kNone ? frame.instruction : question.instruction;
  const fir::Image& image = *frame.image;
  const fir::Instruction& instruction = image.instructions[local];
  // An outside call under way counts as executed already: the trace has it, as a call that does not return.
  replay::Time end = replay.engine().steps();
  BackwardWalk walk(history.code(), std::move(options));
  walk.begin(end, stacksOf(replay), replay.thread());
  walk.setAlternatives(alternatives);
  walk.useEnds(&history.ends());
  const replay::LoadedModule& module = *replay.program().modules()[frame.module];
  RunCode::Where where = history.code().where(module.base + local);
  uint32_t node = walk.addCriterion(module.base + local, uint32_t(question.frame), where.block);
  auto wantOperand = [&](uint32_t k, uint32_t words) {
    fir::Operand o = image.operandsOf(instruction)[k];
    if (fir::operandKind(o) != fir::OperandKind::Word) return;
    for (uint32_t j = 0; j < words; ++j)
      walk.wantWord(uint32_t(question.frame), fir::operandIndex(o) + j, ~uint64_t(0), node);
  };
  for (uint32_t wanted : question.operands)
    fir::forEachValue(image, instruction, [&](uint32_t k, uint32_t words) {
      if (k == wanted) wantOperand(k, words);
    });
  for (uint32_t word : question.words) walk.wantWord(uint32_t(question.frame), word, ~uint64_t(0), node);
  for (auto [address, size] : question.memory) walk.wantMemory(address, size, node);
  for (const BitRange& range : question.bits) walk.wantBits(range, node);
  if (question.position) walk.wantPosition(*question.position, node);
  FL_CHECK(history.backwards(
      end,
      [&](const Window& window) {
        walk.walk(window.trace, [&](uint64_t number) { return &(*window.calls)[number]; });
        return !walk.isDone();
      },
      [&](const WindowSummary& window) { return walk.passOver(window); }));
  if (history.wasStopped() && !walk.isDone()) walk.stop();
  return walk.finish();
}

Result<Slice> sliceForward(History& history, std::vector<Seed> seeds, ForwardOptions options) {
  replay::Replay& replay = history.replay();
  FL_CHECK(replay.runToEnd());
  replay::Time end = replay.engine().steps();
  ForwardWalk walk(history.code(), options, std::move(seeds));
  FL_CHECK(replay.seek(replay.start()));
  walk.begin(replay.start(), stacksOf(replay), replay.thread());
  FL_CHECK(history.forwards(0, end, [&](const Window& window) {
    walk.walk(window.trace, [&](uint64_t number) { return &(*window.calls)[number]; });
    return true;
  }));
  Slice slice = walk.finish();
  if (history.wasStopped()) slice.isBounded = true;
  return slice;
}

} // namespace faultline::depend
