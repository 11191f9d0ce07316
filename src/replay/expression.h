// A small expression of the source over a stopped frame: names, members, elements, dereference and address.
//
//   count    list.head->next    table[i].name    *p    &buf[3]    this->size, or size within a method
#pragma once

#include "replay/value_text.h"
#include "replay/variables.h"

#include "base/result.h"

namespace faultline::replay {

// Where the value is; for `&x` and numbers it is held in the place itself. Errors name the part that failed.
Result<ValuePlace> evaluate(std::string_view expression, const FrameView& frame, const MemoryView& memory,
                            const SymbolView& symbols);

// A pointer to the place, as a value.
ValuePlace addressOf(const ValuePlace& place);

} // namespace faultline::replay
