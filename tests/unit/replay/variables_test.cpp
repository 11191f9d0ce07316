#include "replay/variables.h"

#include "replay/value_text.h"
#include "unit/replay/stopped_state.h"

#include <gmock/gmock.h>

namespace faultline::replay {
namespace {

using namespace testing;
using fir::Op;
using ::testing::ElementsAre;

class Variables : public ::testing::Test {
protected:
  std::vector<std::string> names(const MadeFrame& frame) {
    std::vector<std::string> out;
    for (const FrameVariable& v : variablesInScope(frame.view(), memory_)) out.push_back(v.name);
    return out;
  }
  std::string text(const MadeFrame& frame, const std::string& name) {
    auto v = findVariable(frame.view(), memory_, name);
    if (!v) return "<none>";
    ValueContext context{.memory = &memory_};
    return valueText(v->place, context);
  }
  fir::Image image_ = goldenImage("list");
  MadeMemory memory_;
  MadeSymbols symbols_{image_};
  MadeFrame frame_{image_, "sum", 0x7000};
};

TEST_F(Variables, InnerBlocksSeeOuterOnes) {
  EXPECT_THAT(names(frame_.at(Op::Store, 24)), ElementsAre("n", "k", "copy", "s", "i", "q"));
}

TEST_F(Variables, DeclaredLaterIsNotThereYet) {
  EXPECT_THAT(names(frame_.at(Op::StoreVar, 21)), ElementsAre("n", "k", "copy"));
  EXPECT_THAT(names(frame_.at(Op::Load, 23)), ElementsAre("n", "k", "copy", "s", "i"));
  EXPECT_THAT(names(frame_.at(Op::Store, 29)), ElementsAre("n", "k", "copy", "s", "vla"));
}

TEST_F(Variables, InnerNamesShadowOuterOnes) {
  frame_.at(Op::Call, 33).set("s", 10);
  EXPECT_THAT(names(frame_), ElementsAre("n", "k", "copy", "vla", "later", "s"));
  memory_.put(0x7000 + image_.variables[image_.functions[0].firstVariable + 9].offset, 4);
  EXPECT_EQ(text(frame_, "s"), "4");
  EXPECT_EQ(text(frame_.at(Op::LoadVar, 36), "s"), "10");
}

TEST_F(Variables, HomesAreFollowed) {
  frame_.at(Op::Store, 29).set("k", 3).set("n", 0x5000).set("__vla_expr0", 3);
  memory_.fill(frame_.addressOf("copy"), 32);
  memory_.put(frame_.addressOf("copy"), 77);
  frame_.word(frame_.variable("vla").word) = 0x9000;
  for (int k = 0; k < 3; ++k) memory_.put(0x9000 + uint64_t(k) * 4, k + 1);
  EXPECT_EQ(text(frame_, "k"), "3");
  EXPECT_EQ(text(frame_, "n"), "0x5000");
  EXPECT_EQ(text(frame_, "copy"), R"({value = 77, next = NULL, name = "", small = 0, large = 0})");
  EXPECT_EQ(text(frame_, "vla"), "{1, 2, 3}");
}

TEST_F(Variables, ArgumentsAreThereFromTheStart) {
  frame_.at(Op::Entry, 20);
  frame_.word(image_.arguments[image_.functions[0].firstArgument + 1].word) = 12;
  EXPECT_EQ(text(frame_, "k"), "12");
}

TEST_F(Variables, MentionedGlobalsAreListedOnRequest) {
  std::vector<std::string> names;
  for (const FrameVariable& v : globalsMentioned(frame_.view(), symbols_)) names.push_back(v.name);
  EXPECT_THAT(names, ElementsAre("table", "limit"));
}

TEST_F(Variables, AFrameWithoutCodeHasNone) { EXPECT_TRUE(variablesInScope(FrameView{}, memory_).empty()); }

} // namespace
} // namespace faultline::replay
