// The hooks on the path of every instrumented function. Each clears ext before it touches the log, so that a
// signal that comes meanwhile waits (runtime.h).
#include "abi/hooks.h"

#include "runtime/effects.h"
#include "runtime/log.h"
#include "runtime/raw.h"

#include <stdlib.h>

using namespace fl;

static void logModuleSymbols(fl_module* module, uint32_t from, uint32_t count, bool first) {
  uint8_t* at = open(kLargeRecord);
  if (first) {
    *at++ = FL_LOG_MODULE;
    at = put(at, module->hash);
    at = putUleb(at, module->base);
    at = putUleb(at, module->instructions);
    at = putUleb(at, module->symbol_count);
  } else {
    *at++ = FL_LOG_SYMBOLS;
    at = putUleb(at, module->base);
  }
  at = putUleb(at, count);
  for (uint32_t i = 0; i < count; ++i) at = put(at, uint64_t(module->symbols[from + i]));
  close(at);
}

FL_EXPORT void fl_register(fl_module* module) {
  ensureStarted();
  static uint32_t nextBase;
  enterBusy(self);
  module->base = nextBase;
  nextBase += (module->instructions + FL_MODULE_ALIGN - 1) / FL_MODULE_ALIGN * FL_MODULE_ALIGN;
  constexpr uint32_t kPerRecord = kPiece / 8;
  uint32_t done = 0;
  do {
    uint32_t count = module->symbol_count - done < kPerRecord ? module->symbol_count - done : kPerRecord;
    logModuleSymbols(module, done, count, done == 0);
    done += count;
  } while (done < module->symbol_count);
  for (uint32_t i = 0; i < module->symbol_count; ++i)
    if (module->sizes[i] != 0 && hasShadow(uintptr_t(module->symbols[i]), module->sizes[i]))
      memcpy(shadowOf(module->symbols[i]), module->symbols[i], module->sizes[i]);
  leaveBusy(self);
}

FL_EXPORT FL_COLD void fl_load(void* address, uint64_t value, uint32_t size, uint32_t id, fl_module* module) {
  uint8_t* at = open(kSmallRecord);
  at = putTagAt(at, uint8_t(FL_LOG_LOAD1 + __builtin_ctz(size)));
  at = putUleb(at, globalId(id, module));
  memcpy(at, &value, 8); // there is room; only `size` of it counts
  close(at + size);
  uint8_t* shadow = shadowOf(address);
  switch (size) {
  case 1:
    *shadow = uint8_t(value);
    break;
  case 2:
    memcpy(shadow, &value, 2);
    break;
  case 4:
    memcpy(shadow, &value, 4);
    break;
  default:
    memcpy(shadow, &value, 8);
  }
}

FL_EXPORT FL_COLD void fl_load_wide(void* address, uint64_t size, uint32_t id, fl_module* module) {
  if (memcmp(address, shadowOf(address), size) == 0) return;
  if (size > kPiece) return syncRange(address, size, globalId(id, module));
  uint8_t* at = putTagAt(open(kLargeRecord), FL_LOG_LOADN);
  at = putUleb(putUleb(at, globalId(id, module)), size);
  memcpy(at, address, size);
  close(at + size);
  memcpy(shadowOf(address), address, size);
}

FL_EXPORT FL_COLD void fl_thread_local(uint64_t* cell, uint64_t value, uint32_t id, fl_module* module) {
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_LOAD8);
  close(put(putUleb(at, globalId(id, module)), value));
  *cell = value;
}

static void logBytes(uint8_t tag, const void* bytes, uint64_t size, uint32_t id) {
  if (size > kPiece) fail("a value of more than 32 KiB is passed by value", "that is not supported");
  uint8_t* at = open(kLargeRecord);
  *at++ = tag;
  at = putUleb(putUleb(at, id), size);
  memcpy(at, bytes, size);
  close(at + size);
}

FL_EXPORT void fl_value(const void* bytes, uint64_t size, uint32_t id, fl_module* module) {
  logBytes(FL_LOG_VALUE, bytes, size, globalId(id, module));
}

FL_EXPORT void fl_unblock(uint32_t id, fl_module* module);

static inline void clearExt() {
  FL_STATE.ext = 0;
  barrier();
}

