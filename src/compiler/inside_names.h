// Code whose body is with us somewhere in the program, by linker name.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace faultline::compiler {

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using InsideNames = std::unordered_set<std::string, NameHash, std::equal_to<>>;

} // namespace faultline::compiler
