#include "recording/meta.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/wait.h>
#include <type_traits>
#include <utility>

namespace faultline::recording {
namespace {

using nlohmann::json;

// One list of members serves both directions; `io` is a Put or a Get.
template <class IO, class M> void metaFields(IO& io, M& m) {
  io("argv", m.argv), io("env", m.env), io("cwd", m.cwd), io("program", m.program);
  io("program_id", m.programId), io("variant", m.variant), io("created", m.created), io("input", m.input);
  io("capture_output", m.captureOutput), io("seed", m.seed), io("size_limit", m.sizeLimit);
  io("timeout", m.timeout);
}

template <class IO, class E> void endFields(IO& io, E& e) {
  io("wait_status", e.waitStatus), io("timed_out", e.timedOut), io("ended", e.ended), io("epoch", e.epoch);
  io("ext", e.ext), io("thread", e.thread), io("records", e.records), io("raw_bytes", e.rawBytes);
  io("stored_bytes", e.storedBytes), io("seconds", e.seconds), io("caveats", e.caveats);
}

template <class IO, class O> void objectFields(IO& io, O& o) {
  io("path", o.path), io("object_id", o.objectId), io("variant", o.variant);
}

// Arguments and environments need not be UTF-8, JSON must be: bytes 0x80..0xff travel as U+0080..U+00ff.
std::string widen(std::string_view bytes) {
  std::string text;
  for (unsigned char c : bytes) {
    if (c < 0x80)
      text += char(c);
    else
      text += {char(0xc0 | (c >> 6)), char(0x80 | (c & 0x3f))};
  }
  return text;
}

std::string narrow(const std::string& text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char c = text[i];
    if ((c == 0xc2 || c == 0xc3) && i + 1 < text.size())
      bytes += char((c << 6) | (text[++i] & 0x3f));
    else
      bytes += char(c);
  }
  return bytes;
}

struct Put {
  json object;
  template <class T> void operator()(const char* name, const T& value) { object[name] = value; }
  void operator()(const char* name, const std::string& value) { object[name] = widen(value); }
  void operator()(const char* name, const std::vector<std::string>& values) {
    json list = json::array();
    for (const auto& value : values) list.push_back(widen(value));
    object[name] = std::move(list);
  }
};

// The library converts any number to any other, whether it fits or not.
template <class T> T number(const json& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<uint64_t>())
                : value.is_number_integer() ? std::in_range<T>(value.get<int64_t>())
                                            : false;
    if (!fits) throw std::out_of_range("a number is missing, or cannot be right");
  }
  return value.get<T>();
}

struct Get {
  const json& object;
  template <class T> void operator()(const char* name, T& value) { value = number<T>(object.at(name)); }
  void operator()(const char* name, std::string& value) {
    value = narrow(object.at(name).get<std::string>());
  }
  void operator()(const char* name, std::vector<std::string>& values) {
    for (const auto& item : object.at(name)) values.push_back(narrow(item.get<std::string>()));
  }
};

template <class T, class Fields> Result<T> fromJson(std::string_view text, const char* what, Fields fields) {
  try {
    json object = json::parse(text);
    T value;
    Get get{object};
    fields(get, value);
    return value;
  } catch (const std::exception& e) {
    return errorf("the recording's {} part cannot be read: {}", what, e.what());
  }
}

} // namespace

namespace {

// Optional as a whole and in each part: recordings made without one have none.
json expectationJson(const Expectation& e) {
  json out = json::object();
  if (e.output) out["output"] = widen(*e.output);
  if (e.status) out["status"] = *e.status;
  if (!e.oracle.empty()) out["oracle"] = widen(e.oracle);
  return out;
}

Expectation expectationFromJson(const json& object) {
  Expectation out;
  if (object.contains("output")) out.output = narrow(object["output"].get<std::string>());
  if (object.contains("status")) out.status = number<int>(object["status"]);
  if (object.contains("oracle")) out.oracle = narrow(object["oracle"].get<std::string>());
  return out;
}

Shortened shortenedFromJson(const json& object) {
  return {number<uint64_t>(object.at("steps")), number<double>(object.at("seconds")),
          number<uint64_t>(object.at("entered"))};
}

ChildOf childFromJson(const json& object) {
  return {object.at("number").get<std::string>(), number<int>(object.at("pid")),
          narrow(object.at("recording").get<std::string>())};
}

} // namespace

