#include "replay/fast_decoder.h"

namespace faultline::replay {

void FastDecoder::run() {
  (void)functionAt_;
  f_.plainToFast.assign(count(), fir::kNone);
}

} // namespace faultline::replay
