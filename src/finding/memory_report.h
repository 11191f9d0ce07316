// Accesses to memory that no run may make, in the order in which they were made: the first is where the
// memory of the program began to be wrong.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

// The variable or block that a pointer was derived from.
struct MemoryObjectInfo {
  std::string kind = {};     // heap, local, global
  std::string name = {};     // of the variable
  std::string function = {}; // whose variable it is
  uint64_t size = 0;
  std::optional<Place> made = {};  // where it was allocated, or the variable is declared
  std::optional<Place> ended = {}; // where it was freed or moved, or its function returned
  // A block that the program's own functions around malloc and free made or gave back: `made` and `ended` are
  // where these were called, and these:
  std::optional<Place> madeWithin = {}, endedWithin = {};
  std::vector<Place> madeFor = {}, endedFor = {}; // the calls that led to `made` and `ended`, from inside out
  // Of a heap block: the time of the call that allocated it, and of the one that gave it back.
  std::optional<uint64_t> madeAt = {}, endedAt = {};
  std::string text = {}; // "the 40-byte block allocated at list.c:8"
};

struct MemoryErrorInfo {
  std::string kind =
      {}; // out-of-bounds, use-after-free, use-after-return, double-free, bad-free, uninitialised
  std::string access = {};          // read, write; empty: neither
  Place place = {};                 // in the program's own code
  std::optional<Place> within = {}; // the library code, called there, that did it
  std::string instance = {};
  uint64_t time = 0;
  std::string by = {};                // the library function that did it; empty: the line itself
  std::string expression = {};        // what was accessed, as the source has it: a[i]
  std::optional<uint64_t> size = {};  // bytes of the access
  std::optional<int64_t> offset = {}; // in the object
  std::optional<MemoryObjectInfo> object = {};
  std::string fellOn = {};        // what lies there
  std::vector<Value> values = {}; // of the indices and sizes in it
  std::string text = {};          // a sentence
  // A read on whose value the failure does not depend, or a write that fell on nothing.
  bool isIdle = false;
};

struct MemoryReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<MemoryErrorInfo> errors = {};
  bool isComplete = true; // the run was followed to its end
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Json toJson(const MemoryErrorInfo& error);
Document toDocument(const MemoryReport& report);

} // namespace faultline::finding
