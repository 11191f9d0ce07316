// Ctrl-C ends what we are doing, not us: what was found by then is shown. A second one ends us.
#pragma once

namespace faultline::cli {

void catchInterrupt();
bool wasInterrupted();

} // namespace faultline::cli
