#include "report/sarif.h"

#include "finding/paths.h"
#include "report/sarif_rules.h"
#include "report/utf8.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <xxhash.h>

namespace faultline::report {
namespace {

using finding::Json;
using finding::Place;

constexpr const char* kBase = "SRCROOT";

std::string percentEncoded(std::string_view path) {
  std::string out;
  for (char c : path) {
    bool isPlain =
        std::isalnum(uint8_t(c)) || std::string_view("/-._~+,=@").find(c) != std::string_view::npos;
    out += isPlain ? std::string(1, c) : fmt::format("%{:02X}", uint8_t(c));
  }
  return out;
}

std::string folderUri(const std::string& path) {
  return "file://" + percentEncoded(path) + (path.ends_with('/') ? "" : "/");
}

// Plain text in a message: braces would be placeholders, and [x](y) a link.
std::string messageText(std::string_view text, size_t most) {
  std::string shown = cutUtf8(text, most), out;
  bool hasLink = shown.find("](") != std::string::npos;
  for (char c : shown) {
    if (hasLink && (c == '[' || c == ']')) out += '\\';
    out += c;
    if (c == '{' || c == '}') out += c;
  }
  return out;
}

class SarifWriter {
public:
  SarifWriter(const SarifLog& log, SourceFiles& files, const SarifOptions& options)
      : log_(log), files_(files), o_(options) {}

  Json document() {
    Json run;
    run["tool"]["driver"] = driver();
    run["automationDetails"]["id"] = fmt::format("faultline/{}/", log_.technique);
    Json found = results(); // may leave something out, which the invocation tells
    run["invocations"] = Json::array({invocation()});
    run["originalUriBaseIds"][kBase]["uri"] = folderUri(o_.root);
    run["columnKind"] = "unicodeCodePoints";
    run["results"] = std::move(found);
    run["properties"]["program"] = {{"path", log_.program.path}, {"argv", log_.program.argv}};
    if (log_.failure) run["properties"]["failure"] = finding::toJson(*log_.failure);
    if (!log_.tried.empty()) run["properties"]["tried"] = log_.tried;
    if (!log_.smallest.empty()) run["properties"]["smallestInput"] = log_.smallest;
    Json out;
    out["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
    out["version"] = "2.1.0";
    out["runs"] = Json::array({std::move(run)});
    return out;
  }

private:
  Json text(std::string_view plain) const { return {{"text", messageText(plain, o_.longestText)}}; }

  Json driver() const {
    Json driver{{"name", "Faultline"}, {"semanticVersion", o_.version}, {"rules", Json::array()}};
    for (const SarifRule& r : sarifRules()) {
      Json rule{{"id", r.id}, {"name", r.name}};
      rule["shortDescription"]["text"] = std::string(r.brief) + ".";
      rule["fullDescription"]["text"] = r.help;
      rule["help"]["text"] = r.help;
      rule["defaultConfiguration"]["level"] = r.level;
      rule["properties"]["tags"] = {"correctness", "dynamic-analysis"};
      driver["rules"].push_back(std::move(rule));
    }
    return driver;
  }

  // A note of ours has no place; what was bounded or not verified must not get lost for it.
  Json invocation() const {
    Json out{{"executionSuccessful", true}};
    if (!o_.command.empty()) out["arguments"] = Json(std::vector(o_.command.begin() + 1, o_.command.end()));
    out["workingDirectory"]["uri"] = folderUri(o_.workingDirectory);
    out["toolExecutionNotifications"] = Json::array();
    std::vector<std::string> notes = log_.caveats;
    if (left_) notes.push_back(fmt::format("{} further results are left out: services take no more", left_));
    if (cut_) notes.push_back(fmt::format("{} steps in the middle of code flows are left out", cut_));
    if (log_.failure) {
      Json note{{"level", "note"}, {"message", text("The run failed: " + log_.failure->message)}};
      if (log_.failure->place.isKnown())
        note["locations"] = Json::array({{{"physicalLocation", physical(log_.failure->place)}}});
      out["toolExecutionNotifications"].push_back(std::move(note));
    }
    for (const std::string& n : notes)
      out["toolExecutionNotifications"].push_back({{"level", "note"}, {"message", text(n)}});
    return out;
  }

  Json physical(const Place& place) const {
    Json out;
    std::string relative = finding::shownPath(place.file, o_.root);
    out["artifactLocation"]["uri"] = (relative == place.file ? "file://" : "") + percentEncoded(relative);
    if (relative != place.file) out["artifactLocation"]["uriBaseId"] = kBase;
    Json region{{"startLine", place.line}};
    auto line = files_.line(place.file, place.line);
    if (place.column) region["startColumn"] = line ? codePointColumn(*line, place.column) : place.column;
    if (line) region["snippet"]["text"] = cutUtf8(*line, o_.longestText);
    out["region"] = std::move(region);
    return out;
  }

  Json location(const Place& place) const {
    Json out{{"physicalLocation", physical(place)}};
    if (!place.function.empty())
      out["logicalLocations"] = Json::array({{{"name", place.function}, {"kind", "function"}}});
    return out;
  }

  // The beginning and the end of a flow tell most.
  Json codeFlow(const std::vector<SarifStep>& all) {
    std::vector<const SarifStep*> steps;
    for (const SarifStep& s : all)
      if (s.place.isKnown()) steps.push_back(&s);
    Json locations = Json::array();
    for (size_t k = 0; k < steps.size(); ++k) {
      if (steps.size() > o_.mostSteps && k == o_.mostSteps / 2) {
        cut_ += steps.size() - o_.mostSteps;
        k = steps.size() - (o_.mostSteps - o_.mostSteps / 2);
      }
      const SarifStep& s = *steps[k];
      Json step{{"location", location(s.place)}};
      bool isEnd = k == 0 || k + 1 == steps.size();
      std::string what = !s.text.empty()            ? s.text
                         : s.place.function.empty() ? "executed"
                                                    : fmt::format("executed in {}()", s.place.function);
      step["location"]["message"] = text(what);
      step["executionOrder"] = k + 1;
      step["importance"] = isEnd ? "essential" : "important";
      locations.push_back(std::move(step));
    }
    return locations;
  }

  // Stable while the line, its function and the rule are.
  uint64_t lineHash(const SarifResult& r) {
    std::string words;
    if (auto line = files_.line(r.place.file, r.place.line)) {
      for (char c : *line)
        if (!std::isspace(uint8_t(c))) words += c;
    } else {
      words = fmt::format("line {}", r.place.line);
    }
    std::string file = std::filesystem::path(r.place.file).filename().string();
    std::string all = fmt::format("{}\n{}\n{}\n{}", r.rule, file, r.place.function, words);
    return XXH3_64bits(all.data(), all.size());
  }

  // Equal lines are told apart by their order in the source, which a new ranking does not change.
  std::vector<std::string> fingerprints() {
    std::vector<size_t> order(log_.results.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      const Place &x = log_.results[a].place, &y = log_.results[b].place;
      return std::tie(x.file, x.line, x.column, a) < std::tie(y.file, y.line, y.column, b);
    });
    std::vector<std::string> out(order.size());
    std::map<uint64_t, unsigned> seen;
    for (size_t k : order) {
      uint64_t hash = lineHash(log_.results[k]);
      out[k] = fmt::format("{:016x}:{}", hash, ++seen[hash]);
    }
    return out;
  }

