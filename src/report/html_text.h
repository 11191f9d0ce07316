// Text of programs as part of a page.
#pragma once

#include <string>
#include <string_view>

namespace faultline::report {

// Valid UTF-8 without markup. Control characters and those that change the order of reading are made visible:
// what a person sees is what the compiler saw. Tabs stay.
std::string html(std::string_view text);

// The same; what stands `in back quotes` becomes code.
std::string htmlWithCode(std::string_view text);

} // namespace faultline::report