static inline void logRet(uint64_t value, uint32_t id) {
  uint8_t* at = open(kSmallRecord);
  uint8_t* tag = at++;
  at = putUleb(at, id);
  memcpy(at, &value, 8);
  unsigned size = value == 0 ? 0 : value < 0x100 ? 1 : value <= UINT32_MAX ? 4 : 8;
  *tag = uint8_t(size == 0 ? FL_LOG_RET0 : size == 1 ? FL_LOG_RET1 : size == 4 ? FL_LOG_RET4 : FL_LOG_RET8);
  close(at + size);
}

FL_EXPORT void fl_ret(uint64_t value, uint32_t id, fl_module* module) {
  clearExt();
  logRet(value, globalId(id, module));
}

FL_EXPORT void fl_ret_wide(const void* bytes, uint64_t size, uint32_t id, fl_module* module) {
  clearExt();
  logBytes(FL_LOG_RETN, bytes, size, globalId(id, module));
}

FL_EXPORT void fl_model(uint32_t model, uint64_t value, uint32_t id, fl_module* module, uint64_t a0,
                        uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5) {
  clearExt();
  uint64_t arguments[] = {a0, a1, a2, a3, a4, a5};
  applyModel(model & ~FL_MODEL_USED, value, arguments, globalId(id, module));
  if (model & FL_MODEL_USED) logRet(value, globalId(id, module));
}

FL_EXPORT void fl_sync(void* address, uint64_t size, uint32_t id, fl_module* module) {
  if (hasShadow(uintptr_t(address), size)) syncRange(address, size, globalId(id, module));
}

FL_EXPORT FL_COLD uint64_t fl_enter(const uint64_t* words, uint64_t count, uint32_t id, fl_module* module) {
  if (__builtin_expect(FL_STATE.robbed != 0, 0)) fl_unblock(id, module);
  uint64_t site = FL_STATE.ext;
  clearExt();
  uint8_t* at = putTagAt(open(kLargeRecord), FL_LOG_ENTER);
  at = putUleb(putUleb(putUleb(at, site), globalId(id, module)), count);
  memcpy(at, words, count * 8);
  close(at + count * 8);
  return site;
}

// Control came here by unwinding, perhaps out of a call around which the turn was given away.
// Returns the site it came from.
static uint64_t arrive() {
  if (__builtin_expect(threaded(), 0) && self && !holds(self)) takeTurn(self);
  uint64_t site = FL_STATE.ext;
  clearExt();
  return site;
}

FL_EXPORT void fl_land(void* exception, uint32_t selector, uint32_t id, fl_module* module) {
  uint64_t site = arrive();
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_LAND);
  at = putUleb(at, globalId(id, module));
  close(putUleb(put(put(at, uint64_t(exception)), selector), site));
}

FL_EXPORT void fl_setjmp(uint32_t value, uint32_t id, fl_module* module) {
  if (value == 0 && contextReturnsAgain != uint64_t(globalId(id, module)) + 2) {
    clearExt();
    return logRet(0, globalId(id, module));
  }
  contextReturnsAgain = 0;
  uint64_t site = arrive();
  uint8_t* at = putTagAt(open(kSmallRecord), FL_LOG_REJUMP);
  close(putUleb(put(putUleb(at, globalId(id, module)), value), site));
}

FL_EXPORT void fl_smashed(uint32_t id, fl_module* module) {
  close(putUleb(putTagAt(open(kSmallRecord), FL_LOG_SMASHED), globalId(id, module)));
  FL_STATE.ext = uint64_t(globalId(id, module)) + 2;
  constexpr char text[] = "*** stack smashing detected ***: terminated\n"; // as libc says it
  eachForItself();
  raw(SYS_write, 2, long(text), sizeof text - 1);
  abort();
}

FL_EXPORT void fl_block(uint32_t id, fl_module* module) {
  KeepErrno keep;
  // A signal that was put off must not wait for a call that waits for it.
  if (__builtin_expect(self && self->pending != 0, 0)) deliverPending(self);
  if (__builtin_expect(!threaded(), 1)) return;
  // Under a seed most of these calls, which do not really wait, must not let chance in. One that does is
  // robbed.
  if (scheduleSeed() != 0) return;
  if (self && holds(self)) giveTurn(self);
}

FL_EXPORT void fl_unblock(uint32_t id, fl_module* module) {
  if (__builtin_expect(!threaded(), 1)) return;
  KeepErrno keep;
  if (self && !holds(self)) takeTurn(self);
}
