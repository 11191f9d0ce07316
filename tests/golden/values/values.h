// Objects of the C++ standard library, described by values.fir, and made for real by the test that prints
// them.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace golden {

struct Shape {
  virtual ~Shape() = default;
  int sides = 3;
};
struct Square : Shape {
  enum class Fill { None, Solid } fill = Fill::Solid;
  std::string label = "sq";
  Shape* other = nullptr;
};

struct Objects {
  std::string text;
  std::string longText;
  std::string_view view;
  std::vector<int> numbers;
  std::vector<std::string> words;
  std::unique_ptr<int> owned;
  std::shared_ptr<int> shared;
  std::optional<int> some, none;
  std::map<int, std::string> byNumber;
  std::set<int> chosen;
  std::unordered_map<int, int> hashed;
  std::list<int> chain;
  std::deque<int> queue;
  std::array<int, 3> three;
  std::atomic<int> counter;
  std::pair<int, bool> pair;
  Square square;
  int& reference;
  long double wide;
  __int128 huge;
  double real;
  bool flag;
  char letter;
  char32_t codePoint;
};

} // namespace golden
