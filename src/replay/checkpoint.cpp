#include "replay/checkpoint.h"

#include <algorithm>
#include <cstring>

namespace faultline::replay {
namespace {

std::vector<StackPiece> cut(const void* data, size_t bytes, const std::vector<StackPiece>* before,
                            uint64_t& own) {
  std::vector<StackPiece> pieces;
  auto* at = static_cast<const uint8_t*>(data);
  for (size_t done = 0; done < bytes; done += StackPiece::kBytes) {
    size_t size = std::min(bytes - done, StackPiece::kBytes);
    size_t k = pieces.size();
    if (before && k < before->size() && (*before)[k].bytes->size() == size &&
        std::memcmp((*before)[k].bytes->data(), at + done, size) == 0) {
      pieces.push_back((*before)[k]);
      continue;
    }
    own += size;
    pieces.push_back({std::make_shared<const std::vector<uint8_t>>(at + done, at + done + size)});
  }
  return pieces;
}

void join(const std::vector<StackPiece>& pieces, void* data) {
  auto* at = static_cast<uint8_t*>(data);
  for (const StackPiece& p : pieces) {
    std::memcpy(at, p.bytes->data(), p.bytes->size());
    at += p.bytes->size();
  }
}

} // namespace

std::vector<StackPiece> cutStack(const void* data, size_t bytes) {
  uint64_t own = 0;
  return cut(data, bytes, nullptr, own);
}

Engine::State Engine::save(const State* before) {
  park();
  State s;
  s.steps = m_.steps;
  s.epoch = m_.epoch;
  s.running = running_;
  s.lastEpoch = lastEpoch_;
  s.recordsTaken = recordsTaken_;
  s.mainReturn = mainReturn_;
  s.modules = program_.modules().size();
  s.ending = ending_;
  s.handled = handled_;
  s.log = log_.position();
  s.memory = m_.memory.snapshot();
  s.cells = m_.cells;
  s.threads.resize(threads_.size());
  for (size_t k = 0; k < threads_.size(); ++k) {
    if (!threads_[k]) continue;
    const Thread& from = *threads_[k];
    ThreadState& to = s.threads[k];
    const ThreadState* old = before && k < before->threads.size() ? &before->threads[k] : nullptr;
    to.known = true;
    to.number = from.number;
    to.place = from.place;
    to.position = from.position;
    to.depth = from.depth;
    to.frameTop = from.frameTop;
    to.landException = from.landException;
    to.landSelector = from.landSelector;
    to.frames = cut(from.frames.data, from.depth * sizeof(Frame), old ? &old->frames : nullptr, s.ownBytes);
    to.words = cut(from.words.data, from.wordCount() * 8, old ? &old->words : nullptr, s.ownBytes);
    to.frameBytes = from.depth * sizeof(Frame);
    to.wordBytes = from.wordCount() * 8;
    to.jumps = from.jumps;
  }
  return s;
}

Result<void> Engine::restore(const State& s) {
  FL_CHECK(log_.seek(s.log));
  program_.use(s.modules);
  m_.memory.restore(s.memory);
  m_.steps = s.steps;
  m_.epoch = s.epoch;
  running_ = s.running;
  lastEpoch_ = s.lastEpoch;
  recordsTaken_ = s.recordsTaken;
  mainReturn_ = s.mainReturn;
  ending_ = s.ending;
  handled_ = s.handled;
  error_.reset();
  divergence_.reset();
  atBreak_ = false;
  std::fill(m_.cells.begin(), m_.cells.end(), 0); // functions decoded since have cells of their own
  std::copy(s.cells.begin(), s.cells.end(), m_.cells.begin());
  threads_.resize(s.threads.size());
  for (size_t k = 0; k < threads_.size(); ++k) {
    const ThreadState& from = s.threads[k];
    if (!from.known) {
      threads_[k].reset();
      continue;
    }
    if (!threads_[k]) threads_[k] = std::make_unique<Thread>();
    Thread& to = *threads_[k];
    to.number = from.number;
    to.place = from.place;
    to.position = from.position;
    to.depth = from.depth;
    to.frameTop = from.frameTop;
    to.landException = from.landException;
    to.landSelector = from.landSelector;
    to.frames.reserve(from.depth + 2);
    join(from.frames, to.frames.data);
    to.words.reserve(from.wordBytes / 8 + 2 * kArgumentRoom);
    join(from.words, to.words.data);
    to.jumps = from.jumps;
  }
  unpark();
  lookAhead();
  return {};
}

} // namespace faultline::replay
