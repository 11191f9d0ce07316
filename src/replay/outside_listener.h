// Told of what passes between the program and code that has no IR, while replay runs in fast code: unlike an
// Observer it sees no instructions, and costs nothing between two outside calls.
//
// In fast code only the words that a call's own arguments name are certain to hold their values; read them
// through the CallSite that is given here.
#pragma once

#include "replay/decoded.h"
#include "replay/observer.h"

#include <span>

namespace faultline::replay {

class Engine;

struct OutsideCall {
  const Engine& engine;
  const CallSite& site;
  const uint64_t* words; // of the calling frame
};

class OutsideListener {
public:
  virtual ~OutsideListener() = default;
  // The call begins; engine.current() is its instance.
  virtual void onOutsideCall(const OutsideCall& call) {}
  // It has returned. No result if nobody uses it.
  virtual void onOutsideReturn(const OutsideCall& call, std::span<const uint64_t> result) {}
  // A function that outside code had called (main is one) has executed the Ret at this instance.
  virtual void onReturnToOutside(const Instance& ret) {}
};

} // namespace faultline::replay
