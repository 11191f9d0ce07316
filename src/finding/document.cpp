#include "finding/document.h"

#include <cstring>

namespace faultline::finding {

std::string codeText(const std::string& name) { return name == kUnnamedCondition ? name : "`" + name + "`"; }

Json toJson(const Place& place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}, {"function", place.function}};
}

std::string valueText(const Value& value, bool isCondition) {
  if (value.name.empty()) return value.text;
  std::string with = value.with.empty() ? "" : " (" + value.with + ")";
  return value.name + (isCondition ? " is " : " = ") + value.text + with;
}

Json toJson(const Value& value) {
  Json out = {{"name", value.name}, {"type", value.type}, {"text", value.text}};
  if (!value.with.empty()) out["with"] = value.with;
  return out;
}

namespace {

Json toJson(const CriterionInfo& criterion) {
  return {{"instance", criterion.instance},
          {"place", toJson(criterion.place)},
          {"name", criterion.name},
          {"text", criterion.text}};
}

Json toJson(const OutputInfo& output) {
  Json out = {{"stream", output.stream},
              {"offset", output.offset},
              {"line", output.line},
              {"got", output.got},
              {"expected", output.expected},
              {"got_line", output.gotLine},
              {"expected_line", output.expectedLine}};
  if (output.call.empty()) return out;
  out["call"] = output.call;
  out["argument"] = output.argument;
  out["conversion"] = output.conversion;
  out["text"] = output.text;
  out["verified"] = output.isVerified;
  return out;
}

Json signalJson(int signal) {
  const char* name = sigabbrev_np(signal);
  return {{"number", signal}, {"name", name ? std::string("SIG") + name : ""}};
}

} // namespace

Json toJson(const FailureInfo& failure) {
  Json out = {{"kind", failure.kind}};
  if (failure.signal != 0) out["signal"] = signalJson(failure.signal);
  out["message"] = failure.message;
  out["place"] = toJson(failure.place);
  if (failure.calledFrom) out["called_from"] = toJson(*failure.calledFrom);
  if (failure.criterion) out["criterion"] = toJson(*failure.criterion);
  if (failure.output) out["output"] = toJson(*failure.output);
  return out;
}

Json toJson(const Document& document) {
  Json out = {{"schema", kSchema}, {"technique", document.technique}};
  out["program"] = {
      {"path", document.program.path}, {"argv", document.program.argv}, {"cwd", document.program.cwd}};
  out["failure"] = document.failure ? toJson(*document.failure) : Json(nullptr);
  for (const auto& [name, value] : document.part.items()) out[name] = value;
  out["caveats"] = document.caveats;
  out["stats"] = document.stats;
  return out;
}

std::string printed(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace faultline::finding
