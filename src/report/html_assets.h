// Style and script of the page. The page allows this script only, by its hash:
// tests/unit/report/html_test.cpp says what it must be when the script changes.
#pragma once

namespace faultline::report {

extern const char* const kHtmlStyle;
extern const char* const kHtmlScript;
extern const char* const kHtmlScriptHash; // sha256, base64

} // namespace faultline::report
