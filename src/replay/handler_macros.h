// For files that define handlers.
#pragma once

#include "replay/handlers.h"

// In builds without optimisation sanitizers need a frame that this calling convention has not. Fuzzing is
// done with optimisation, and with -DFL_SANITIZE_HANDLERS.
#ifdef FL_SANITIZE_HANDLERS
#define FL_HANDLER static FL_HANDLER_CONVENTION void
#else
#define FL_HANDLER static __attribute__((no_sanitize("address", "undefined"))) FL_HANDLER_CONVENTION void
#endif
#define FL_PASS ip, w, m, steps, epoch

// Goes to the instruction at ip.
#define FL_DISPATCH(mode)                                                                                    \
  do {                                                                                                       \
    if constexpr ((mode) == Mode::Plain)                                                                     \
      if (steps >= m->trigger) [[unlikely]]                                                                  \
        [[clang::musttail]] return m->hook(FL_PASS);                                                         \
    [[clang::musttail]] return ip->handler(FL_PASS);                                                         \
  } while (0)

// Goes to the next one. Plain code counts each instruction, fast code a segment where it ends.
#define FL_NEXT(mode)                                                                                        \
  do {                                                                                                       \
    ++ip;                                                                                                    \
    if constexpr ((mode) == Mode::Plain) ++steps;                                                            \
    FL_DISPATCH(mode);                                                                                       \
  } while (0)

// Gives control back to the engine.
#define FL_LEAVE(reason)                                                                                     \
  do {                                                                                                       \
    m->exit = (reason);                                                                                      \
    m->ip = ip;                                                                                              \
    m->w = w;                                                                                                \
    m->steps = steps;                                                                                        \
    m->epoch = epoch;                                                                                        \
    return;                                                                                                  \
  } while (0)

namespace faultline::replay {

inline const Insn* jump(const Insn* ip, uint32_t distance) {
  return reinterpret_cast<const Insn*>(reinterpret_cast<const char*>(ip) + int32_t(distance));
}

template <Kinds K> inline uint64_t first(const Insn* ip, const uint64_t* w) {
  return K == Kinds::ConstantWord ? ip->imm : w[ip->a];
}
template <Kinds K> inline uint64_t second(const Insn* ip, const uint64_t* w) {
  return K == Kinds::WordConstant ? ip->imm : w[ip->b];
}

// table(std::integral_constant...) helpers for lookups by value.
template <class F> Handler withKinds(Kinds k, F&& f) {
  switch (k) {
  case Kinds::WordWord:
    return f.template operator()<Kinds::WordWord>();
  case Kinds::WordConstant:
    return f.template operator()<Kinds::WordConstant>();
  default:
    return f.template operator()<Kinds::ConstantWord>();
  }
}
template <class F> Handler withMode(Mode mode, F&& f) {
  return mode == Mode::Fast ? f.template operator()<Mode::Fast>() : f.template operator()<Mode::Plain>();
}
template <class F> Handler withInt(unsigned bits, F&& f) {
  switch (bits) {
  case 8:
    return f.template operator()<uint8_t>();
  case 16:
    return f.template operator()<uint16_t>();
  case 32:
    return f.template operator()<uint32_t>();
  case 64:
    return f.template operator()<uint64_t>();
  default:
    return nullptr;
  }
}

} // namespace faultline::replay
