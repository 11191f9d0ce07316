#include "report/changes_text.h"

#include "report/terminal.h"

#include <gtest/gtest.h>

namespace faultline::report {
namespace {

std::string shown(const std::vector<std::string>& texts) {
  finding::ChangesReport report;
  for (uint32_t k = 0; k < texts.size(); ++k)
    report.changes.push_back({{"a.c", 4, k + 1, "f"}, "inserted", texts[k], true, {.share = 1}});
  SourceFiles files;
  return renderChanges(report, 10, files, Screen{});
}

size_t timesIn(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ChangesText, WhatHelpsInSeveralColumnsOfALineIsToldOnce) {
  const std::string text =
      shown({"if `n = 0` came before it", "if `n = 0` came before it", "with `<` instead of `<=`",
             "if `n = 0` came before it", "with `<` instead of `<=`"});
  EXPECT_EQ(timesIn(text, "`n = 0`"), 1u) << text;
  EXPECT_EQ(timesIn(text, "also with `<`"), 1u) << text;
  EXPECT_EQ(timesIn(text, "more here"), 0u) << text;
}

TEST(ChangesText, OfManyThreeAreToldAndTheOthersCounted) {
  const std::string text = shown({"a", "b", "c", "d", "d", "e", "f"});
  EXPECT_EQ(timesIn(text, "also "), 3u) << text;
  EXPECT_NE(text.find("and 2 more here"), text.npos) << text;
}

} // namespace
} // namespace faultline::report
