// Nothing here is instrumented, so that a fault in it is one of the program's at the instruction before which
// the statement stands, and what it calls runs as if that instruction had called it.
#include "runtime/statement.h"

#include "runtime/compute.h"
#include "runtime/experiment.h"
#include "runtime/log.h"

#include <dlfcn.h>
#include <string.h>

FL_EXPORT void fl_unblock(uint32_t id, fl_module* module);

namespace fl {
namespace {

uint64_t masked(uint64_t value, uint32_t bits) { return bits < 64 ? value & ((1ull << bits) - 1) : value; }

struct Stack {
  uint64_t words[FL_MOST_STACKED];
  uint32_t count = 0;
  bool isWrong = false; // more was asked for than it has, or has room for
  void push(uint64_t word) {
    if (count == FL_MOST_STACKED)
      isWrong = true;
    else
      words[count++] = word;
  }
  uint64_t pop() {
    if (count == 0) {
      isWrong = true;
      return 0;
    }
    return words[--count];
  }
};

bool isInstrumented(uint64_t function) {
  uint32_t magic;
  memcpy(&magic, reinterpret_cast<const void*>(function - sizeof magic), sizeof magic);
  return magic == FL_FUNCTION_MAGIC;
}

// As instrumented code makes a call; where the program stands is told by what is kept here.
uint64_t callFunction(uint64_t function, const uint64_t (&a)[FL_MOST_ARGUMENTS], uint64_t site) {
  using Function = uint64_t (*)(uint64_t, ...); // may be one of variable arguments
  const uint64_t activation = FL_SERVER.activation;
  const auto asking = FL_STATE.asking;
  const auto module = FL_STATE.asking_module;
  const auto storeAt = FL_STATE.store_at;
  FL_STATE.ext = site; // a wild address faults as the call would
  const bool isInside = isInstrumented(function);
  if (isInside) FL_STATE.ext = 0;
  FL_STATE.asking = 0;
  uint64_t result = reinterpret_cast<Function>(function)(a[0], a[1], a[2], a[3], a[4], a[5]);
  // Who slept in it has lost the turn, and nothing here is his own before he has it back.
  if (!isInside && FL_STATE.robbed) fl_unblock(0, nullptr);
  FL_STATE.ext = 0;
  FL_SERVER.activation = activation;
  FL_STATE.asking = asking;
  FL_STATE.asking_module = module;
  FL_STATE.store_at = storeAt;
  return result;
}

bool call(Stack& stack, const fl_step& step, uint64_t site) {
  uint64_t arguments[FL_MOST_ARGUMENTS] = {};
  if (step.number > FL_MOST_ARGUMENTS) return false;
  for (uint64_t k = step.number; k-- > 0;) arguments[k] = stack.pop();
  const uint64_t function = stack.pop();
  if (stack.isWrong || function == 0) return false;
  stack.push(masked(callFunction(function, arguments, site), step.size));
  return true;
}

void store(uint64_t address, uint64_t value, uint32_t size) {
  if (size > sizeof value) return;
  memcpy(reinterpret_cast<void*>(address), &value, size);
  if (hasShadow(address, size)) memcpy(shadowOf(reinterpret_cast<void*>(address)), &value, size);
}

uint64_t load(uint64_t address, uint32_t size) {
  uint64_t word = 0;
  memcpy(&word, reinterpret_cast<const void*>(address), size <= sizeof word ? size : 0);
  return word;
}

bool combine(Stack& stack, const fl_step& step) {
  const uint64_t right = stack.pop(), left = stack.pop();
  stack.push(compute({left, right, uint32_t(step.number), step.size}));
  return true;
}

// Nothing is known of the variable in this activation of the thread. Those further in have ended.
Variable* knownVariable(uint64_t number, uint64_t activation) {
  if (number >= FL_MOST_VARIABLES) return nullptr;
  Variables& v = FL_SERVER.variables[number];
  for (uint32_t k = v.count; k-- > 0;) {
    if (v.known[k].thread != FL_STATE.thread) continue;
    if (v.known[k].activation >= activation)
      return v.known[k].activation == activation ? &v.known[k] : nullptr;
    memmove(v.known + k, v.known + k + 1, (--v.count - k) * sizeof v.known[0]);
  }
  return nullptr;
}

void assign(uint64_t number, const Variable& variable) {
  if (number >= FL_MOST_VARIABLES) return;
  if (Variable* known = knownVariable(number, variable.activation)) {
    *known = variable;
    return;
  }
  Variables& v = FL_SERVER.variables[number];
  if (v.count == kMostActivations) memmove(v.known, v.known + 1, --v.count * sizeof v.known[0]);
  v.known[v.count++] = variable;
}

struct Statement {
  const fl_step* steps;
  const fl_module* module;
  uint64_t site, activation;
};

uint64_t addressOf(const fl_step& step, const Statement& s) {
  void* known = step.number < s.module->symbol_count ? s.module->symbols[step.number] : nullptr;
  if (!known && step.size) known = dlsym(RTLD_DEFAULT, reinterpret_cast<const char*>(s.steps) + step.size);
  return uint64_t(known);
}

// Whether the statement goes on.
bool make(const fl_step& step, const Statement& statement, Stack& stack) {
  switch (step.kind) {
  case FL_STEP_NUMBER:
    stack.push(step.number);
    return true;
  case FL_STEP_SYMBOL:
    stack.push(addressOf(step, statement));
    return stack.words[stack.count - 1] != 0;
  case FL_STEP_FRAME:
    stack.push(FL_STATE.frame_top + step.number);
    return true;
  case FL_STEP_VARIABLE: {
    const Variable* v = knownVariable(step.number, statement.activation);
    if (v) stack.push(v->value);
    return v != nullptr;
  }
  case FL_STEP_LOAD:
    stack.push(load(stack.pop(), step.size));
    return true;
  case FL_STEP_COMPUTE:
    return combine(stack, step);
  case FL_STEP_CALL:
    return call(stack, step, statement.site);
  case FL_STEP_STORE: {
    const uint64_t value = stack.pop(), address = stack.pop();
    if (!stack.isWrong) store(address, value, step.size);
    return true;
  }
  case FL_STEP_ASSIGN:
    assign(step.number, {statement.activation, stack.pop(), FL_STATE.thread, true});
    return true;
  default:
    return false;
  }
}

} // namespace

bool execute(const fl_alteration& a, uint32_t id, const fl_module* module) {
  const Statement statement{placed<fl_step>(a.bytes), module, uint64_t(module->base) + id + 2,
                            FL_SERVER.activation};
  Stack stack;
  for (uint64_t k = 0; k < a.size / sizeof(fl_step) && statement.steps[k].kind != FL_STEP_END; ++k)
    if (!make(statement.steps[k], statement, stack) || stack.isWrong) return false;
  return true;
}

uint64_t keepVariable(const fl_alteration& a, uint64_t value) {
  const uint64_t activation = FL_SERVER.activation;
  const Variable* v = knownVariable(a.address, activation);
  if (a.value == 0 && v && v->isAssigned) return v->value;
  assign(a.address, {activation, value, FL_STATE.thread, false});
  return value;
}

} // namespace fl
