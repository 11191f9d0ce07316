#include "finding/document.h"

#include "finding/paths.h"

#include <gtest/gtest.h>

namespace faultline::finding {
namespace {

TEST(Paths, AreMadeAbsoluteAndShownRelative) {
  EXPECT_EQ(absolutePath("../lib/./a.c", "/made/src"), "/made/lib/a.c");
  EXPECT_EQ(absolutePath("/usr/lib/gcc/x/../../../include/vector", "/work"), "/usr/include/vector");
  EXPECT_EQ(absolutePath("", "/work"), "");
  EXPECT_EQ(shownPath("/made/src/a.c", "/made/"), "src/a.c");
  EXPECT_EQ(shownPath("/workshop/a.c", "/work"), "/workshop/a.c");
  EXPECT_EQ(shownPath("/a.c", "/"), "/a.c");
  EXPECT_EQ(nearPath("/made/src/a.c", "/made"), "src/a.c");
  EXPECT_EQ(nearPath("/home/me/made/src/a.c", "/home/me/made/build/"), "../src/a.c");
  EXPECT_EQ(nearPath("/home/me/made/src/a.c", "/home/me/made/build/x/y"), "/home/me/made/src/a.c");
  EXPECT_EQ(nearPath("/usr/include/stdio.h", "/tmp"), "/usr/include/stdio.h");
}

TEST(DocumentJson, IsValidWhateverTheProgramHolds) {
  Document document;
  document.technique = "show";
  document.program.argv = {"./a.out", "\xff\xfe"};
  Json json = Json::parse(printed(toJson(document)));
  EXPECT_TRUE(json["failure"].is_null());
  EXPECT_EQ(json.begin().key(), "schema");
}

} // namespace
} // namespace faultline::finding
