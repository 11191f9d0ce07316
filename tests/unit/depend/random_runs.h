// Runs of programs made at random, and questions about them. FAULTLINE_SEEDS=20000 tries that many programs,
// FAULTLINE_FIRST_SEED=7 others than those from 0 on.
#pragma once

#include "depend/slice.h"
#include "unit/depend/program_maker.h"
#include "unit/depend/reference_slice.h"

#include <fmt/format.h>

namespace faultline::depend::testing {

inline uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text ? strtoull(text, nullptr, 10) : otherwise;
}

inline replay::Replay openRun(ProgramMaker& made, uint64_t checkpoints = 200) {
  auto log = made.assembler.log();
  log.enter(0, FL_EXT_ROOT, made.main(), {1, 2});
  replay::ReplayOptions options;
  options.endEpoch = 1u << 30;
  options.checkpointInterval = checkpoints;
  return replay::testing::openReplay(made.assembler, log, options);
}

using Instances = std::set<std::pair<uint64_t, uint32_t>>;

inline Instances instancesOf(const Slice& slice) {
  Instances found;
  for (const Node& n : slice.nodes) found.insert({n.time, n.id});
  return found;
}

// The same walk: nodes, where values come from, counts.
inline ::testing::AssertionResult isSame(const Slice& a, const Slice& b) {
  auto sameNode = [](const Node& x, const Node& y) {
    return x.time == y.time && x.id == y.id && x.consumer == y.consumer && x.why == y.why &&
           x.thread == y.thread;
  };
  auto sameLeaf = [](const Leaf& x, const Leaf& y) {
    return x.kind == y.kind && x.time == y.time && x.id == y.id && x.from == y.from && x.size == y.size &&
           x.consumer == y.consumer;
  };
  for (size_t k = 0; k < std::min(a.nodes.size(), b.nodes.size()); ++k)
    if (const Node &x = a.nodes[k], &y = b.nodes[k]; !sameNode(x, y))
      return ::testing::AssertionFailure()
             << fmt::format("node {}: {}@{} for {} {} and {}@{} for {} {}", k, x.id, x.time, x.consumer,
                            int(x.why), y.id, y.time, y.consumer, int(y.why));
  if (a.nodes.size() != b.nodes.size())
    return ::testing::AssertionFailure() << a.nodes.size() << " nodes, and other " << b.nodes.size();
  if (!std::equal(a.leaves.begin(), a.leaves.end(), b.leaves.begin(), b.leaves.end(), sameLeaf))
    return ::testing::AssertionFailure() << a.leaves.size() << " leaves, and other " << b.leaves.size();
  if (a.start != b.start || a.walked != b.walked || a.isBounded != b.isBounded)
    return ::testing::AssertionFailure() << "they end at " << a.start << " and " << b.start;
  return ::testing::AssertionSuccess();
}

inline ::testing::AssertionResult hasSameCounts(const Slice& a, const Slice& b) {
  for (auto& [id, count] : a.instructions)
    if (auto it = b.instructions.find(id);
        it == b.instructions.end() || it->second.instances != count.instances)
      return ::testing::AssertionFailure() << id << " has " << count.instances << " instances";
  return a.instructions.size() == b.instructions.size() ? ::testing::AssertionSuccess()
                                                        : ::testing::AssertionFailure() << "others too";
}

// The same nodes and leaves, whoever needed them.
inline ::testing::AssertionResult hasSameInstances(const Slice& a, const Slice& b) {
  std::multiset<std::pair<uint64_t, uint32_t>> nodes[2];
  std::multiset<std::tuple<int, uint64_t, uint64_t, uint64_t>> leaves[2];
  for (int k = 0; k < 2; ++k) {
    for (const Node& n : (k ? b : a).nodes) nodes[k].insert({n.time, n.id});
    for (const Leaf& l : (k ? b : a).leaves) leaves[k].insert({l.kind, l.time, l.from, l.size});
  }
  if (nodes[0] != nodes[1]) return ::testing::AssertionFailure() << "other nodes";
  if (leaves[0] != leaves[1]) return ::testing::AssertionFailure() << "other leaves";
  return a.start == b.start && a.walked == b.walked ? ::testing::AssertionSuccess()
                                                    : ::testing::AssertionFailure() << "another end";
}

// Of each instruction as many instances as nodes.
inline ::testing::AssertionResult countsAgree(const Slice& slice) {
  std::map<uint32_t, uint64_t> counts;
  for (const Node& n : slice.nodes) ++counts[n.id];
  for (auto& [id, count] : slice.instructions)
    if (counts[id] != count.instances)
      return ::testing::AssertionFailure() << id << " counts " << count.instances << ", has " << counts[id];
  return counts.size() == slice.instructions.size() ? ::testing::AssertionSuccess()
                                                    : ::testing::AssertionFailure() << "other instructions";
}

inline std::string describe(const Recorder& recorder, const Instances& a, const Instances& b) {
  std::string text;
  unsigned shown = 0;
  for (auto& [time, id] : a)
    if (!b.contains({time, id}) && ++shown < 8)
      text += fmt::format(" {}@{}(op {})", id, time,
                          int(recorder.executed[recorder.at.at(time)].instruction->op));
  return text;
}

struct Asked {
  uint64_t time;
  std::vector<uint32_t> operands;
};

inline Asked someQuestion(const Recorder& recorder, std::mt19937_64& random) {
  size_t count = recorder.executed.size(), which = random() % count;
  if (random() % 2) which = count - 1 - random() % std::min<size_t>(count, 100);
  const Executed& x = recorder.executed[which];
  std::vector<uint32_t> values;
  fir::forEachValue(*x.module->image, *x.instruction, [&](uint32_t k, uint32_t) {
    if (!x.operands[k].empty()) values.push_back(k);
  });
  Asked asked{x.time, {}};
  if (!values.empty() && random() % 8) asked.operands.push_back(values[random() % values.size()]);
  return asked;
}

} // namespace faultline::depend::testing
