#include "finding/effect.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::finding {

std::string effectText(const Effect& effect) {
  if (effect.passes()) return "the run passes";
  if (effect.status) return fmt::format("the run ends by itself (status {})", *effect.status);
  int percent = std::clamp(int(effect.share * 100), 1, 99);
  return fmt::format("{} % of the output that was wrong comes out right", percent);
}

std::string wayText(const Effect& effect) {
  if (effect.complains) return ", but prints as much to standard error as before";
  if (!effect.leadsAround()) return "";
  return *effect.reaches > 0 ? ", but gets to where it failed less often"
                             : ", but never gets to where it failed";
}

void addEffect(Json& json, const Effect& effect) {
  json["share"] = effect.share;
  if (effect.status) json["ends_with_status"] = *effect.status;
  if (effect.complains) json["complains"] = true;
  if (effect.reaches) json["reaches_failure"] = *effect.reaches;
  if (effect.strays) json["strays"] = *effect.strays;
}

} // namespace faultline::finding
