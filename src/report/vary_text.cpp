#include "report/vary_text.h"

#include "report/excerpt.h"

#include <fmt/format.h>

namespace faultline::report {
namespace {

std::string nameOf(const finding::Variation& v) {
  if (v.what == "repetition") return "The same again";
  return v.what == "schedule" ? "Other schedules of threads" : "Other layouts of memory";
}

std::string counts(const finding::Variation& v) {
  if (!v.skipped.empty()) return "not tried: " + v.skipped;
  std::string out = fmt::format("of {} runs {} failed in the same way", v.tried, v.same);
  if (v.passed) out += fmt::format(", {} passed", v.passed);
  if (v.other) out += fmt::format(", {} failed in another way", v.other);
  if (v.none) out += fmt::format(", {} had no verdict", v.none);
  return out + ".";
}

std::string meaning(const finding::Variation& v, const std::string& command) {
  if (!v.depends()) return "";
  if (v.what == "repetition") return "The failure is not stable: what follows may be chance.";
  if (v.what == "layout")
    return "The failure depends on where things lie in memory, or on what is in memory that nobody wrote: "
           "look for an "
           "overflow, for memory that is used after it was freed, or before it was set.";
  std::string out = "The failure depends on the order in which threads run: look for a race.";
  if (v.passing)
    out += fmt::format(" One that passes: faultline record --seed {} -- {}", *v.passing, command);
  return out;
}

} // namespace

std::string renderVary(const finding::VaryReport& report, const Screen& screen) {
  std::string out;
  if (report.failure) out += wrapped(headline(*report.failure, screen), screen.width(), 2) + "\n\n";
  for (const finding::Variation& v : report.variations) {
    out += wrapped(fmt::format("{}: {}", nameOf(v), counts(v)), screen.width(), 2) + "\n";
    if (std::string text = meaning(v, report.command); !text.empty())
      out += wrapped("  " + text, screen.width(), 2) + "\n";
  }
  return out + "\n" + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report
