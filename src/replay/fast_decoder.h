#pragma once

#include "replay/decoder.h"

namespace faultline::replay {

class FastDecoder : Decoder {
public:
  FastDecoder(DecodedFunction& f, std::vector<uint64_t>& cells,
              const std::function<DecodedFunction*(uint64_t address)>& functionAt)
      : Decoder(f, cells), functionAt_(functionAt) {}
  void run();

private:
  const std::function<DecodedFunction*(uint64_t address)>& functionAt_;
};

} // namespace faultline::replay
