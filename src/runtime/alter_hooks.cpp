// What an instruction of an alter variant asks while its bit is set (fl_state.armed): whether it is to do
// something else in this execution. Most of those that ask are only neighbours of the one that is altered,
// often in a loop that goes round millions of times, so the answer "no" must cost next to nothing.
#include "runtime/compute.h"
#include "runtime/experiment.h"
#include "runtime/log.h"
#include "runtime/statement.h"

#include <string.h>

using namespace fl;

FL_EXPORT FL_COLD void fl_load(void* address, uint64_t value, uint32_t size, uint32_t id, fl_module* module);

// Whether there may be anything to do at it, or to count. Inlined: the frame is the one of the hook.
__attribute__((always_inline)) static inline bool isMeant(uint32_t id, const fl_module* module) {
  if (!altering) return false;
  const uint32_t global = globalId(id, module);
  Server& s = FL_SERVER;
  const bool isOne = s.altered == kSeveral ? s.firstOf[global % kAlterationLists] != 0 : global == s.altered;
  if (__builtin_expect(!isOne && global != s.counted, 1)) return false;
  s.activation = uint64_t(__builtin_frame_address(0));
  return true;
}

static void writeMemory(const fl_alteration& a) {
  uint64_t sum = 0;
  const void* bytes = placed<char>(a.bytes);
  if (a.kind == FL_ALTER_ADD) {
    memcpy(&sum, reinterpret_cast<const void*>(a.address), a.size);
    sum += a.value;
    bytes = &sum;
  }
  memcpy(reinterpret_cast<void*>(a.address), bytes, a.size);
  if (hasShadow(a.address, a.size)) memcpy(shadowOf(reinterpret_cast<void*>(a.address)), bytes, a.size);
}

// visit(alteration) for each that is due at this instance, or at this operand of it. It says whether that was
// of a kind that this instruction knows.
template <class Visit>
static void forEachDue(uint32_t slot, uint32_t id, const fl_module* module, Visit visit) {
  if (!experimenting()) return;
  uint64_t epoch = currentEpoch();
  const uint32_t global = globalId(id, module);
  for (uint64_t k = FL_SERVER.firstOf[global % kAlterationLists]; k > 0;) {
    fl_alteration& a = alterations()[k - 1];
    if (a.instruction == global && a.slot == slot && isDue(a, epoch) && visit(a))
      current().reached |= 1ull << ((k - 1) & 63);
    k = a.after;
  }
}

// A process of its own says so at once: nobody knows when it ends.
static void countExecution(uint32_t slot, uint32_t id, const fl_module* module) {
  if (!altering || !(FL_EXPERIMENTS.flags & FL_COUNTS)) return;
  if (slot == FL_EXPERIMENTS.counted_slot && globalId(id, module) == FL_EXPERIMENTS.counted)
    ++(serving ? FL_SERVER.executions : current().executions);
}

static uint64_t alteredBy(const fl_alteration& a, uint64_t value) {
  switch (a.kind) {
  case FL_ALTER_SWITCH:
    return value ^ 1;
  case FL_ALTER_MEMORY:
  case FL_ALTER_ADD:
    writeMemory(a);
    return value;
  case FL_ALTER_CHANGE:
    return changedResult(value, a.change, a.value);
  default:
    return a.value;
  }
}

static bool leaves(const fl_alteration& a, uint64_t value) {
  if (!compute({value, a.address, a.test & 0xff, a.test >> 8})) return false;
  FL_STATE.leaves = 1;
  FL_STATE.left_with = a.value;
  return true;
}

#define FL_RARE FL_COLD __attribute__((noinline))

static FL_RARE uint64_t alterOperand(uint64_t value, uint32_t slot, uint32_t id, fl_module* module) {
  countExecution(slot, id, module);
  forEachDue(slot, id, module, [&](const fl_alteration& a) {
    switch (a.kind) {
    case FL_ALTER_LEAVE:
      return leaves(a, value);
    case FL_ALTER_STATEMENT:
      return execute(a, id, module);
    case FL_ALTER_VARIABLE: // only serves a statement
      value = keepVariable(a, value);
      return false;
    default:
      value = alteredBy(a, value);
      return true;
    }
  });
  return value;
}

FL_EXPORT FL_COLD uint64_t fl_alter_operand(uint64_t value, uint32_t slot, uint32_t id, fl_module* module) {
  return isMeant(id, module) ? alterOperand(value, slot, id, module) : value;
}

FL_EXPORT FL_COLD uint64_t fl_alter(uint64_t value, uint32_t id, fl_module* module) {
  return isMeant(id, module) ? alterOperand(value, 0, id, module) : value;
}

static uint64_t wordAt(const void* address, uint32_t size) {
  uint64_t word = 0;
  memcpy(&word, address, size <= sizeof word ? size : 0);
  return word;
}

