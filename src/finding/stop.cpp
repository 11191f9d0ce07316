#include "finding/stop.h"

namespace faultline::finding {
namespace {

Json toJson(const std::vector<Value>& values) {
  Json out = Json::array();
  for (const Value& v : values) out.push_back(finding::toJson(v));
  return out;
}

Json toJson(const StackFrame& frame) {
  Json out = {{"number", frame.number}, {"place", finding::toJson(frame.place)}};
  out["arguments"] = toJson(frame.arguments);
  out["variables"] = toJson(frame.variables);
  if (!frame.globals.empty()) out["globals"] = toJson(frame.globals);
  return out;
}

} // namespace

Document toDocument(const StopReport& report) {
  Document out;
  out.technique = "show";
  out.program = report.program;
  out.failure = report.failure;
  out.caveats = report.caveats;
  out.stats = report.stats;
  out.part["instance"] = report.instance;
  if (!report.callee.empty()) out.part["callee"] = report.callee;
  out.part["depth"] = report.depth;
  out.part["stack"] = Json::array();
  for (const StackFrame& f : report.stack) out.part["stack"].push_back(toJson(f));
  if (!report.nesting.empty()) {
    Json levels = Json::array();
    for (const NestingLevel& l : report.nesting) {
      Json one = {{"kind", l.kind}, {"place", finding::toJson(l.place)}, {"instance", l.instance}};
      if (l.kind == "loop") one["round"] = l.round;
      levels.push_back(std::move(one));
    }
    out.part["index"] = std::move(levels);
  }
  if (!report.printed.empty()) out.part["printed"] = toJson(report.printed);
  return out;
}

} // namespace faultline::finding
