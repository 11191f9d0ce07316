// Zeller and Hildebrandt's dd: from a sequence that passes and a larger one that fails to two that differ as
// little as possible: the passing one grows, the failing one shrinks.
//
//   fails if it has 3 and 6:   passing {}, failing {1 2 3 4 5 6 7 8}
//   ...                        passing {1 2 3 4 5}, failing {1 2 3 4 5 6}: 6 is what makes it fail, there
#pragma once

#include "technique/minimize/search.h"

namespace faultline::technique {

struct Isolated {
  Subset passing, failing;
  // One element differs; or more, and to add any of them to the passing one, or take it from the failing one,
  // gives no verdict.
  bool isMinimal = false;
  Subset difference() const { return without(failing, passing); }
};

// `passing` is a part of `failing`; each is known to be what its name says.
Result<Isolated> isolate(Search& search, const Tester& tester, Subset passing, Subset failing,
                         const std::function<void(const Isolated&)>& onCloser = nullptr);

} // namespace faultline::technique
