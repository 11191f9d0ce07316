#include "finding/causes_report.h"

namespace faultline::finding {
namespace {

Json toJson(const CauseStatement& s) {
  Json json = toJson(s.place);
  json["instances"] = s.instances;
  if (s.value) json["value"] = toJson(*s.value);
  json["decides"] = s.isCondition;
  json["distance"] = s.distance;
  json["does"] = doesName(s.does);
  if (s.isLibrary) json["library"] = true;
  return json;
}

Json toJson(const CauseNodeInfo& n) {
  Json json;
  json["id"] = n.id;
  json["parent"] = n.id == n.parent ? Json(nullptr) : Json(n.parent);
  json["level"] = n.level;
  json["kind"] = n.kind;
  Json condition = {{"place", toJson(n.place)}};
  if (n.condition) condition["text"] = n.condition->name, condition["outcome"] = n.condition->text;
  condition["instance"] = n.instance;
  json["condition"] = condition;
  json["relation"] = n.relation;
  json["statements"] = Json::array();
  for (const CauseStatement& s : n.statements) json["statements"].push_back(toJson(s));
  json["sources"] = n.sources;
  json["contradiction"] = n.contradiction;
  json["count"] = n.count;
  json["distance"] = n.distance;
  json["expanded"] = n.isExpanded;
  json["minimal"] = n.isMinimal;
  json["left_open"] = n.isLeftOpen;
  return json;
}

Json toJson(const CauseLine& line) {
  Json json = toJson(line.place);
  json["node"] = line.node;
  json["does"] = doesName(line.does);
  json["instances"] = line.instances;
  json["left_open"] = line.isLeftOpen;
  if (!line.repair.empty()) {
    json["repair"] = line.repair;
    addEffect(json, line.effect);
  }
  return json;
}

} // namespace

std::string_view doesName(Does does) {
  constexpr std::string_view kNames[] = {"passes", "assigns",  "tests",   "constant",
                                         "equals", "computes", "compares"};
  return kNames[size_t(does)];
}

Json nodesJson(const std::vector<CauseNodeInfo>& nodes) {
  Json out = Json::array();
  for (const CauseNodeInfo& n : nodes) out.push_back(toJson(n));
  return out;
}

Document toDocument(const CausesReport& report) {
  Document document;
  document.technique = "causes";
  document.program = report.program;
  document.failure = report.failure;
  document.caveats = report.caveats;
  document.stats = report.stats;
  document.part["nodes"] = nodesJson(report.nodes);
  document.part["order"] = Json::array();
  for (const CauseLine& line : report.order) document.part["order"].push_back(toJson(line));
  document.part["correct"] = report.correct;
  document.part["folded"] = report.folded;
  document.part["left_open"] = report.leftOpen;
  return document;
}

} // namespace faultline::finding
