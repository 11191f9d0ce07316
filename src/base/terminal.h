// What we may assume of the place that text goes to: whether a person watches it, whether it takes colour,
// and how wide it is. A value: decided once, when it is made, and passed to whoever prints.
#pragma once

#include <string>
#include <string_view>

namespace faultline {

// --color auto|always|never. Auto means colour on a terminal, unless NO_COLOR is set or TERM is "dumb".
enum class ColorChoice { Auto, Always, Never };

enum class Style { Plain, Bold, Dim, Red, Green, Yellow, Blue };

struct Terminal {
  bool interactive = false; // a terminal that can redraw a line
  bool color = false;
  int width = 80;

  static Terminal of(int fd, ColorChoice choice = ColorChoice::Auto);

  // The text in that style, or as it stands where there is no colour.
  std::string paint(Style style, std::string_view text) const;
};

} // namespace faultline
