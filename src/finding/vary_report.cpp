#include "finding/vary_report.h"

namespace faultline::finding {
namespace {

Json toJson(const Variation& v) {
  Json out{{"what", v.what},         {"tried", v.tried},         {"passed", v.passed},
           {"same_failure", v.same}, {"other_failure", v.other}, {"no_verdict", v.none},
           {"depends", v.depends()}};
  if (!v.skipped.empty()) out["skipped"] = v.skipped;
  if (v.passing) out["passing"] = *v.passing;
  if (v.failingOtherwise) out["failing_otherwise"] = *v.failingOtherwise;
  return out;
}

} // namespace

Document toDocument(const VaryReport& report) {
  Document document{.technique = "vary", .program = report.program};
  document.failure = report.failure;
  document.caveats = report.caveats;
  document.part["variations"] = Json::array();
  for (const Variation& v : report.variations) document.part["variations"].push_back(toJson(v));
  document.stats = report.stats;
  document.stats["seconds"] = report.seconds;
  return document;
}

} // namespace faultline::finding
