#include "compiler/link_record.h"
#include "compiler/link_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

LinkRecord record(std::vector<std::string> argv, std::vector<LinkInput> inputs = {}) {
  LinkRecord made;
  made.cwd = "/work";
  made.driver = Language::Cxx;
  made.argv = std::move(argv);
  made.output = "/made/prog";
  made.inputs = std::move(inputs);
  return made;
}

std::vector<std::string> texts(const LinkRecord& link) {
  std::vector<std::string> out;
  for (const LinkWord& word : linkWords(link)) out.push_back(word.text);
  return out;
}

TEST(LinkRecord, ReadsBackFromItsJson) {
  LinkRecord link = record({"a.o", "-l", "z", "-Wl,x,y.a"}, {{0, 1, -1, "/made/a.o", "object", {1, 2}},
                                                             {1, 2, -1, "", "other", {}},
                                                             {3, 1, 1, "/made/y.a", "archive", {~0ull}}});
  auto back = linkRecordFromJson(toJson(link));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(toJson(*back), toJson(link));
  EXPECT_EQ(back->driver, Language::Cxx);
  EXPECT_THAT(back->inputs[0].records, ElementsAre(1, 2));
  EXPECT_EQ(back->inputs[1].width, 2u);
  EXPECT_EQ(back->inputs[2].piece, 1);
}

TEST(LinkRecord, RefusesWhatIsDamagedOrNewer) {
  EXPECT_THAT(linkRecordFromJson("{").error().message, HasSubstr("damaged"));
  EXPECT_THAT(linkRecordFromJson("[]").error().message, HasSubstr("damaged"));
  EXPECT_THAT(linkRecordFromJson(R"({"version":2})").error().message, HasSubstr("another version"));
  EXPECT_THAT(linkRecordFromJson(R"({"version":1,"cwd":7})").error().message, HasSubstr("damaged"));
  LinkRecord link = record({"a.o"}, {{5, 1, -1, "/made/a.o", "object", {}}});
  EXPECT_THAT(linkRecordFromJson(toJson(link)).error().message, HasSubstr("bad index"));
}

TEST(LinkWords, LeaveOutWhatIsForAnotherOutput) {
  EXPECT_THAT(
      texts(record({"-O2",
                    "-o",
                    "prog",
                    "-flto=thin",
                    "-s",
                    "-x",
                    "c",
                    "-MD",
                    "-MF",
                    "p.d",
                    "-pthread",
                    "-fuse-ld=lld",
                    "-Wl,-Map=p.map",
                    "-Wl,-Map,p.map,-z,now",
                    "-Xlinker",
                    "-s",
                    "-T",
                    "script.ld",
                    "-oprog2",
                    "-fwhole-program-vtables"})),
      ElementsAre("-O2", "-pthread", "-fuse-ld=lld", "-Xlinker", "-z", "-Xlinker", "now", "-T", "script.ld"));
}

TEST(LinkWords, AnInputInsideWlStandsByItselfInTheStateAroundIt) {
  LinkRecord link = record({"-Wl,--push-state,--whole-archive,y.a,--pop-state", "z.a"},
                           {{0, 1, 2, "/made/y.a", "archive", {}}, {1, 1, -1, "/made/z.a", "archive", {}}});
  auto words = linkWords(link);
  EXPECT_THAT(texts(link), ElementsAre("-Xlinker", "--push-state", "-Xlinker", "--whole-archive", "y.a",
                                       "-Xlinker", "--pop-state", "z.a"));
  EXPECT_TRUE(words[4].wholeArchive);
  EXPECT_FALSE(words[7].wholeArchive);
}

} // namespace
} // namespace faultline::compiler
