#include "finding/changes_report.h"

namespace faultline::finding {

Document toDocument(const ChangesReport& report) {
  Document document{.technique = "changes", .program = report.program};
  document.failure = report.failure;
  document.caveats = report.caveats;
  document.part["changes"] = Json::array();
  for (const CodeChange& c : report.changes) {
    Json one = toJson(c.place);
    one["form"] = c.form;
    one["text"] = c.text;
    one["verified"] = c.verified;
    addEffect(one, c.effect);
    if (c.edit) one["edit"] = toJson(*c.edit);
    document.part["changes"].push_back(std::move(one));
  }
  document.stats = report.stats;
  document.stats["places"] = report.places;
  document.stats["proposals"] = report.proposals;
  document.stats["experiments"] = report.tried;
  document.stats["passed"] = report.passed;
  document.stats["guards"] = report.guards;
  document.stats["guards_helped"] = report.guarded;
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
