#include "finding/minimize_report.h"

namespace faultline::finding {

Json toJson(const MinimizedInput& input) {
  Json out = {{"what", input.what},
              {"before", input.before},
              {"after", input.after},
              {"written", input.written.empty() ? Json(nullptr) : Json(input.written)},
              {"text", input.text}};
  if (input.isCut) out["text_cut"] = true;
  if (input.isGone) out["gone"] = true;
  return out;
}

// What scripts look at first: one input, or all of them as if they were one.
Json inputJson(const std::vector<MinimizedInput>& inputs) {
  if (inputs.size() == 1) return toJson(inputs[0]);
  std::string what;
  uint64_t before = 0, after = 0;
  Json written = nullptr;
  for (const MinimizedInput& i : inputs) {
    what += (what.empty() ? "" : ", ") + i.what;
    before += i.before;
    after += i.after;
    if (!i.written.empty() && written.is_null()) written = i.written;
  }
  return {{"what", what}, {"before", before}, {"after", after}, {"written", written}};
}

Document toDocument(const MinimizeReport& report) {
  Document out{.technique = "minimize",
               .program = report.program,
               .failure = report.failure,
               .caveats = report.caveats,
               .stats = report.stats};
  out.part["input"] = inputJson(report.inputs);
  Json all = Json::array();
  for (const MinimizedInput& i : report.inputs) all.push_back(toJson(i));
  out.part["inputs"] = std::move(all);
  if (report.difference) {
    Json passing = Json::array();
    for (const MinimizedInput& i : report.difference->passing) passing.push_back(toJson(i));
    out.part["difference"] = {{"passing", std::move(passing)},
                              {"steps", report.difference->steps},
                              {"lines", report.difference->lines}};
  }
  out.part["one_minimal"] = report.isOneMinimal;
  out.part["unit"] = report.unit;
  if (!report.stopped.empty()) out.part["stopped"] = report.stopped;
  out.part["runs"] = report.runs;
  out.part["command"] = report.command;
  out.part["confirmed"] = report.isConfirmed;
  out.stats["seconds"] = report.seconds;
  return out;
}

} // namespace faultline::finding
