#include "finding/explanation.h"

namespace faultline::finding {

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
  document.part["tried"] = explanation.tried;
  return document;
}

} // namespace faultline::finding
