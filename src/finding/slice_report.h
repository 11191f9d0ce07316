// A slice or an origin, as `faultline slice` and `faultline origin` present them: statements of the source,
// each with the reason why it is there.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct SliceStatement {
  Place place = {};
  uint64_t instances = 0;          // how often it was executed with an influence
  std::string relation = {};       // value, address, control, call, potential, callback, thrown, criterion
  std::string why = {};            // a sentence
  bool isThin = false;             // the value itself passed here
  bool isLibrary = false;          // code of the system's headers
  std::optional<Value> value = {}; // what it made, the last time before the failure
  std::optional<Place> usedAt = {};
  std::string instance = {}; // of that time
  uint64_t time = 0;
  uint64_t distance = 0; // how far back from the question it was met: a person reads the near ones first
};

// Where values came from that no statement made.
struct SliceSource {
  std::string kind = {}; // input, world, black-box, initial, argument, signal, outside, stopped
  std::string text = {}; // "bytes 12-14 of standard input"
  Place place = {};      // of the call that brought it, or of who used it
};

struct SliceReport {
  std::string technique = "slice";
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::string direction = "backward";
  std::string question = {}; // what it starts from, in words
  Place start = {};
  std::vector<SliceStatement> statements = {}; // as the program is read: by file and line
  std::vector<SliceSource> sources = {};
  uint64_t unknownLocations = 0; // instructions without a place in the source
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const SliceReport& report);
Json statementsJson(const std::vector<SliceStatement>& statements);

// One step on the way of a value, latest first.
struct OriginStep {
  Place place = {};
  std::string how =
      {}; // "assigned", "passed to push() as v", "returned by sum()", "read from standard input, byte 12"
  std::optional<Value> value = {};
  uint32_t depth = 0; // of the branch of the tree it is on
  std::string instance = {};
};

struct OriginReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::string question = {};
  std::optional<Value> value = {};
  Place start = {};
  std::vector<OriginStep> steps = {};
  std::vector<SliceSource> sources = {};
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const OriginReport& report);

} // namespace faultline::finding
