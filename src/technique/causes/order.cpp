#include "technique/causes/order.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace faultline::technique {

using finding::CauseLine;
using finding::CauseNodeInfo;
using finding::CauseStatement;

namespace {

double ofNode(const CauseNodeInfo& n, const ReadingWeights& w) {
  double cost = w.level * n.level + w.alike * std::log(double(std::max<uint64_t>(1, n.count)));
  if (n.kind == "place") cost += w.place;
  if (n.kind == "decided") cost += w.decided;
  return cost;
}

double ofStatement(const CauseStatement& s, uint64_t end, const std::string& file, const ReadingWeights& w) {
  double cost = w.distance * std::log1p(s.distance) + w.gap * std::log1p(double(end - s.time)) +
                w.often * std::log(double(std::max<uint64_t>(1, s.instances))) + w.does[size_t(s.does)];
  return s.place.file == file ? cost + w.sameFile : cost;
}

} // namespace

std::vector<CauseLine> readingOrder(const std::vector<CauseNodeInfo>& nodes, const ReadingWeights& weights) {
  uint64_t end = 0;
  std::string file;
  for (const CauseNodeInfo& n : nodes)
    for (const CauseStatement& s : n.statements) {
      end = std::max(end, s.time);
      if (file.empty() && !s.isLibrary) file = s.place.file;
    }
  std::vector<CauseLine> lines;
  std::map<std::pair<std::string, uint32_t>, size_t> known;
  for (const CauseNodeInfo& n : nodes)
    for (const CauseStatement& s : n.statements) {
      if (s.isLibrary) continue;
      double cost = ofNode(n, weights) + ofStatement(s, end, file, weights);
      auto [it, isNew] = known.try_emplace({s.place.file, s.place.line}, lines.size());
      if (isNew) lines.emplace_back();
      CauseLine& line = lines[it->second];
      if (isNew || cost < line.cost) line = {s.place, n.id, s.does, cost};
    }
  std::multimap<double, size_t> sorted; // equal ones in the order of the tree
  for (size_t k = 0; k < lines.size(); ++k) sorted.emplace(lines[k].cost, k);
  std::vector<CauseLine> out;
  for (auto [cost, k] : sorted) out.push_back(std::move(lines[k]));
  return out;
}

void preferRepairs(const std::vector<TriedChange>& changes, std::vector<CauseLine>& order) {
  auto counts = [](const finding::Effect& effect) {
    return effect.share * (effect.leadsAround() ? 0.5 : 1) * (effect.status ? 0.5 : 1);
  };
  for (CauseLine& line : order)
    for (const TriedChange& c : changes)
      if (c.place.file == line.place.file && c.place.line == line.place.line &&
          counts(c.effect) > counts(line.effect)) {
        line.repair = c.text;
        line.effect = c.effect;
      }
  std::multimap<double, CauseLine, std::greater<>> sorted; // equal ones stay in order
  for (CauseLine& line : order) sorted.emplace(counts(line.effect), std::move(line));
  order.clear();
  for (auto& [counted, line] : sorted) order.push_back(std::move(line));
}

} // namespace faultline::technique
