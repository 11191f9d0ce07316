// What each technique found, as SARIF results (report/sarif.h).
#pragma once

#include "finding/causes_report.h"
#include "finding/changes_report.h"
#include "finding/chop_report.h"
#include "finding/critical_report.h"
#include "finding/explanation.h"
#include "finding/invariants_report.h"
#include "report/sarif.h"

namespace faultline::report {

SarifLog sarifOf(const finding::Explanation& explanation);
SarifLog sarifOf(const finding::CausesReport& report);
SarifLog sarifOf(const finding::CriticalReport& report);
SarifLog sarifOf(const finding::ChangesReport& report);
SarifLog sarifOf(const finding::SliceReport& report);
SarifLog sarifOf(const finding::ChopReport& report);
SarifLog sarifOf(const finding::InvariantsReport& report);

} // namespace faultline::report
