#include "technique/invariants/program.h"

#include "logic/c_text.h"
#include "technique/instance_text.h"
#include "technique/invariants/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unordered_set>

namespace faultline::technique {

using logic::Term;

namespace {

// What nothing in the trace defines: as recorded, or anything.
Result<void> declareRest(logic::InstanceTerms& terms, const InvariantTrace& trace, logic::CWriter& c) {
  logic::Terms& t = terms.terms();
  std::unordered_set<uint32_t> known;
  for (auto& [variable, value] : trace.definitions) known.insert(variable.id);
  auto declare = [&](Term of) -> Result<void> {
    for (Term v : t.variables(of)) {
      if (!known.insert(v.id).second) continue;
      FL_TRY(value, terms.valueOf(v));
      c.declare(v, value,
                terms.timeOf(v) == depend::kNoInstance ? "anything: it is not used" : "as recorded");
    }
    return {};
  };
  for (auto& [variable, value] : trace.definitions) FL_CHECK(declare(value));
  return declare(trace.holds);
}

} // namespace

Result<std::string> errorTraceProgram(logic::InstanceTerms& terms, const InvariantTrace& trace,
                                      std::string_view cwd) {
  logic::CWriter c(terms.terms());
  InvariantNames names(terms);
  depend::RunCode& code = terms.instances().history().code();
  auto say = [&](uint64_t time, std::span<const Term> conditions, const char* what) -> Result<void> {
    FL_TRY(x, terms.instances().at(time));
    finding::Place place = placeOf(code, x.id, cwd);
    FL_TRY(texts, names.texts(conditions, time));
    if (!texts.empty()) c.comment(fmt::format("  {{ {} }}", fmt::join(texts, " && ")));
    c.comment(fmt::format("{}:{} {}(){}", place.file, place.line, place.function, what));
    return {};
  };
  FL_CHECK(declareRest(terms, trace, c));
  size_t step = 0;
  for (auto& [variable, value] : trace.definitions) {
    for (; step < trace.steps.size() && terms.timeOf(variable) >= trace.steps[step].first; ++step)
      FL_CHECK(say(trace.steps[step].time, trace.steps[step].before, ""));
    c.assign(variable, value);
  }
  FL_CHECK(say(trace.time, trace.failure, ", fails"));
  c.ifTrue(trace.holds,
           "{\n    puts(\"the failing condition holds\");\n    fflush(stdout);\n    abort();\n  }");
  return "// Made by faultline invariants: what of one failing run mattered, and nothing else. Build it with "
         "clang-19 -lm.\n" +
         c.prelude() + "\nint main(void) {\n" + c.text() + "  return 0;\n}\n";
}

} // namespace faultline::technique
