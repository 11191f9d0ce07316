#include "technique/chop/chop.h"

#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

namespace faultline::technique {
namespace {

using Key = std::tuple<std::string, uint32_t, std::string>;
Key keyOf(const finding::Place& p) { return {p.file, p.line, p.function}; }

// Instructions of the first that have an instance in both; how many such instances.
std::map<uint32_t, uint64_t> meeting(const depend::Slice& a, const depend::Slice& b) {
  std::map<uint32_t, uint64_t> out;
  if (!a.hasAllNodes || !b.hasAllNodes) {
    for (const auto& [id, count] : a.instructions)
      if (b.instructions.contains(id)) out[id] = count.instances;
    return out;
  }
  std::unordered_set<uint64_t> times;
  for (const depend::Node& n : b.nodes)
    if (n.id) times.insert(n.time);
  for (const depend::Node& n : a.nodes)
    if (times.contains(n.time) && b.instructions.contains(n.id)) ++out[n.id];
  return out;
}

} // namespace

Chop chopOf(const std::vector<finding::SliceStatement>& statements, const ChopQuestion& question) {
  Chop out;
  out.isByInstance = question.backward.hasAllNodes && question.forward.hasAllNodes;
  std::map<Key, uint64_t> carried; // instances, the most of an instruction of the statement
  for (auto [id, instances] : meeting(question.backward, question.forward)) {
    uint64_t& most = carried[keyOf(question.placeOf(id))];
    most = std::max(most, instances);
    out.instances += instances;
  }
  std::set<Key> touched, forward;
  for (const auto& [id, count] : question.ofAnyInput.instructions)
    touched.insert(keyOf(question.placeOf(id)));
  for (const auto& [id, count] : question.forward.instructions)
    if (finding::Place place = question.placeOf(id); place.isKnown()) forward.insert(keyOf(place));
  out.forwardStatements = forward.size();
  for (const finding::SliceStatement& s : statements) {
    if (auto found = carried.find(keyOf(s.place)); found != carried.end()) {
      out.statements.push_back(s);
      out.statements.back().instances = found->second;
    } else if (!touched.contains(keyOf(s.place))) {
      out.constants.push_back(s);
    }
  }
  return out;
}

std::vector<finding::SliceStatement> potentialOf(const std::vector<finding::SliceStatement>& relevant,
                                                 const std::vector<finding::SliceStatement>& backward,
                                                 const ChopQuestion& question) {
  std::set<Key> known;
  for (const finding::SliceStatement& s : backward) known.insert(keyOf(s.place));
  std::vector<finding::SliceStatement> more;
  for (const finding::SliceStatement& s : relevant)
    if (!known.contains(keyOf(s.place))) more.push_back(s);
  Chop met = chopOf(more, question);
  std::set<Key> kept;
  for (const finding::SliceStatement& s : met.statements) kept.insert(keyOf(s.place));
  for (const finding::SliceStatement& s : met.constants) kept.insert(keyOf(s.place));
  std::erase_if(more, [&](const finding::SliceStatement& s) { return !kept.contains(keyOf(s.place)); });
  return more;
}

} // namespace faultline::technique
