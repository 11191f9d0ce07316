// What an explanation says of each line of the source, gathered for reports that show the source itself.
#pragma once

#include "finding/explanation.h"

#include <map>
#include <set>

namespace faultline::report {

struct Mark {
  size_t rank = 0; // as a suspect, from 1; 0: none
  double heat = 0; // 0 to 1: its score, relative to the first suspect's
  bool isFailure = false, isInTree = false;
  struct Step {
    size_t suspect, number; // from 1
  };
  std::vector<Step> steps = {};
  std::vector<std::string> values = {}; // what was seen there, each once; of the first suspect's chain first
};

// By file, then by line. Lines in the tree alone are a little warm.
using Marks = std::map<std::string, std::map<uint32_t, Mark>>;
Marks marksOf(const finding::Explanation& explanation);

// Files, that of the failure and of the best suspects first.
std::vector<std::string> filesByInterest(const finding::Explanation& explanation, const Marks& marks);

} // namespace faultline::report
