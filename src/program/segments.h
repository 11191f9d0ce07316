// A function cut into segments: runs of instructions that are always executed together. One ends behind a
// call or with the instruction that ends its block. What a run did is then a sequence of segments, and
// everything that can be said about a segment is said once.
//
//   b0: Entry | StoreVar | w3 = Call g | w4 = Add | CondBr     segments: Entry..Call, Add..CondBr
#pragma once

#include "program/image.h"

namespace faultline::fir {

struct Segment {
  uint32_t function; // index in the image
  uint32_t block;    // number within the function
  uint32_t first;    // local id
  uint32_t count;    // instructions
  uint32_t last() const { return first + count - 1; }
};

class Segments {
public:
  explicit Segments(const Image& image);

  std::span<const Segment> all() const { return all_; }
  const Segment& operator[](uint32_t number) const { return all_[number]; }
  // The segment that the instruction belongs to.
  uint32_t of(uint32_t local) const { return of_[local]; }

private:
  std::vector<Segment> all_;
  std::vector<uint32_t> of_;
};

} // namespace faultline::fir