  uint32_t columnOf(const Place& place, uint32_t column) {
    auto line = files_.line(place.file, place.line);
    return line ? codePointColumn(*line, column) : column;
  }

  // Columns of SARIF count as `columnKind` says: one for each code point.
  Json fix(const finding::Edit& edit, const std::string& message) {
    Json region = {{"startLine", edit.place.line},
                   {"startColumn", columnOf(edit.place, edit.column)},
                   {"endLine", edit.place.line},
                   {"endColumn", columnOf(edit.place, edit.column + edit.length)}};
    Json change;
    change["artifactLocation"] = location(edit.place)["physicalLocation"]["artifactLocation"];
    change["replacements"] =
        Json::array({{{"deletedRegion", std::move(region)}, {"insertedContent", {{"text", edit.text}}}}});
    Json out;
    out["description"] = text(message);
    out["artifactChanges"] = Json::array({std::move(change)});
    return out;
  }

  Json result(const SarifResult& r, const std::string& fingerprint) {
    Json out;
    out["ruleId"] = r.rule;
    auto rules = sarifRules();
    auto rule = std::find_if(rules.begin(), rules.end(), [&](const SarifRule& x) { return x.id == r.rule; });
    out["ruleIndex"] = rule - rules.begin();
    out["level"] = r.level;
    out["message"]["text"] = messageText(r.message, o_.longestText);
    out["locations"] = Json::array({location(r.place)});
    out["partialFingerprints"]["faultlineLine/v1"] = fingerprint;
    Json flow = codeFlow(r.flow);
    if (!flow.empty())
      out["codeFlows"] = Json::array({{{"threadFlows", Json::array({{{"locations", std::move(flow)}}})}}});
    if (log_.failure && log_.failure->place.isKnown()) {
      Json related = location(log_.failure->place);
      related["id"] = 1;
      related["message"] = text(log_.failure->message);
      out["relatedLocations"] = Json::array({std::move(related)});
      out["message"]["text"] = out["message"]["text"].get<std::string>() + " The run failed [here](1).";
    }
    if (r.edit) out["fixes"] = Json::array({fix(*r.edit, r.message)});
    if (r.rank >= 0) out["rank"] = std::min(r.rank, 100.0);
    if (!r.properties.empty()) out["properties"] = r.properties;
    return out;
  }

  Json results() {
    std::vector<std::string> prints = fingerprints();
    Json out = Json::array();
    for (size_t k = 0; k < log_.results.size(); ++k) {
      if (!log_.results[k].place.isKnown()) continue;
      if (out.size() < o_.mostResults)
        out.push_back(result(log_.results[k], prints[k]));
      else
        ++left_;
    }
    return out;
  }

  const SarifLog& log_;
  SourceFiles& files_;
  const SarifOptions& o_;
  size_t left_ = 0, cut_ = 0;
};

} // namespace

std::string renderSarif(const SarifLog& log, SourceFiles& files, const SarifOptions& options) {
  return finding::printed(SarifWriter(log, files, options).document());
}

std::string repositoryRoot(const std::string& directory) {
  std::error_code ignored;
  for (std::filesystem::path at = directory; !at.empty(); at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", ignored)) return at.string();
    if (at == at.parent_path()) break;
  }
  return directory;
}

} // namespace faultline::report
