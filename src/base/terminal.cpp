#include "base/terminal.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace faultline {
namespace {

std::string_view variable(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

int widthOf(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  int columns = atoi(std::string(variable("COLUMNS")).c_str());
  return columns > 0 ? columns : 80;
}

std::string_view code(Style style) {
  switch (style) {
  case Style::Plain:
    return "0";
  case Style::Bold:
    return "1";
  case Style::Dim:
    return "2";
  case Style::Red:
    return "31";
  case Style::Green:
    return "32";
  case Style::Yellow:
    return "33";
  case Style::Blue:
    return "34";
  }
  return "0";
}

} // namespace

Terminal Terminal::of(int fd, ColorChoice choice) {
  Terminal terminal;
  terminal.interactive = isatty(fd) && variable("TERM") != "dumb";
  terminal.color = choice == ColorChoice::Always ||
                   (choice == ColorChoice::Auto && terminal.interactive && variable("NO_COLOR").empty());
  terminal.width = widthOf(fd);
  return terminal;
}

std::string Terminal::paint(Style style, std::string_view text) const {
  if (!color || style == Style::Plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code(style), text);
}

} // namespace faultline
