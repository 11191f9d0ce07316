// Where a block came from and where it went, as a person wants to be told: many programs have functions of
// their own around malloc and free, and it is not these that asked for too little or gave back too early.
//
//   void* xmalloc(size_t n) { return malloc(n); }      madeWithin
//   char* copy = xmalloc(strlen(s));                   made
//
// So it is with what many call to make a buffer of theirs larger: that was done as it was asked for.
#pragma once

#include "depend/history.h"
#include "depend/memory_objects.h"
#include "finding/memory_report.h"

namespace faultline::technique {

// Who makes the wrong access: a function that does so itself is not passed over.
struct AccessingFunction {
  uint32_t module = ~0u, function = ~0u;
};

struct ObjectPlaces {
  std::optional<finding::Place> made = {}, ended = {};             // past functions that only pass it on
  std::optional<finding::Place> madeWithin = {}, endedWithin = {}; // the innermost of those
  std::vector<finding::Place> madeFor = {}, endedFor = {}; // the calls that led to these, from inside out
};

// Replays: it leaves the history's replay elsewhere.
ObjectPlaces placesOf(depend::History& history, const depend::MemoryObject& object,
                      const AccessingFunction& access, std::string_view workingDirectory);

} // namespace faultline::technique
