#include "finding/critical_report.h"

#include <fmt/format.h>

namespace faultline::finding {
namespace {

Json toJson(const CriticalDecision& d) {
  Json out = finding::toJson(d.place);
  out["instance"] = d.instance;
  out["time"] = d.time;
  if (d.executions > 1) out["executions"] = d.executions;
  if (d.condition) {
    out["condition"] = d.condition->name;
    out["taken"] = d.condition->text;
  }
  if (d.switchedTo) out["switched_to"] = *d.switchedTo;
  out["in_slice"] = d.inSlice;
  out["verified"] = d.verified;
  addEffect(out, d.effect);
  if (!d.unverified.empty()) out["unverified_because"] = d.unverified;
  return out;
}

} // namespace

std::string otherwiseText(const CriticalDecision& d) {
  if (d.switchedTo)
    return fmt::format("had it been {}{}", *d.switchedTo,
                       d.executions > 1 ? fmt::format(" in {} executions", d.executions) : "");
  if (d.executions > 1) return fmt::format("taken the other way in {} executions", d.executions);
  return "taken the other way";
}

Document toDocument(const CriticalReport& report) {
  Document document{.technique = "critical", .program = report.program};
  document.failure = report.failure;
  document.caveats = report.caveats;
  document.part["predicates"] = Json::array();
  for (const CriticalDecision& d : report.decisions) document.part["predicates"].push_back(toJson(d));
  document.stats = report.stats;
  document.stats["candidates"] = report.candidates;
  document.stats["experiments"] = report.tried;
  document.stats["passed"] = report.passed;
  document.stats["passed_around"] = report.around;
  document.stats["ended_in_order"] = report.orderly;
  document.stats["same_failure"] = report.same;
  document.stats["other_failure"] = report.other;
  document.stats["no_verdict"] = report.none;
  document.stats["method"] = report.method;
  document.stats["search_seconds"] = report.seconds;
  return document;
}

} // namespace faultline::finding
