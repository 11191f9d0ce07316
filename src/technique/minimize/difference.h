// What has to be changed to make one input into another, as single steps each of which can be taken or not:
// a piece goes, a piece comes. None of them: the first; all of them: the second.
//
//   "a b c" to "a x c", tokens:   b goes, x comes;   only the second: "a bx c"
#pragma once

#include "technique/minimize/inputs.h"

namespace faultline::technique {

struct DifferenceStep {
  size_t source = 0;
  bool comes = false;    // else it goes
  std::string_view text; // of the one that has it
  size_t offset = 0;     // in the second of the two; of what goes, where it was
};

class Difference {
public:
  // Both have the same sources in the same order.
  Difference(const InputSet& from, const InputSet& to, const Unit& unit);
  Difference(const Difference&) = delete; // its steps point into it
  Difference& operator=(const Difference&) = delete;

  size_t size() const { return size_; }
  InputSet with(const Subset& steps) const;
  // Lives as long as this does.
  std::vector<DifferenceStep> steps() const;

private:
  struct Step {
    enum Kind { Same, Goes, Comes } kind;
    std::string_view text;
    uint32_t number = 0; // of those that are not Same
  };
  void compare(std::string_view from, std::string_view to, const Unit& unit, std::vector<Step>& steps);

  InputSet from_, to_;
  std::vector<std::vector<Step>> steps_; // by source
  std::vector<std::optional<uint32_t>> presence_;
  uint32_t size_ = 0;
};

} // namespace faultline::technique
