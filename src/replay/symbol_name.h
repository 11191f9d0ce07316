// Linker names as the source has them.
#pragma once

#include <string>
#include <string_view>

namespace faultline::replay {

// `_ZSt9terminatev` as `std::terminate()`; a name that is not mangled as it is.
std::string demangled(const std::string& name);

// Only the function's own name, with its namespaces and classes: `std::vector<int>::operator[]`.
std::string functionName(const std::string& linkerName);

} // namespace faultline::replay
