#include "finding/memory_report.h"

namespace faultline::finding {
namespace {

Json toJson(const MemoryObjectInfo& object) {
  Json out = {{"kind", object.kind}};
  if (!object.name.empty()) out["name"] = object.name;
  if (!object.function.empty()) out["function"] = object.function;
  out["size"] = object.size;
  if (object.made) out["made"] = finding::toJson(*object.made);
  if (object.madeWithin) out["made_within"] = finding::toJson(*object.madeWithin);
  for (const Place& place : object.madeFor) out["made_for"].push_back(finding::toJson(place));
  if (object.ended) out["ended"] = finding::toJson(*object.ended);
  if (object.endedWithin) out["ended_within"] = finding::toJson(*object.endedWithin);
  for (const Place& place : object.endedFor) out["ended_for"].push_back(finding::toJson(place));
  out["text"] = object.text;
  return out;
}

} // namespace

Json toJson(const MemoryErrorInfo& error) {
  Json out = finding::toJson(error.place);
  out["kind"] = error.kind;
  if (!error.access.empty()) out["access"] = error.access;
  out["text"] = error.text;
  out["instance"] = error.instance;
  out["time"] = error.time;
  if (error.within) out["within"] = finding::toJson(*error.within);
  if (!error.by.empty()) out["by"] = error.by;
  if (!error.expression.empty()) out["expression"] = error.expression;
  if (error.size) out["size"] = *error.size;
  if (error.offset) out["offset"] = *error.offset;
  if (error.object) out["object"] = toJson(*error.object);
  if (!error.fellOn.empty()) out["fell_on"] = error.fellOn;
  out["values"] = Json::array();
  for (const Value& v : error.values) out["values"].push_back(finding::toJson(v));
  return out;
}

Document toDocument(const MemoryReport& report) {
  Document document{.technique = "memory", .program = report.program};
  document.failure = report.failure;
  document.caveats = report.caveats;
  document.part["errors"] = Json::array();
  for (const MemoryErrorInfo& e : report.errors) document.part["errors"].push_back(toJson(e));
  document.part["complete"] = report.isComplete;
  document.stats = report.stats;
  return document;
}

} // namespace faultline::finding
