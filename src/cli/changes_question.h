// The search for small changes of the code that make a run pass, as `changes` and `explain` make it.
#pragma once

#include "cli/laboratory.h"
#include "finding/changes_report.h"

#include <chrono>
#include <map>

namespace faultline::cli {

// What is to be tried first.
struct FirstLines {
  // By file and line: the lines of a reading order, each with its number.
  std::map<std::pair<std::string, uint32_t>, size_t> order = {};
  // Places of which the neighbourhood, within their functions, is likelier than what is far away.
  std::vector<finding::Place> near = {};

  void add(const finding::Place& place) { order.try_emplace({place.file, place.line}, order.size()); }
};

Result<finding::ChangesReport> findChanges(const Context& context, ValueRun& run, Laboratory& laboratory,
                                           const depend::Slice& slice, const FirstLines& first,
                                           const Effort& effort,
                                           std::chrono::steady_clock::time_point deadline);

} // namespace faultline::cli
