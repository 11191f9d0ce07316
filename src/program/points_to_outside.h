// What outside functions do with pointers, by name: what they return, store, and write to.
#pragma once

#include <cstdint>
#include <string_view>

namespace faultline::fir {

enum OutsideFlow : uint32_t {
  kReturnsNew = 1,              // memory of its own for each call
  kReturnsShared = 2,           // memory that all calls of it share
  kReturnsFirst = 4,            // its first argument, or a place in it
  kReturnsSecond = 8,           //
  kReturnsAny = 16,             // any of its arguments
  kStoresNewInFirst = 32,       // *a0 = new memory
  kStoresFirstInSecond = 64,    // *a1 = a place in a0 (strtol)
  kReturnsWhatFirstHolds = 128, // *a0, as it was (strsep)
  kCallsWithFirst = 256,        // callbacks get places in a0 (qsort)
  kCallsWithBoth = 512,         // callbacks get a0 and places in a1 (bsearch)
  kStartsWithFourth = 1024,     // the callback in a2 gets a3, and what it returns is kept (pthread_create)
  kCallsWithAny = 2048,         // callbacks get any of the arguments
  kThrown = 4096,               // deals with exception objects
  kKeepsSecond = 8192,          // keeps a1 (pthread_setspecific)
  kReturnsKept = 16384,         // what was kept
  kStoresKeptInSecond = 32768,
};

struct OutsideFunction {
  uint32_t flow = 0;
  uint32_t writes = 0; // bit k: through argument k; bit 31: through every one
  bool isKnown = false;
};
inline constexpr uint32_t kWritesAll = 0x80000000u;

// `model`: of the call (abi/models.h), or kNone.
OutsideFunction outsideFunction(std::string_view name, uint32_t model);

} // namespace faultline::fir
