#include "finding/invariants_report.h"

namespace faultline::finding {
namespace {

Json toJson(const InvariantStepInfo& s) {
  Json json = toJson(s.place);
  json["kind"] = s.kind;
  json["statement"] = s.statement;
  json["before"] = s.before;
  json["after"] = s.after;
  json["checked"] = {{"implied", s.isImplied}, {"enough", s.isEnough}, {"asked", s.isAsked}};
  if (!s.doubt.empty()) json["checked"]["doubt"] = s.doubt;
  if (!s.experiment.empty()) json["checked"]["experiment"] = s.experiment;
  json["opaque"] = s.opaque;
  json["sources"] = s.sources;
  json["time"] = s.time;
  json["count"] = s.count;
  if (s.omittedSteps) json["omitted"] = {{"rounds", s.omittedRounds}, {"steps", s.omittedSteps}};
  return json;
}

} // namespace

Document toDocument(const InvariantsReport& report) {
  Document document;
  document.technique = "invariants";
  document.program = report.program;
  document.failure = report.failure;
  document.caveats = report.caveats;
  document.stats = report.stats;
  document.part["addresses"] = report.addresses;
  document.part["steps"] = Json::array();
  for (const InvariantStepInfo& s : report.steps) document.part["steps"].push_back(toJson(s));
  document.part["end"] = {{"place", toJson(report.place)}, {"holds", report.holds}};
  if (report.errorProgram)
    document.part["error_program"] = {{"path", report.errorProgram->path},
                                      {"fails", report.errorProgram->fails}};
  return document;
}

} // namespace faultline::finding
