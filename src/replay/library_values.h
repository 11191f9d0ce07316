// Values of the C++ standard library (libstdc++'s layouts), shown as what they stand for instead of as what
// they are made of. A type is recognised by its name and its members; one that does not look as expected is
// left to be printed as any other record.
#pragma once

#include "replay/value_text.h"

namespace faultline::replay {

// False: not one of them, and nothing written.
bool writeLibraryValue(ValueWriter& out, const ValuePlace& place, TypeRef type, unsigned depth);

} // namespace faultline::replay
