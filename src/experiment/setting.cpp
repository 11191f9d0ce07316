// CBOR: JSON's values, but strings may hold any bytes.
#include "experiment/setting.h"

#include <nlohmann/json.hpp>

namespace faultline::experiment {
namespace {

using nlohmann::json;

std::string bytesOf(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

template <class Make>
auto parse(std::string_view bytes, const char* what, Make make) -> Result<decltype(make(json()))> {
  try {
    return make(json::from_cbor(bytes));
  } catch (const json::exception& damage) {
    return errorf("{} cannot be read: {}", what, damage.what());
  }
}

json alterationsOf(const RunSpec& spec) {
  json list = json::array();
  for (const Alteration& a : spec.alterations)
    list.push_back({int(a.kind), a.epoch, a.instruction, a.value, a.address, a.bytes, a.each, int(a.change),
                    a.slot, a.test, a.nth});
  return list;
}

json beforeOf(const recording::KeptFiles& files) {
  json list = json::array();
  for (const recording::KeptFile& f : files)
    list.push_back({f.path, int(f.kind), f.mode, f.modified, f.bytes});
  return list;
}

std::shared_ptr<const recording::KeptFiles> beforeFrom(const json& list) {
  auto out = std::make_shared<recording::KeptFiles>();
  for (const json& f : list)
    out->push_back({f.at(0), recording::KeptFile::Kind(f.at(1).get<int>()), f.at(2), f.at(3), f.at(4)});
  return out;
}

json limitsOf(const Limits& l) { return {l.seconds, l.memory, l.fileSize, l.output, l.processes, l.epochs}; }

Limits limitsFrom(const json& list) {
  return {.seconds = list.at(0),
          .memory = list.at(1),
          .fileSize = list.at(2),
          .output = list.at(3),
          .processes = list.at(4),
          .epochs = list.at(5)};
}

json expectationOf(const recording::Expectation& e) {
  json out{{"oracle", e.oracle}};
  if (e.output) out["output"] = *e.output;
  if (e.status) out["status"] = *e.status;
  return out;
}

recording::Expectation expectationFrom(const json& value) {
  recording::Expectation e;
  e.oracle = value.at("oracle");
  if (value.contains("output")) e.output = value.at("output").get<std::string>();
  if (value.contains("status")) e.status = value.at("status").get<int>();
  return e;
}

} // namespace

std::string pack(const Setting& s) {
  const FailureIdentity& o = s.original;
  return bytesOf({{"variant", s.program.variant.string()},
                  {"program", s.program.program.string()},
                  {"libraries", s.program.libraries.string()},
                  {"seed", s.program.seed},
                  {"key", s.programKey},
                  {"origin", s.origin},
                  {"limits", limitsOf(s.limits)},
                  {"contained", s.containment.on},
                  {"scratch", s.containment.scratch},
                  {"input", int(s.input)},
                  {"expectation", expectationOf(s.expectation)},
                  {"original", {int(o.kind), o.number, o.site, o.counter, o.instruction}},
                  {"directory", s.directory}});
}

Result<Setting> unpackSetting(std::string_view bytes) {
  return parse(bytes, "the setting of the experiments", [](const json& v) {
    Setting s;
    s.program.variant = v.at("variant").get<std::string>();
    s.program.program = v.at("program").get<std::string>();
    s.program.libraries = v.at("libraries").get<std::string>();
    s.program.seed = v.at("seed");
    s.programKey = v.at("key");
    s.origin = v.at("origin");
    s.limits = limitsFrom(v.at("limits"));
    s.containment = {.on = v.at("contained"), .scratch = v.at("scratch")};
    s.input = InputKind(v.at("input").get<int>());
    s.expectation = expectationFrom(v.at("expectation"));
    const json& o = v.at("original");
    s.original = {replay::Verdict::Kind(o.at(0).get<int>()), o.at(1), o.at(2), o.at(3), o.at(4)};
    s.directory = v.at("directory");
    return s;
  });
}

std::string pack(const RunSpec& spec) {
  json files = json::array();
  for (const FileContent& file : spec.files) files.push_back({file.path, file.bytes});
  json out{{"argv", spec.argv},      {"env", spec.env},           {"cwd", spec.cwd},
           {"input", spec.input},    {"files", std::move(files)}, {"alterations", alterationsOf(spec)},
           {"last", spec.lastEpoch}, {"seed", spec.seed},         {"layout", spec.layout}};
  if (spec.before && !spec.before->empty()) out["before"] = beforeOf(*spec.before);
  return bytesOf(out);
}

Result<RunSpec> unpackSpec(std::string_view bytes) {
  return parse(bytes, "an experiment", [](const json& v) {
    RunSpec spec{.argv = v.at("argv"), .env = v.at("env"), .cwd = v.at("cwd"), .input = v.at("input")};
    for (const json& file : v.at("files")) spec.files.push_back({file.at(0), file.at(1)});
    for (const json& a : v.at("alterations"))
      spec.alterations.push_back({Alteration::Kind(a.at(0).get<int>()), a.at(1), a.at(2), a.at(3), a.at(4),
                                  a.at(5), a.at(6), a.at(10), fl_change(a.at(7).get<int>()), a.at(8),
                                  a.at(9)});
    spec.lastEpoch = v.at("last");
    spec.seed = v.at("seed");
    spec.layout = v.at("layout");
    if (v.contains("before")) spec.before = beforeFrom(v.at("before"));
    return spec;
  });
}

std::string pack(const Ending& e) {
  json place{e.site, e.counter};
  if (e.instruction) place.push_back(e.instruction);
  // 2: not known
  int outputRight = e.outputRight ? int(*e.outputRight) : 2;
  json out{{"right", outputRight},
           {"right_bytes", e.rightOutput},
           {"cut", int(e.cut)},
           {"method", int(e.method)},
           {"status", e.waitStatus},
           {"place", std::move(place)},
           {"epochs", e.epochs},
           {"output", e.output},
           {"errors", e.errors},
           {"blocked", e.blocked},
           {"broken", e.broken},
           {"reached", e.reached},
           {"executions", e.executions ? json(*e.executions) : json()},
           {"executions_before", e.executionsBefore},
           {"lost", e.stepsLost ? json(*e.stepsLost) : json()},
           {"seconds", e.seconds}};
  if (e.errorBytes) out["error_bytes"] = e.errorBytes; // verdicts are kept by the thousand
  return bytesOf(out);
}

Result<Ending> unpackEnding(std::string_view bytes) {
  return parse(bytes, "the end of an experiment", [](const json& v) {
    Ending e;
    e.cut = Ending::Cut(v.at("cut").get<int>());
    e.method = Ending::Method(v.at("method").get<int>());
    e.waitStatus = v.at("status");
    e.site = v.at("place").at(0);
    e.counter = v.at("place").at(1);
    if (v.at("place").size() > 2) e.instruction = v.at("place").at(2);
    e.epochs = v.at("epochs");
    e.output = v.at("output");
    e.errors = v.at("errors");
    if (v.contains("error_bytes")) e.errorBytes = v.at("error_bytes");
    e.blocked = v.at("blocked");
    e.broken = v.at("broken");
    e.reached = v.at("reached");
    if (int right = v.at("right"); right != 2) e.outputRight = right == 1;
    e.rightOutput = v.at("right_bytes");
    if (const json& count = v.at("executions"); !count.is_null()) e.executions = count.get<uint64_t>();
    e.executionsBefore = v.at("executions_before");
    if (const json& lost = v.at("lost"); !lost.is_null()) e.stepsLost = lost.get<uint64_t>();
    e.seconds = v.at("seconds");
    return e;
  });
}

} // namespace faultline::experiment
