// What a stopped replay shows of the program: its memory, its frames, where its symbols lie. Printing values
// and naming objects needs no more than this, so both can be tested on states made by hand.
#pragma once

#include "program/image.h"

#include <cstdint>
#include <span>
#include <vector>

namespace faultline::replay {

class MemoryView {
public:
  virtual ~MemoryView() = default;
  // Fills `out` from `address` on; false if any byte of it was never seen by the replay (they read as 0).
  virtual bool read(uint64_t address, std::span<uint8_t> out) const = 0;
};

struct FrameView {
  const fir::Image* image = nullptr;
  uint32_t function = fir::kNone;    // index in image->functions
  uint32_t instruction = fir::kNone; // local id: what is about to run, or the call that is under way
  std::span<const uint64_t> words;
  uint64_t frameBase = 0;
  uint64_t frameTop = 0;
  uint32_t module = 0;      // index of the module, for SymbolView
  bool fromOutside = false; // outside code called it
  uint64_t entered = 0;     // the epoch before its entry: no two frames have the same
};

class SymbolView {
public:
  virtual ~SymbolView() = default;
  virtual size_t moduleCount() const = 0;
  virtual const fir::Image& image(size_t module) const = 0;
  // Address of the module's symbol; 0 if it has none.
  virtual uint64_t address(size_t module, uint32_t symbol) const = 0;
};

} // namespace faultline::replay
