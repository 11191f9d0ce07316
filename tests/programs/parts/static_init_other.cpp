#include <cstdlib>
#include <string>

int otherValue = std::abs(-7);

std::string& registry() {
  static std::string text;
  return text;
}
