// The whole state of an Engine, in plain structs. Memory pages are shared with the engine until one side
// writes; stacks are copied in pieces, and a piece that did not change since `before` is shared with it.
#pragma once

#include "replay/engine.h"

namespace faultline::replay {

struct StackPiece {
  static constexpr size_t kBytes = 64 << 10;
  std::shared_ptr<const std::vector<uint8_t>> bytes;
};

std::vector<StackPiece> cutStack(const void* data, size_t bytes);

struct ThreadState {
  bool known = false; // else the rest means nothing
  uint32_t number = 0;
  Place place = Place::Outside;
  uint32_t position = 0;
  size_t depth = 0;
  uint64_t frameTop = 0;
  uint64_t landException = 0, landSelector = 0;
  std::vector<StackPiece> frames, words;
  size_t frameBytes = 0, wordBytes = 0;
  std::vector<JumpTarget> jumps;
};

struct Engine::State {
  uint64_t steps = 0;
  uint64_t epoch = 0;
  uint32_t running = 0;
  uint64_t lastEpoch = 0;
  uint64_t recordsTaken = 0;
  uint64_t mainReturn = kNever;
  size_t modules = 0;
  Ending ending;
  std::optional<HandledFault> handled;
  LogReader::Position log;
  Memory::Snapshot memory;
  std::vector<ThreadState> threads;
  std::vector<uint64_t> cells;
  // Bytes of stacks that are not shared with an older state.
  uint64_t ownBytes = 0;
};

} // namespace faultline::replay
