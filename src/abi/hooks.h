/* What instrumented code calls, stated once: the instrumentation pass declares these from the table, the
 * runtime defines them. Plain C.
 *
 *   X(name, convention, result, parameters)     result and parameters: v void, p pointer, l int64, i int32
 *
 * COLD hooks use clang's preserve_most convention and are reached only off the fast path. `id` is the local
 * id of the instruction, `module` the object's fl_module.
 *
 * Before an outside call, instrumented code sets state.ext = base + id + 2; after it, if state.robbed is not
 * 0, it calls fl_unblock; then either fl_ret*, fl_model, fl_computed, fl_setjmp (which clear ext first) or an
 * inline store of 0.
 */
#ifndef FAULTLINE_ABI_HOOKS_H
#define FAULTLINE_ABI_HOOKS_H

#define FL_HOOKS(X)                                                                                          \
  /* constructor of highest priority in each object */                                                       \
  X(fl_register, PLAIN, v, p)                                                                                \
  /* (address, value, size, id, module): a load of 1, 2, 4 or 8 bytes whose value is not the shadow's.       \
   * Logs LOAD and sets the shadow. */                                                                       \
  X(fl_load, COLD, v, pliip)                                                                                 \
  /* (address, size, id, module): before a load of any other size. Logs LOADN if memory is not the shadow.   \
   */                                                                                                        \
  X(fl_load_wide, COLD, v, plip)                                                                             \
  /* (cell, value, id, module): a thread-local's address that is not the one in its cell. Logs LOAD8. */     \
  X(fl_thread_local, COLD, v, plip)                                                                          \
  /* (bytes, size, id, module): result of an instruction that replay does not compute. Logs VALUE. */        \
  X(fl_value, PLAIN, v, plip)                                                                                \
  /* (value, id, module): outside call returned; value zero-extended. Clears ext, logs RET*. */              \
  X(fl_ret, PLAIN, v, lip)                                                                                   \
  /* (bytes, size, id, module): the same for a value over 8 bytes. Logs RETN. */                             \
  X(fl_ret_wide, PLAIN, v, plip)                                                                             \
  /* (model, value, id, module, a0..a5): outside call of a function in abi/models.h returned. Clears ext,    \
   * logs EFFECT for what the model says it wrote, sets the shadow, then logs RET* if `model` has            \
   * FL_MODEL_USED. */                                                                                       \
  X(fl_model, PLAIN, v, ilipllllll)                                                                          \
  /* (value, a0, a1, a2, id + kind << 32, module): outside call of a function in abi/computed.h returned.    \
   * Clears ext, logs LOAD8 if the shadow leads to another value. */                                         \
  X(fl_computed, PLAIN, v, lllllp)                                                                           \
  /* (destination, source, size, id, module): do the copy, shadow included; source bytes that are not the    \
   * shadow's are logged as EFFECT first. memmove semantics. */                                              \
  X(fl_copy, PLAIN, v, pplip)                                                                                \
  /* (destination, source, size): the same where replay already knows the source: an argument passed by      \
   * value, whose copy lies on the machine's stack. */                                                       \
  X(fl_copy_known, PLAIN, v, ppl)                                                                            \
  /* (destination, byte, size): do it, shadow included. */                                                   \
  X(fl_fill, PLAIN, v, pil)                                                                                  \
  /* (address, size, id, module): something outside may just have written here. Logs EFFECT for what         \
   * differs from the shadow. */                                                                             \
  X(fl_sync, PLAIN, v, plip)                                                                                 \
  /* (words, count, id, module): ext was not 0 at a function's entry. Logs ENTER, sets ext = 0, returns the  \
   * old ext, which the function puts back when it returns. */                                               \
  X(fl_enter, COLD, l, plip)                                                                                 \
  /* (exception, selector, id, module): at a landing pad. Clears ext, logs LAND. */                          \
  X(fl_land, PLAIN, v, piip)                                                                                 \
  /* (value, id, module): setjmp returned. Clears ext, logs RET* or REJUMP. */                               \
  X(fl_setjmp, PLAIN, v, iip)                                                                                \
  /* (id, module): guard word of the frame overwritten. Logs SMASHED, says so on stderr, aborts. */          \
  X(fl_smashed, PLAIN, v, ip)                                                                                \
  /* (id, module): around an outside call that may block: lets other threads run meanwhile. */               \
  X(fl_block, PLAIN, v, ip)                                                                                  \
  X(fl_unblock, PLAIN, v, ip)                                                                                \
  /* Only in an alter variant. The epoch counter has come to 0: the epoch has begun at which the runtime     \
   * wants to be asked (state.epoch_bias). */                                                                \
  X(fl_epoch_stop, COLD, v, )                                                                                \
  /* (value, id, module): in a copy that asks. The value that the instance shall have, or use;               \
   * zero-extended. */                                                                                       \
  X(fl_alter, COLD, l, lip)                                                                                  \
  /* (value, slot, id, module): the same of one of its operands. */                                          \
  X(fl_alter_operand, COLD, l, liip)                                                                         \
  /* (value, left, right, operation + bits of an operand << 8, id, module): the same of what it computes. */ \
  X(fl_alter_computed, COLD, l, llliip)                                                                      \
  /* (value, address, how, id, module, others): the same of a load; how: FL_LOAD_* of abi/experiment.h.      \
   * Others: what it may read instead, values or addresses. */                                               \
  X(fl_alter_load, COLD, l, lpiipp)                                                                          \
  /* (value, address, id, module): the same of a store. Sets state.store_at: `address`, or where nobody      \
   * reads it if the store is left out. */                                                                   \
  X(fl_alter_store, COLD, l, lpip)                                                                           \
  /* (value, old, id, module): the same of a store to a variable without an address; `old` if left out. */   \
  X(fl_alter_variable, COLD, l, llip)                                                                        \
  /* (id, module): the same: 1 if the instance shall not take place at all. */                               \
  X(fl_skip, COLD, i, ip)

#endif
