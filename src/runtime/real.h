// REAL(name): the function that the program would have got without us.
#pragma once

#include <dlfcn.h>

namespace fl {
template <class F> F* resolve(F*& cached, const char* name, const char* version = nullptr) {
  if (!cached) {
    void* found = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
    cached = reinterpret_cast<F*>(found ? found : dlsym(RTLD_NEXT, name));
  }
  return cached;
}
} // namespace fl

#define REAL(name)                                                                                           \
  ([]() {                                                                                                    \
    static decltype(&::name) cached;                                                                         \
    return fl::resolve(cached, #name);                                                                       \
  }())
// For the few names of which glibc has an old, different version too, which dlsym may return.
#define REAL_VERSION(name, version)                                                                          \
  ([]() {                                                                                                    \
    static decltype(&::name) cached;                                                                         \
    return fl::resolve(cached, #name, version);                                                              \
  }())
