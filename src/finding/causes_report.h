// The cause tree, as `faultline causes` presents it: potential causes of a failure, each a condition that
// should have come out otherwise, with the statements that made it come out as it did.
#pragma once

#include "finding/effect.h"

namespace faultline::finding {

// What a line does in a cause, the more telling the later.
enum class Does : uint8_t {
  Passes,   // a value on: a call, a return, a read
  Assigns,  // a value that was made elsewhere
  Tests,    // whether something is zero
  Constant, // assigns, passes or returns one
  Equals,   // compares for equality
  Computes,
  Compares, // by order
};
std::string_view doesName(Does does);

struct CauseStatement {
  Place place = {};
  uint64_t instances = 0;
  std::optional<Value> value = {}; // what it made, the last time
  bool isCondition = false;        // decided; else it made a value
  bool isLibrary = false;
  uint64_t time = 0;
  uint32_t distance = 0; // from the failure, in assignments, calls and returns
  Does does = Does::Passes;
};

struct CauseNodeInfo {
  uint32_t id = 0, parent = 0, level = 0;
  // failure, direct, indirect, decided, place
  std::string kind = {};
  Place place = {};                    // of the condition
  std::optional<Value> condition = {}; // what it was, and how it came out
  std::string instance = {};
  uint64_t time = 0;
  std::string relation = {};                   // why it stands below its parent, in words
  std::vector<CauseStatement> statements = {}; // the condition's own line first, then from there backwards
  std::vector<std::string> sources = {};       // constants, input, outside calls that it ends in
  std::string contradiction = {};
  uint64_t count = 1;
  uint32_t distance = 0; // from the failure: the smaller, the more telling
  bool isEarly = false;  // the contradiction needs nothing from before the first statement
  bool isExpanded = true;
  bool isMinimal = true;
  bool isLeftOpen = false; // beyond the share of the run that a reader is shown at first
};

// A line of the tree, in the order to be read.
struct CauseLine {
  Place place = {};
  uint32_t node = 0; // id of the one that makes it most suspicious
  Does does = Does::Passes;
  double cost = 0;        // the less, the earlier
  uint64_t instances = 0; // different ones in the nodes of the lines up to this
  bool isLeftOpen = false;
  // A change of the line that makes the run pass, or helps; found by experiment.
  std::string repair = {};
  Effect effect = {.share = 0};
};

struct CausesReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<CauseNodeInfo> nodes = {}; // in the order to be read
  std::vector<CauseLine> order = {};     // all their lines, the most telling first
  std::vector<std::string> correct = {}; // what the user holds to be right
  uint64_t folded = 0;                   // conditions that led to nothing new
  uint64_t leftOpen = 0;                 // nodes
  uint64_t shownInstances = 0;           // different ones in the nodes that are not left open
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
};

Document toDocument(const CausesReport& report);
Json nodesJson(const std::vector<CauseNodeInfo>& nodes);

} // namespace faultline::finding
