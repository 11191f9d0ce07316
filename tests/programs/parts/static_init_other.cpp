#include <string>

static volatile int seven = 7; // keeps the initialiser from being folded
int otherValue = seven;

std::string& registry() {
  static std::string text;
  return text;
}
