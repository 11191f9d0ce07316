#include "finding/slice_report.h"

namespace faultline::finding {

namespace {

Json sourcesJson(const std::vector<SliceSource>& sources) {
  Json all = Json::array();
  for (const SliceSource& s : sources)
    all.push_back({{"kind", s.kind}, {"text", s.text}, {"place", toJson(s.place)}});
  return all;
}

} // namespace

Json statementsJson(const std::vector<SliceStatement>& statements) {
  Json out = Json::array();
  for (const SliceStatement& s : statements) {
    Json one = toJson(s.place);
    one["instances"] = s.instances;
    one["why"] = s.why;
    one["relation"] = s.relation;
    one["thin"] = s.isThin;
    one["library"] = s.isLibrary;
    if (s.value) one["value"] = toJson(*s.value);
    if (s.usedAt) one["used_at"] = toJson(*s.usedAt);
    if (!s.instance.empty()) one["instance"] = s.instance;
    out.push_back(std::move(one));
  }
  return out;
}

Document toDocument(const SliceReport& report) {
  Document out{.technique = report.technique,
               .program = report.program,
               .failure = report.failure,
               .caveats = report.caveats,
               .stats = report.stats};
  out.part["direction"] = report.direction;
  out.part["question"] = report.question;
  out.part["start"] = toJson(report.start);
  out.part["statements"] = statementsJson(report.statements);
  out.part["sources"] = sourcesJson(report.sources);
  return out;
}

Document toDocument(const OriginReport& report) {
  Document out{.technique = "origin",
               .program = report.program,
               .failure = report.failure,
               .caveats = report.caveats,
               .stats = report.stats};
  Json steps = Json::array();
  for (const OriginStep& s : report.steps) {
    Json one = toJson(s.place);
    one["how"] = s.how;
    if (s.value) one["value"] = toJson(*s.value);
    one["depth"] = s.depth;
    if (!s.instance.empty()) one["instance"] = s.instance;
    steps.push_back(std::move(one));
  }
  out.part["question"] = report.question;
  if (report.value) out.part["value"] = toJson(*report.value);
  out.part["start"] = toJson(report.start);
  out.part["steps"] = std::move(steps);
  out.part["sources"] = sourcesJson(report.sources);
  return out;
}

} // namespace faultline::finding
