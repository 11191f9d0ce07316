#include "program/segments.h"

#include "program/operands.h"

namespace faultline::fir {

Segments::Segments(const Image& image) : of_(image.instructions.size(), kNone) {
  for (uint32_t f = 0; f < image.functions.size(); ++f) {
    std::span<const Block> blocks = image.blocksOf(image.functions[f]);
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      uint32_t end = blocks[b].first + blocks[b].count;
      for (uint32_t first = blocks[b].first; first < end;) {
        uint32_t last = first;
        while (last + 1 < end && image.instructions[last].op != Op::Call) ++last;
        for (uint32_t k = first; k <= last; ++k) of_[k] = uint32_t(all_.size());
        all_.push_back({f, b, first, last - first + 1});
        first = last + 1;
      }
    }
  }
}

} // namespace faultline::fir
