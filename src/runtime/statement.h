// A statement that is not there (abi/experiment.h, FL_ALTER_STATEMENT), and the variables that it uses: those
// without an address live in registers, so what is read from and assigned to them is kept here.
#pragma once

#include "abi/experiment.h"

namespace fl {

inline constexpr uint32_t kMostActivations = 64;

struct Variable {
  uint64_t activation; // of its function: where the frame lies of what it calls
  uint64_t value;
  uint32_t thread;
  bool isAssigned; // by such a statement: what the program itself holds is not right
};

// What is known of one variable, the innermost activation last; of too many the outermost are forgotten.
struct Variables {
  uint32_t count;
  Variable known[kMostActivations];
};

// Where the statement stands: before an instruction of this module.
bool execute(const fl_alteration& a, uint32_t id, const fl_module* module);
// What the variable is read as, or `value`. Both know the activation by what was asked last.
uint64_t keepVariable(const fl_alteration& a, uint64_t value);

} // namespace fl
