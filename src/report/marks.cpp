#include "report/marks.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {
namespace {

constexpr double kInTree = 0.08;
constexpr size_t kMostValues = 8; // of a line

void addValue(Mark& mark, const std::string& text) {
  if (text.empty() || mark.values.size() >= kMostValues) return;
  if (std::find(mark.values.begin(), mark.values.end(), text) == mark.values.end())
    mark.values.push_back(text);
}

std::string valueText(const finding::CauseStatement& s) {
  return s.value ? finding::valueText(*s.value, s.isCondition) : "";
}

} // namespace

Marks marksOf(const finding::Explanation& explanation) {
  Marks marks;
  auto at = [&](const finding::Place& place) -> Mark* {
    return place.isKnown() ? &marks[place.file][place.line] : nullptr;
  };
  double top = explanation.suspects.empty() ? 0 : explanation.suspects[0].score;
  for (size_t k = 0; k < explanation.suspects.size(); ++k) {
    const finding::Suspect& s = explanation.suspects[k];
    if (Mark* mark = at(s.place)) {
      mark->rank = k + 1;
      mark->heat = top > 0 ? std::clamp(s.score / top, 0.0, 1.0) : 0;
    }
    for (size_t n = 0; n < s.chain.size(); ++n)
      if (Mark* mark = at(s.chain[n].place)) {
        mark->steps.push_back({k + 1, n + 1});
        addValue(*mark, s.chain[n].text);
      }
  }
  for (const finding::CauseNodeInfo& n : explanation.tree)
    for (const finding::CauseStatement& s : n.statements)
      if (Mark* mark = s.isLibrary ? nullptr : at(s.place)) {
        mark->isInTree = true;
        mark->heat = std::max(mark->heat, kInTree);
        addValue(*mark, valueText(s));
      }
  if (explanation.failure)
    if (Mark* mark = at(explanation.failure->place)) mark->isFailure = true;
  return marks;
}

std::vector<std::string> filesByInterest(const finding::Explanation& explanation, const Marks& marks) {
  std::vector<std::string> files;
  auto add = [&](const std::string& file) {
    if (marks.contains(file) && std::find(files.begin(), files.end(), file) == files.end())
      files.push_back(file);
  };
  for (const finding::Suspect& s : explanation.suspects) add(s.place.file);
  if (explanation.failure) add(explanation.failure->place.file);
  for (const auto& [file, lines] : marks) add(file);
  return files;
}

} // namespace faultline::report
