#include "replay/handler_macros.h"

#include <type_traits>

namespace faultline::replay {

namespace {

template <AddressForm F> inline uint64_t address(const Insn* ip, const uint64_t* w) {
  uint64_t at = ip->imm;
  if constexpr (F == AddressForm::Base || F == AddressForm::BaseIndex64 || F == AddressForm::BaseIndex32)
    at += w[ip->a];
  if constexpr (F == AddressForm::BaseIndex64 || F == AddressForm::AbsoluteIndex64)
    at += w[ip->b] * uint64_t(ip->n);
  if constexpr (F == AddressForm::BaseIndex32 || F == AddressForm::AbsoluteIndex32)
    at += uint64_t(int64_t(int32_t(w[ip->b]))) * uint64_t(ip->n);
  return at;
}

template <Mode M, AddressForm F> FL_HANDLER makeAddress(FL_HANDLER_PARAMETERS) {
  w[ip->dst] = address<F>(ip, w);
  FL_NEXT(M);
}

template <class T, LoadExtension X> inline uint64_t extended(T value) {
  using S = std::make_signed_t<T>;
  if constexpr (X == LoadExtension::Sign32) return uint32_t(int32_t(S(value)));
  if constexpr (X == LoadExtension::Sign64) return uint64_t(int64_t(S(value)));
  return value;
}

// Off the fast path, so that the fast path needs no stack frame.
template <AddressForm F, class T, LoadExtension X>
__attribute__((noinline)) FL_HANDLER loadSlowly(FL_HANDLER_PARAMETERS) {
  T value;
  if (!m->memory.read(address<F>(ip, w), &value, sizeof(T))) FL_LEAVE(Exit::Error);
  w[ip->dst] = extended<T, X>(value);
  FL_NEXT(Mode::Fast);
}
template <AddressForm F, class T, LoadExtension X> FL_HANDLER load(FL_HANDLER_PARAMETERS) {
  T value;
  if (!m->memory.loadFast(address<F>(ip, w), value)) [[unlikely]]
    [[clang::musttail]] return loadSlowly<F, T, X>(FL_PASS);
  w[ip->dst] = extended<T, X>(value);
  FL_NEXT(Mode::Fast);
}

template <bool C, class T> inline T stored(const Insn* ip, const uint64_t* w) {
  return C ? T(int64_t(int32_t(ip->dst))) : T(w[ip->dst]);
}
template <AddressForm F, class T, bool C>
__attribute__((noinline)) FL_HANDLER storeSlowly(FL_HANDLER_PARAMETERS) {
  T value = stored<C, T>(ip, w);
  if (!m->memory.write(address<F>(ip, w), &value, sizeof(T))) FL_LEAVE(Exit::Error);
  FL_NEXT(Mode::Fast);
}
template <AddressForm F, class T, bool C> FL_HANDLER store(FL_HANDLER_PARAMETERS) {
  if (!m->memory.storeFast(address<F>(ip, w), stored<C, T>(ip, w))) [[unlikely]]
    [[clang::musttail]] return storeSlowly<F, T, C>(FL_PASS);
  FL_NEXT(Mode::Fast);
}

template <class T> FL_HANDLER plainLoad(FL_HANDLER_PARAMETERS) {
  T value;
  if (m->attention || !m->memory.loadFast(w[ip->a], value)) [[unlikely]]
    [[clang::musttail]] return m->operation(FL_PASS);
  w[ip->dst] = value;
  FL_NEXT(Mode::Plain);
}
template <class T> FL_HANDLER plainStore(FL_HANDLER_PARAMETERS) {
  if (m->attention || !m->memory.storeFast(w[ip->a], T(w[ip->b]))) [[unlikely]]
    [[clang::musttail]] return m->operation(FL_PASS);
  FL_NEXT(Mode::Plain);
}

template <unsigned N> struct Bytes {
  uint8_t bytes[N];
};
inline uint64_t copyTo(const Insn* ip, const uint64_t* w) {
  return w[ip->a] + uint64_t(int64_t(int32_t(ip->imm)));
}
inline uint64_t copyFrom(const Insn* ip, const uint64_t* w) {
  return w[ip->b] + uint64_t(int64_t(ip->imm) >> 32);
}
template <unsigned N> __attribute__((noinline)) FL_HANDLER copySlowly(FL_HANDLER_PARAMETERS) {
  if (!m->memory.copy(copyTo(ip, w), copyFrom(ip, w), N)) FL_LEAVE(Exit::Error);
  FL_NEXT(Mode::Fast);
}
template <unsigned N> FL_HANDLER copyBytes(FL_HANDLER_PARAMETERS) {
  Bytes<N> value;
  if (!m->memory.loadFast(copyFrom(ip, w), value) || !m->memory.storeFast(copyTo(ip, w), value)) [[unlikely]]
    [[clang::musttail]] return copySlowly<N>(FL_PASS);
  FL_NEXT(Mode::Fast);
}

template <class F> Handler withForm(AddressForm form, F&& f) {
  using A = AddressForm;
  switch (form) {
  case A::Base:
    return f.template operator()<A::Base>();
  case A::Absolute:
    return f.template operator()<A::Absolute>();
  case A::BaseIndex64:
    return f.template operator()<A::BaseIndex64>();
  case A::BaseIndex32:
    return f.template operator()<A::BaseIndex32>();
  case A::AbsoluteIndex64:
    return f.template operator()<A::AbsoluteIndex64>();
  default:
    return f.template operator()<A::AbsoluteIndex32>();
  }
}

} // namespace

Handler addressHandler(Mode mode, AddressForm form) {
  return withMode(mode, [&]<Mode M> {
    return withForm(form, [&]<AddressForm F>() -> Handler { return makeAddress<M, F>; });
  });
}

Handler loadHandler(AddressForm form, unsigned bytes, LoadExtension extension) {
  return withForm(form, [&]<AddressForm F> {
    return withInt(bytes * 8, [&]<class T>() -> Handler {
      if (extension == LoadExtension::Zero) return load<F, T, LoadExtension::Zero>;
      if (extension == LoadExtension::Sign64 && sizeof(T) < 8) return load<F, T, LoadExtension::Sign64>;
      if constexpr (sizeof(T) < 4) return load<F, T, LoadExtension::Sign32>;
      return nullptr;
    });
  });
}

Handler plainLoadHandler(unsigned bytes) {
  return withInt(bytes * 8, []<class T>() -> Handler { return plainLoad<T>; });
}
Handler plainStoreHandler(unsigned bytes) {
  return withInt(bytes * 8, []<class T>() -> Handler { return plainStore<T>; });
}

Handler copyHandler(uint64_t bytes) {
  switch (bytes) {
  case 1:
    return copyBytes<1>;
  case 2:
    return copyBytes<2>;
  case 4:
    return copyBytes<4>;
  case 8:
    return copyBytes<8>;
  case 12:
    return copyBytes<12>;
  case 16:
    return copyBytes<16>;
  case 24:
    return copyBytes<24>;
  case 32:
    return copyBytes<32>;
  case 40:
    return copyBytes<40>;
  case 48:
    return copyBytes<48>;
  case 64:
    return copyBytes<64>;
  default:
    return nullptr;
  }
}

Handler storeHandler(AddressForm form, unsigned bytes, bool constant) {
  return withForm(form, [&]<AddressForm F> {
    return withInt(bytes * 8,
                   [&]<class T>() -> Handler { return constant ? store<F, T, true> : store<F, T, false>; });
  });
}

} // namespace faultline::replay
