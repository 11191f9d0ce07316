#include "replay/expression.h"

#include "unit/replay/stopped_state.h"

#include <gmock/gmock.h>

namespace faultline::replay {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// n -> {1, next -> {2, next = NULL, "bob"}}, k = 3, table[1].value = 9
class Expression : public ::testing::Test {
protected:
  Expression() {
    frame_.at(fir::Op::Store, 24).set("n", 0x5000).set("k", 3).set("i", 1);
    memory_.fill(0x5000, 64);
    memory_.put(0x5000, 1);
    memory_.put(0x5008, uint64_t(0x5020));
    memory_.put(0x5020, 2);
    memory_.putText(0x5030, "bob");
    memory_.fill(symbols_.address("table"), 128);
    memory_.put(symbols_.address("table") + 32, 9);
    memory_.put(symbols_.address("limit"), 7);
  }
  std::string text(std::string_view expression) {
    auto place = evaluate(expression, frame_.view(), memory_, symbols_);
    if (!place) return "error: " + place.error().message;
    ValueContext context{.memory = &memory_, .pointerTypes = true};
    return valueText(*place, context);
  }
  fir::Image image_ = goldenImage("list");
  MadeMemory memory_;
  MadeSymbols symbols_{image_};
  MadeFrame frame_{image_, "sum", 0x7000};
};

TEST_F(Expression, FollowsNamesMembersAndElements) {
  EXPECT_EQ(text("k"), "3");
  EXPECT_EQ(text("n->value"), "1");
  EXPECT_EQ(text(" n -> next -> value "), "2");
  EXPECT_EQ(text("(*n->next).name"), "\"bob\"");
  EXPECT_EQ(text("n->next->name[1]"), "'o' (111)");
  EXPECT_EQ(text("*n->next->name"), "'b' (98)");
  EXPECT_EQ(text("table[i].value"), "9");
  EXPECT_EQ(text("n[1].value"), "2");
  EXPECT_EQ(text("limit"), "7");
  EXPECT_EQ(text("&n->next->next"), "(struct node **) 0x5028");
  EXPECT_EQ(text("&n->next->name"), "(char (*)[8]) 0x5030");
  EXPECT_EQ(text("*&limit"), "7");
}

TEST_F(Expression, GivesTheAddressToo) {
  auto place = evaluate("n->next->name", frame_.view(), memory_, symbols_);
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->hasAddress());
  EXPECT_EQ(place->address, 0x5030u);
  EXPECT_EQ(typeName(place->type), "char [8]");
}

TEST_F(Expression, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(text("nothing"), "error: there is no variable nothing here");
  EXPECT_EQ(text("n->wrong"), "error: struct node has no member wrong");
  EXPECT_THAT(text("k->value"), HasSubstr("needs a pointer, and this is of type int"));
  EXPECT_THAT(text("n->next->next->value"), HasSubstr("<not seen>"));
  EXPECT_THAT(text("k + 1"), HasSubstr("'+ 1' is not understood"));
  EXPECT_THAT(text("table[1"), HasSubstr("']' is missing"));
  EXPECT_THAT(text("&k"), HasSubstr("no address"));
  EXPECT_THAT(text(""), HasSubstr("a name is expected"));
  EXPECT_THAT(text(std::string(500, '*')), HasSubstr("too deeply"));
}

} // namespace
} // namespace faultline::replay
