#include "report/critical_text.h"

#include "report/terminal.h"

#include <fmt/format.h>

namespace faultline::report {
namespace {

std::string sentence(const finding::CriticalDecision& d) {
  std::string condition = finding::codeText(
      d.condition && !d.condition->name.empty() ? d.condition->name : finding::kUnnamedCondition);
  std::string was = d.condition && !d.condition->text.empty() ? " was " + d.condition->text : " was decided";
  if (d.condition && !d.condition->with.empty()) was += " (" + d.condition->with + ")";
  return fmt::format("{}{}; {}, {}{}", condition, was, finding::otherwiseText(d),
                     finding::effectText(d.effect), finding::wayText(d.effect));
}

} // namespace

std::string renderCritical(const finding::CriticalReport& report, SourceFiles& files, const Screen& screen) {
  std::string out;
  if (report.failure) out += wrapped(headline(*report.failure, screen), screen.width(), 2) + "\n\n";
  size_t number = 0;
  for (const finding::CriticalDecision& d : report.decisions) {
    std::string function = d.place.function.empty() ? "" : fmt::format(" in {}()", d.place.function);
    out += wrapped(fmt::format("{}. {}{}: {}", ++number, placeText(d.place, screen), function, sentence(d)),
                   screen.width(), 3) +
           "\n";
    out += excerpt(files, d.place, screen, {.before = 1, .after = 1, .values = {}});
    if (!d.verified) out += fmt::format("   not confirmed: {}\n", d.unverified);
    if (!d.inSlice) out += "   the failure does not depend on it otherwise\n";
    out += fmt::format("   execution {}: faultline show --at @{}\n\n", d.instance, d.time);
  }
  if (report.decisions.empty() || !report.decisions.front().effect.passes())
    out += "No single decision was found that, taken the other way, makes the run pass.\n\n";
  out +=
      wrapped(fmt::format(
                  "{} experiments in {:.1f} s ({}): {} passed{}{}, {} failed in the same way, {} in "
                  "another, {} without a verdict.",
                  report.tried, report.seconds, report.method, report.passed,
                  report.around ? fmt::format(" ({} without getting to where it failed)", report.around) : "",
                  report.orderly ? fmt::format(", {} ended by themselves with another status", report.orderly)
                                 : "",
                  report.same, report.other, report.none),
              screen.width(), 0) +
      "\n";
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report
