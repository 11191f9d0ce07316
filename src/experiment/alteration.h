// One change to a run. An instance is named as everywhere: by its epoch and its instruction. Several
// alterations may go into one run; each says afterwards whether it was reached.
//
//   {.kind = Switch, .epoch = 4711, .instruction = 89}                 the branch goes the other way, once
//   {.kind = Switch, ..., .nth = 3}                                    the third time from then on
//   {.kind = Switch, ..., .each = true}                                and each time from then on
//   {.kind = SwitchTo, ..., .value = 3}                                a switch, as if its selector were 3
//   {.kind = ReplaceValue, ..., .value = 0}                            what the instance defines is 0 instead
//   {.kind = WriteMemory, ..., .address = 0x5555..., .bytes = "\1\0"}  before the instance
//   {.kind = AddToMemory, ..., .address = 0x5555..., .value = 1, .bytes = 4 bytes}  the same, one more
//   {.kind = Skip, ..., .value = 0}                                    not done; its result, if any, is 0
//   {.kind = Change, ..., .change = Operation, .value = FL_OPERATION_SUB}  computed otherwise
//   (abi/experiment.h)
//   {.kind = Leave, ..., .address = 0, .test = "is equal", .value = 7}  if it read 0, its function returns 7
//   {.kind = Statement, ..., .bytes = fl_step...}   a statement that is not there is executed before it
//   {.kind = Variable, ..., .address = 0, .value = 1}  it assigns to a variable that the statement uses
//   {.kind = Thread, .epoch = 4711, .value = 2}     where the epoch begins, the third thread goes on instead
#pragma once

#include "abi/experiment.h"

#include <cstdint>
#include <string>

namespace faultline::experiment {

struct Alteration {
  enum Kind {
    Switch,
    SwitchTo,
    ReplaceValue,
    WriteMemory,
    Skip,
    Change,
    Thread,
    AddToMemory,
    Leave,
    Statement,
    Variable
  };
  Kind kind = Switch;
  uint64_t epoch = 0;
  uint32_t instruction = 0; // global id
  uint64_t value = 0;
  uint64_t address = 0;
  std::string bytes = {};
  bool each = false;                // in each execution from then on
  uint64_t nth = 0;                 // in this one of them only, counted from 1; 0: that of `epoch`, or each
  fl_change change = FL_CHANGE_ADD; // Change
  uint32_t slot = 0;                // 0: the instance itself; k + 1: its operand k, a constant
  uint32_t test = 0;                // Leave: abi/experiment.h
  bool operator==(const Alteration&) const = default;
};

// As the runtime reads it, with its bytes lying at `bytes`.
inline fl_alteration forRuntime(const Alteration& a, uint64_t bytes) {
  return {.kind = uint32_t(a.kind),
          .instruction = a.instruction,
          .epoch = a.epoch,
          .value = a.value,
          .address = a.address,
          .bytes = bytes,
          .size = a.bytes.size(),
          .each = a.each,
          .change = uint32_t(a.change),
          .slot = a.slot,
          .test = a.test,
          .nth = a.nth,
          .seen = 0,
          .after = 0};
}

} // namespace faultline::experiment
