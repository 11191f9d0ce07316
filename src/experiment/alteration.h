// One change to a run. An instance is named as everywhere: by its epoch and its instruction. Several
// alterations may go into one run; each says afterwards whether it was reached.
//
//   {.kind = Switch, .epoch = 4711, .instruction = 89}                 the branch goes the other way, once
//   {.kind = SwitchFromThen, ...}                                      and each time from then on
//   {.kind = SwitchTo, ..., .value = 3}                                a switch, as if its selector were 3
//   {.kind = ReplaceValue, ..., .value = 0}                            what the instance defines is 0 instead
//   {.kind = WriteMemory, ..., .address = 0x5555..., .bytes = "\1\0"}  before the instance
//   {.kind = Skip, ..., .value = 0}                                    not done; its result, if any, is 0
#pragma once

#include <cstdint>
#include <string>

namespace faultline::experiment {

struct Alteration {
  enum Kind { Switch, SwitchFromThen, SwitchTo, ReplaceValue, WriteMemory, Skip };
  Kind kind = Switch;
  uint64_t epoch = 0;
  uint32_t instruction = 0; // global id
  uint64_t value = 0;
  uint64_t address = 0;
  std::string bytes = {};
  bool operator==(const Alteration&) const = default;
};

} // namespace faultline::experiment
