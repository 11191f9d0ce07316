#include "finding/chop_report.h"

namespace faultline::finding {

Document toDocument(const ChopReport& report) {
  Document out{.technique = "chop",
               .program = report.program,
               .failure = report.failure,
               .caveats = report.caveats,
               .stats = report.stats};
  out.part["input"] = inputJson(report.inputs);
  out.part["input"]["criterion"] = report.criterion;
  out.part["input"]["one_minimal"] = report.isOneMinimal;
  out.part["command"] = report.command;
  out.part["statements"] = statementsJson(report.statements);
  out.part["constants"] = statementsJson(report.constants);
  out.part["potential"] = statementsJson(report.potential);
  out.part["sizes"] = {{"backward", report.backwardStatements},
                       {"forward", report.forwardStatements},
                       {"chop", report.statements.size()},
                       {"constants", report.constants.size()},
                       {"potential", report.potential.size()}};
  return out;
}

} // namespace faultline::finding
