#include "finding/describe_stop.h"

#include "unit/replay/stopped_state.h"

#include <csignal>
#include <gmock/gmock.h>

namespace faultline::finding {
namespace {

using namespace replay::testing;
using fir::Op;
using ::testing::ElementsAre;

// sum() fails at line 23, n->next with n == NULL, called by main().
class DescribeStop : public ::testing::Test {
protected:
  DescribeStop() {
    inner_.at(Op::Load, 23).setOperand(0, 8).set("k", 3);
    outer_.at(Op::Call, 50);
    memory_.fill(inner_.addressOf("copy"), 32);
    question_.program = {"/golden/list/a.out", {"./a.out", "-x"}, "/golden/list"};
    question_.frames = {inner_.view(), outer_.view()};
    question_.memory = &memory_;
    question_.symbols = &symbols_;
    question_.instance = "3:23";
    question_.end = replay::RunEnd{};
    question_.end->signal = SIGSEGV;
    question_.end->address = 8;
    question_.end->isInside = true;
  }
  fir::Image image_ = goldenImage("list");
  MadeMemory memory_;
  MadeSymbols symbols_{image_};
  MadeFrame inner_{image_, "sum", 0x700000}, outer_{image_, "main", 0x700100};
  StopQuestion question_;
};

TEST_F(DescribeStop, SaysWhatFailedAndWhere) {
  StopReport report = describeStop(question_);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->kind, "crash");
  EXPECT_EQ(report.failure->place, (Place{"/golden/list/list.c", 23, 25, "sum"}));
  EXPECT_EQ(report.failure->criterion->name, "&n->next");
  ASSERT_EQ(report.stack.size(), 2u);
  EXPECT_EQ(report.stack[1].place, (Place{"/golden/list/list.c", 50, 10, "main"}));
  EXPECT_THAT(report.stack[0].arguments[0], (Value{"n", "struct node *", "NULL"}));
  EXPECT_THAT(report.stack[0].variables, ElementsAre(Value{"s", "int", "0"}, Value{"i", "int", "0"}));
  EXPECT_TRUE(report.stack[1].variables.empty());
}

TEST_F(DescribeStop, MoreOnRequest) {
  question_.allFrames = question_.globals = true;
  question_.print = {"k", "copy.next", "wrong"};
  StopReport report = describeStop(question_);
  EXPECT_EQ(report.stack[1].variables.size(), 2u);
  EXPECT_EQ(report.stack[0].globals.size(), 2u);
  EXPECT_THAT(report.printed, ElementsAre(Value{"k", "int", "3"}, Value{"copy.next", "struct node *", "NULL"},
                                          Value{"wrong", "", "<error>"}));
  EXPECT_THAT(report.caveats, ElementsAre("wrong: there is no variable wrong here"));
}

TEST_F(DescribeStop, ARunawayRecursionIsCut) {
  question_.frames.insert(question_.frames.begin(), 5000, inner_.view());
  StopReport report = describeStop(question_);
  EXPECT_EQ(report.depth, 5002u);
  EXPECT_EQ(report.stack.size(), 80u);
  EXPECT_EQ(report.stack.back().number, 5001u);
}

TEST_F(DescribeStop, TheDocumentFollowsTheContract) {
  Json json = toJson(toDocument(describeStop(question_)));
  EXPECT_EQ(json["schema"], "faultline/1");
  EXPECT_EQ(json["technique"], "show");
  EXPECT_EQ(json["program"]["argv"][1], "-x");
  EXPECT_EQ(json["failure"]["signal"]["name"], "SIGSEGV");
  EXPECT_EQ(json["failure"]["place"],
            (Json{{"file", "/golden/list/list.c"}, {"line", 23}, {"column", 25}, {"function", "sum"}}));
  EXPECT_EQ(json["stack"][0]["arguments"][1], (Json{{"name", "k"}, {"type", "int"}, {"text", "3"}}));
  EXPECT_TRUE(json["caveats"].is_array());
  EXPECT_TRUE(json["stats"].is_object());
}

} // namespace
} // namespace faultline::finding
