// The answer to a question, as every report reads it and as --json prints it (docs/cli.md, "The document").
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace faultline::finding {

using Json = nlohmann::ordered_json;

inline constexpr const char* kSchema = "faultline/1";

struct Place {
  std::string file = {}; // absolute; empty: not known
  uint32_t line = 0;
  uint32_t column = 0;
  std::string function = {};

  bool isKnown() const { return !file.empty() && line != 0; }
  bool operator==(const Place&) const = default;
};

struct Value {
  std::string name = {};
  std::string type = {};
  std::string text = {};
  std::string with = {}; // of a condition: what it was decided by, "n = 3, m = 2"; empty: it says so itself
  bool operator==(const Value&) const = default;
};
// "n = 3"; of a condition "n > m is true (n = 3, m = 2)".
std::string valueText(const Value& value, bool isCondition);

// The name of a condition that the source's own words cannot be found for.
inline constexpr const char* kUnnamedCondition = "the condition";
// In backticks, unless it is that.
std::string codeText(const std::string& name);

struct CriterionInfo {
  std::string instance = {}; // epoch:instruction, as every layer names it
  Place place = {};
  std::string name = {}; // expression of the source, or empty
  std::string text = {}; // its value
};

// A byte that is not as it should be, and the argument that wrote it.
struct OutputInfo {
  uint32_t stream = 1;
  uint64_t offset = 0; // from 0
  uint64_t line = 1;
  std::string got = {}, expected = {}; // the byte; empty: none
  std::string gotLine = {}, expectedLine = {};
  std::string call = {};       // the function that wrote it; empty: not known
  uint32_t argument = 0;       // of it, from 1; 0: none
  std::string conversion = {}; // %d
  std::string text = {};       // all that the argument wrote
  bool isVerified = true;
};

struct FailureInfo {
  std::string kind = {}; // replay::kindName
  int signal = 0;        // 0: none
  std::string message = {};
  Place place = {};
  // Where the program's own code called into the library code that failed.
  std::optional<Place> calledFrom = {};
  std::optional<CriterionInfo> criterion = {};
  std::optional<OutputInfo> output = {};
};

struct ProgramInfo {
  std::string path = {};
  std::vector<std::string> argv = {};
  std::string cwd = {};
};

struct Document {
  std::string technique = {};
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  std::vector<std::string> caveats = {};
  Json stats = Json::object();
  Json part = Json::object(); // the technique's own members
};

Json toJson(const Place& place);
Json toJson(const Value& value);
Json toJson(const FailureInfo& failure);
Json toJson(const Document& document);

// Bytes that are not UTF-8 become replacement characters: a document is always valid JSON.
std::string printed(const Json& json);

} // namespace faultline::finding
