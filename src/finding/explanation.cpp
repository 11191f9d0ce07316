#include "finding/explanation.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::finding {

void Explanation::addCaveats(const std::vector<std::string>& more, const char* technique) {
  for (const std::string& text : more)
    if (std::find(caveats.begin(), caveats.end(), text) == caveats.end())
      caveats.push_back(fmt::format("{}: {}", technique, text));
}

bool Explanation::isDetail(const std::string& caveat) {
  static constexpr std::string_view kOf[] = {"causes: ", "critical: ", "changes: ", "chop: ", "invariants: "};
  return std::ranges::any_of(kOf, [&](std::string_view technique) { return caveat.starts_with(technique); });
}

std::vector<std::string> sentencesOf(const SmallestInput& smallest) {
  constexpr size_t kMostShown = 200;
  const char* same = smallest.isOfStatus ? "end with the same status" : "fail in the same way";
  std::vector<std::string> out;
  for (const MinimizedInput& i : smallest.inputs) {
    bool isCut = i.isCut || i.text.size() > kMostShown;
    std::string bytes = i.text.size() > kMostShown ? i.text.substr(0, kMostShown) + "..." : i.text;
    std::string perhaps = smallest.isOneMinimal ? "" : "; perhaps fewer would do";
    if (i.isGone || i.after == 0)
      out.push_back(fmt::format("{} is not needed for it to {}", i.what, same));
    else if (i.after == i.before)
      out.push_back(smallest.isOneMinimal
                        ? fmt::format("all {} bytes of {} are needed for it to {}", i.before, i.what, same)
                        : fmt::format("of the {} bytes of {} none was found in time that is not needed",
                                      i.before, i.what));
    else
      out.push_back(fmt::format("{} of {} bytes of {} {}{}: {}{}", i.after, i.before, i.what, same, perhaps,
                                isCut ? "they begin " : "", bytes));
  }
  return out;
}

Document toDocument(const Explanation& explanation) {
  Document document;
  document.technique = "explain";
  document.program = explanation.program;
  document.failure = explanation.failure;
  document.caveats = explanation.caveats;
  document.stats = explanation.stats;
  Json suspects = Json::array();
  for (size_t k = 0; k < explanation.suspects.size(); ++k) {
    const Suspect& s = explanation.suspects[k];
    Json json;
    json["rank"] = k + 1;
    json["place"] = toJson(s.place);
    json["score"] = s.score;
    json["reason"] = s.reason;
    json["evidence"] = Json::array();
    for (const Evidence& e : s.evidence) {
      json["evidence"].push_back({{"technique", e.technique}, {"text", e.text}, {"weight", e.weight}});
      if (e.edit) json["evidence"].back()["edit"] = toJson(*e.edit);
    }
    json["chain"] = Json::array();
    for (const ChainStep& step : s.chain) {
      Json one = toJson(step.place);
      one["text"] = step.text;
      if (step.hitsBefore) one["before"] = *step.hitsBefore, one["before_exact"] = step.isExact;
      json["chain"].push_back(std::move(one));
    }
    suspects.push_back(std::move(json));
  }
  document.part["suspects"] = std::move(suspects);
  if (!explanation.tree.empty()) document.part["tree"] = nodesJson(explanation.tree);
  if (const auto& smallest = explanation.smallest) {
    Json inputs = Json::array();
    for (const MinimizedInput& i : smallest->inputs) inputs.push_back(toJson(i));
    document.part["smallest_input"] = {{"inputs", std::move(inputs)},
                                       {"one_minimal", smallest->isOneMinimal}};
  }
  document.part["tried"] = explanation.tried;
  return document;
}

} // namespace faultline::finding
