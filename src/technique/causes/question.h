// What a cause tree begins with: the wish that the failure contradicts.
#pragma once

#include "depend/query.h"
#include "technique/causes/tree.h"

namespace faultline::technique {

// What is known of the value that should have been.
struct Wanted {
  enum Kind : uint8_t {
    Other,     // anything else
    NotNull,   // an address that can be accessed
    NotZero,   // a divisor
    Equal,     // `value`
    EqualByte, // `value`, as far as an exit status shows it
  } kind = Other;
  uint64_t value = 0;
};

// `thread`: that runs at the question's time.
Result<CauseQuestion> causeQuestion(logic::InstanceTerms& terms, const depend::Question& question,
                                    uint32_t thread, const Wanted& wanted);

} // namespace faultline::technique