bool End::signalled() const { return WIFSIGNALED(waitStatus); }
int End::signal() const { return signalled() ? WTERMSIG(waitStatus) : 0; }
int End::exitStatus() const { return WIFEXITED(waitStatus) ? WEXITSTATUS(waitStatus) : 0; }

std::string toJson(const Meta& meta) {
  Put put;
  metaFields(put, meta);
  if (meta.expectation.isGiven()) put.object["expect"] = expectationJson(meta.expectation);
  if (meta.last) put.object["last"] = meta.last;
  if (meta.shortened.steps)
    put.object["shortened"] = {{"steps", meta.shortened.steps},
                               {"seconds", meta.shortened.seconds},
                               {"entered", meta.shortened.entered}};
  if (meta.alters)
    put.object["world"] = {{"pid", meta.worldPid}, {"clock", meta.worldClock}, {"quick", meta.quick}};
  if (!meta.child.number.empty())
    put.object["child"] = {
        {"number", meta.child.number}, {"pid", meta.child.pid}, {"recording", widen(meta.child.recording)}};
  return put.object.dump();
}

std::string toJson(const End& end) {
  Put put;
  endFields(put, end);
  if (end.forks != 0) put.object["forks"] = end.forks;
  if (end.threaded) put.object["threaded"] = true;
  if (end.counter != 0) put.object["counter"] = end.counter;
  if (end.instruction != 0) put.object["instruction"] = end.instruction;
  if (end.inputRead != 0) put.object["input_read"] = end.inputRead;
  return put.object.dump();
}

std::string toJson(const LoadedObject& object) {
  Put put;
  objectFields(put, object);
  return put.object.dump();
}

Result<LoadedObject> objectFromJson(std::string_view text) {
  return fromJson<LoadedObject>(text, "object", [](Get& get, LoadedObject& o) { objectFields(get, o); });
}

Result<Meta> metaFromJson(std::string_view text) {
  return fromJson<Meta>(text, "meta", [](Get& get, Meta& m) {
    metaFields(get, m);
    if (get.object.contains("expect")) m.expectation = expectationFromJson(get.object["expect"]);
    if (get.object.contains("last")) m.last = number<uint64_t>(get.object["last"]);
    if (get.object.contains("world") && get.object["world"].is_object()) {
      m.alters = true;
      m.quick = get.object["world"].value("quick", false);
      m.worldPid = number<uint32_t>(get.object["world"].value("pid", nlohmann::json(0)));
      m.worldClock = number<uint64_t>(get.object["world"].value("clock", nlohmann::json(0)));
    }
    if (get.object.contains("shortened")) m.shortened = shortenedFromJson(get.object["shortened"]);
    if (get.object.contains("child")) m.child = childFromJson(get.object["child"]);
  });
}

Result<End> endFromJson(std::string_view text) {
  return fromJson<End>(text, "end", [](Get& get, End& e) {
    endFields(get, e);
    if (get.object.contains("forks")) e.forks = number<uint32_t>(get.object["forks"]);
    e.threaded = get.object.contains("threaded") && get.object["threaded"] == true;
    if (get.object.contains("counter")) e.counter = number<uint64_t>(get.object["counter"]);
    if (get.object.contains("instruction")) e.instruction = number<uint64_t>(get.object["instruction"]);
    if (get.object.contains("input_read")) e.inputRead = number<uint64_t>(get.object["input_read"]);
  });
}

} // namespace faultline::recording
