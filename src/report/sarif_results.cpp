#include "report/sarif_results.h"

#include "report/sarif_rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::report {

using finding::Json;

namespace {

using finding::kFirstScreen; // what a person is shown first is a warning, the rest a note

template <class Report> SarifLog logOf(const Report& report, const char* technique) {
  return {.technique = technique,
          .program = report.program,
          .failure = report.failure,
          .caveats = report.caveats};
}

std::string sentence(std::string text) {
  if (!text.empty() && std::string_view(".!?").find(text.back()) == std::string_view::npos) text += '.';
  return text;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const std::string& p : parts) out += (out.empty() ? "" : between) + p;
  return out;
}

// A failure that nothing was found for is still worth a result.
void addFailure(SarifLog& log) {
  if (!log.results.empty() || !log.failure) return;
  log.results.push_back({.rule = kRuleFailure,
                         .level = "error",
                         .place = log.failure->place,
                         .message = sentence(log.failure->message)});
}

void addStatements(SarifLog& log, const std::vector<finding::SliceStatement>& statements, const char* rule) {
  for (const finding::SliceStatement& s : statements) {
    if (s.isLibrary) continue;
    std::string value = s.value ? finding::valueText(*s.value, false) + ": " : "";
    log.results.push_back(
        {.rule = rule, .level = "note", .place = s.place, .message = sentence(value + s.why)});
    log.results.back().properties = {{"relation", s.relation}, {"instances", s.instances}};
  }
}

} // namespace

SarifLog sarifOf(const finding::Explanation& explanation) {
  SarifLog log = logOf(explanation, "explain");
  log.tried = explanation.tried;
  if (explanation.smallest) log.smallest = sentencesOf(*explanation.smallest);
  double top = explanation.suspects.empty() ? 0 : explanation.suspects[0].score;
  for (size_t k = 0; k < explanation.suspects.size(); ++k) {
    const finding::Suspect& s = explanation.suspects[k];
    SarifResult r{.rule = kRuleSuspect, .level = k < kFirstScreen ? "warning" : "note", .place = s.place};
    r.message = fmt::format("Suspect {} of {}:", k + 1, explanation.suspects.size());
    for (const finding::Evidence& e : s.evidence) r.message += " " + sentence(e.text);
    for (const finding::ChainStep& step : s.chain) r.flow.push_back({step.place, step.text});
    r.rank = top > 0 ? 100 * s.score / top : 0;
    r.properties = {{"suspect", k + 1}, {"score", s.score}, {"evidence", Json::array()}};
    for (const finding::Evidence& e : s.evidence)
      r.properties["evidence"].push_back({{"technique", e.technique}, {"text", e.text}});
    for (const finding::Evidence& e : s.evidence)
      if (e.edit && !r.edit) r.edit = e.edit;
    log.results.push_back(std::move(r));
  }
  addFailure(log);
  return log;
}

SarifLog sarifOf(const finding::CausesReport& report) {
  SarifLog log = logOf(report, "causes");
  for (size_t k = 0; k < report.nodes.size(); ++k) {
    const finding::CauseNodeInfo& n = report.nodes[k];
    SarifResult r{.rule = kRuleCause, .level = k < kFirstScreen ? "warning" : "note", .place = n.place};
    if (n.condition) r.message = sentence(valueText(*n.condition, n.kind != "failure"));
    for (const std::string* text : {&n.relation, &n.contradiction})
      if (!text->empty()) r.message += (r.message.empty() ? "" : " ") + sentence(*text);
    if (r.message.empty()) r.message = "A potential cause of the failure.";
    for (const finding::CauseStatement& s : n.statements)
      if (!s.isLibrary)
        r.flow.push_back({s.place, s.value ? finding::valueText(*s.value, s.isCondition) : ""});
    std::reverse(r.flow.begin(), r.flow.end());
    r.properties = {{"node", n.id}, {"parent", n.parent}, {"level", n.level}, {"kind", n.kind}};
    log.results.push_back(std::move(r));
  }
  return log;
}

SarifLog sarifOf(const finding::CriticalReport& report) {
  SarifLog log = logOf(report, "critical");
  for (size_t k = 0; k < report.decisions.size(); ++k) {
    const finding::CriticalDecision& d = report.decisions[k];
    std::string was = d.condition ? valueText(*d.condition, true) : "It was decided so";
    std::string other = finding::otherwiseText(d);
    log.results.push_back({.rule = kRuleCritical,
                           .level = k < kFirstScreen ? "warning" : "note",
                           .place = d.place,
                           .message = fmt::format("{}; {}, {}{}.", was, other, finding::effectText(d.effect),
                                                  finding::wayText(d.effect))});
    if (!d.verified)
      log.results.back().message +=
          " This was not confirmed" + (d.unverified.empty() ? std::string() : ": " + d.unverified) + ".";
    log.results.back().properties = {{"instance", d.instance}, {"verified", d.verified}};
  }
  return log;
}

SarifLog sarifOf(const finding::ChangesReport& report) {
  SarifLog log = logOf(report, "changes");
  for (size_t k = 0; k < report.changes.size(); ++k) {
    const finding::CodeChange& c = report.changes[k];
    log.results.push_back({.rule = kRuleChange,
                           .level = k < kFirstScreen ? "warning" : "note",
                           .place = c.place,
                           .message = sentence(fmt::format("{} {}{}", finding::effectText(c.effect), c.text,
                                                           finding::wayText(c.effect)))});
    if (!c.verified) log.results.back().message += " This was not confirmed.";
    log.results.back().properties = {{"form", c.form}, {"verified", c.verified}};
    log.results.back().edit = c.edit;
  }
  return log;
}

SarifLog sarifOf(const finding::SliceReport& report) {
  SarifLog log = logOf(report, "slice");
  addStatements(log, report.statements, kRuleSlice);
  return log;
}

SarifLog sarifOf(const finding::ChopReport& report) {
  SarifLog log = logOf(report, "chop");
  addStatements(log, report.statements, kRuleChop);
  return log;
}

SarifLog sarifOf(const finding::InvariantsReport& report) {
  SarifLog log = logOf(report, "invariants");
  SarifResult r{.rule = kRuleInvariant, .place = report.place};
  r.message = report.holds.empty() ? "The failure followed from these statements."
                                   : sentence("Here held: " + joined(report.holds, ", "));
  for (const finding::InvariantStepInfo& s : report.steps) {
    std::string after = s.after.empty() ? "" : "; then holds: " + joined(s.after, ", ");
    r.flow.push_back({s.place, s.statement + after});
  }
  log.results.push_back(std::move(r));
  return log;
}

} // namespace faultline::report
