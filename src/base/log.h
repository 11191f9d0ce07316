// What the tool says about itself while it works, apart from its answer: notes, warnings, details. cli/ makes
// one Log from --quiet and --color and passes it down; there is no global one. A line is written whole, so
// lines of several threads do not mix.
#pragma once

#include "base/terminal.h"

#include <cstdio>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace faultline {

enum class Verbosity { Quiet, Normal, Verbose };

class Log {
public:
  // The stream is not owned. Quiet keeps warnings; they are part of the answer.
  Log(std::FILE* stream, Terminal terminal, Verbosity verbosity)
      : stream_(stream), terminal_(terminal), verbosity_(verbosity) {}

  template <class... Args> void warn(fmt::format_string<Args...> format, Args&&... args) const {
    write("warning: ", Style::Yellow, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args> void note(fmt::format_string<Args...> format, Args&&... args) const {
    if (verbosity_ != Verbosity::Quiet)
      write("", Style::Plain, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args> void detail(fmt::format_string<Args...> format, Args&&... args) const {
    if (verbosity_ == Verbosity::Verbose)
      write("", Style::Dim, fmt::format(format, std::forward<Args>(args)...));
  }

  const Terminal& terminal() const { return terminal_; }
  Verbosity verbosity() const { return verbosity_; }

private:
  void write(std::string_view prefix, Style style, std::string_view text) const;

  std::FILE* stream_;
  Terminal terminal_;
  Verbosity verbosity_;
};

} // namespace faultline
