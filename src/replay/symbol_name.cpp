#include "replay/symbol_name.h"

#include "replay/debug_type.h"

#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace faultline::replay {
namespace {

// Where the list of parameters opens: the parenthesis that the last one closes.
size_t parametersOf(std::string_view text) {
  size_t close = text.rfind(')');
  if (close == std::string_view::npos) return std::string_view::npos;
  int depth = 0;
  for (size_t at = close + 1; at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// A template's name is shown behind its return type: the name starts after the last blank outside of
// brackets.
size_t nameStart(std::string_view text) {
  size_t operatorAt = text.find("operator");
  int depth = 0;
  size_t start = 0;
  for (size_t at = 0; at < text.size() && at < operatorAt; ++at) {
    if (text[at] == '<' || text[at] == '(') ++depth;
    if (text[at] == '>' || text[at] == ')') --depth;
    if (text[at] == ' ' && depth == 0) start = at + 1;
  }
  return start;
}

} // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                              std::free);
  return status == 0 && text && name.starts_with("_Z") ? plainTemplateName(text.get()) : name;
}

std::string functionName(const std::string& linkerName) {
  std::string text = demangled(linkerName);
  if (text == linkerName) return text;
  text = text.substr(0, parametersOf(text));
  if (size_t tag = text.find("[abi:"); tag != std::string::npos)
    text.erase(tag, text.find(']', tag) + 1 - tag);
  return text.substr(nameStart(text));
}

} // namespace faultline::replay