// The k-th of `others`, from 1 on.
static uint64_t readOther(uint64_t k, uint32_t how, const uint64_t* others) {
  if (!(how & FL_LOAD_ADDRESS(k - 1))) return others[k - 1];
  return wordAt(reinterpret_cast<const void*>(others[k - 1]), FL_LOAD_SIZE(how));
}

static bool hasStatementBefore(uint32_t id, const fl_module* module) {
  bool has = false;
  forEachDue(0, id, module, [&](const fl_alteration& a) {
    has |= a.kind == FL_ALTER_STATEMENT;
    return false;
  });
  return has;
}

static FL_RARE uint64_t alterLoad(uint64_t value, const void* address, uint32_t how, uint32_t id,
                                  fl_module* module, const uint64_t* others) {
  if (others) {
    uint64_t choice = alterOperand(0, FL_SLOT_OTHER, id, module);
    bool isOne = choice != 0 && choice <= (how >> 8 & 15) && !(how & FL_LOAD_NONE(choice - 1));
    if (isOne) value = readOther(choice, how, others);
  }
  value = alterOperand(value, 0, id, module);
  // A statement that stands before it may have written there.
  if (address && hasStatementBefore(id, module)) value = wordAt(address, FL_LOAD_SIZE(how));
  return value;
}

template <class Word> static bool differs(const void* address, uint64_t value) {
  Word shadow;
  memcpy(&shadow, shadowOf(address), sizeof shadow);
  return shadow != Word(value);
}

// From what instrumented code last put there.
static bool isFromOutside(const void* address, uint64_t value, uint32_t size) {
  switch (size) {
  case 1:
    return differs<uint8_t>(address, value);
  case 2:
    return differs<uint16_t>(address, value);
  case 4:
    return differs<uint32_t>(address, value);
  case 8:
    return differs<uint64_t>(address, value);
  default:
    return memcmp(shadowOf(address), &value, size) != 0;
  }
}

FL_EXPORT FL_COLD uint64_t fl_alter_load(uint64_t value, void* address, uint32_t how, uint32_t id,
                                         fl_module* module, const uint64_t* others) {
  if ((how & FL_LOAD_CHECKED) && isFromOutside(address, value, FL_LOAD_SIZE(how)))
    fl_load(address, value, FL_LOAD_SIZE(how), id, module);
  return isMeant(id, module) ? alterLoad(value, address, how, id, module, others) : value;
}

static FL_RARE uint64_t alterComputed(uint64_t value, uint64_t left, uint64_t right, uint32_t operation,
                                      uint32_t id, fl_module* module) {
  countExecution(0, id, module);
  forEachDue(0, id, module, [&](const fl_alteration& a) {
    if (a.kind != FL_ALTER_CHANGE && a.kind != FL_ALTER_VALUE) return false;
    value = a.kind == FL_ALTER_VALUE ? a.value
                                     : changedComputation({left, right, operation & 0xff, operation >> 8},
                                                          value, a.change, a.value);
    return true;
  });
  return value;
}

FL_EXPORT FL_COLD uint64_t fl_alter_computed(uint64_t value, uint64_t left, uint64_t right,
                                             uint32_t operation, uint32_t id, fl_module* module) {
  return isMeant(id, module) ? alterComputed(value, left, right, operation, id, module) : value;
}

static FL_RARE bool isSkipped(uint32_t id, fl_module* module) {
  countExecution(FL_SLOT_BEFORE, id, module);
  bool skip = false;
  forEachDue(0, id, module, [&](const fl_alteration& a) {
    if (a.kind == FL_ALTER_VARIABLE) return false; // was asked for by itself
    if (a.kind == FL_ALTER_MEMORY) writeMemory(a);
    skip |= a.kind == FL_ALTER_SKIP;
    return true;
  });
  forEachDue(FL_SLOT_BEFORE, id, module, [&](const fl_alteration& a) {
    if (a.kind == FL_ALTER_STATEMENT) return execute(a, id, module);
    writeMemory(a);
    return true;
  });
  return skip;
}

FL_EXPORT FL_COLD uint32_t fl_skip(uint32_t id, fl_module* module) {
  return isMeant(id, module) && isSkipped(id, module);
}

FL_EXPORT FL_COLD uint64_t fl_alter_store(uint64_t value, void* address, uint32_t id, fl_module* module) {
  alignas(16) static char nowhere[FL_LARGEST_STORE];
  FL_STATE.store_at = address;
  if (!isMeant(id, module)) return value;
  value = alterOperand(value, 0, id, module);
  if (isSkipped(id, module)) FL_STATE.store_at = nowhere;
  return value;
}

FL_EXPORT FL_COLD uint64_t fl_alter_variable(uint64_t value, uint64_t old, uint32_t id, fl_module* module) {
  if (!isMeant(id, module)) return value;
  const bool skip = isSkipped(id, module); // what stands before it is done before it is assigned to
  value = alterOperand(value, 0, id, module);
  return skip ? old : value;
}
