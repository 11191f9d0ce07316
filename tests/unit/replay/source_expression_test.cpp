#include "replay/source_expression.h"

#include "unit/replay/stopped_state.h"

namespace faultline::replay {
namespace {

using namespace testing;
using fir::Op;

class SourceExpression : public ::testing::Test {
protected:
  static fir::Operand operand(const FrameView& v, uint32_t number) {
    return v.image->operandsOf(v.image->instructions[v.instruction])[number];
  }
  std::string access(const MadeFrame& frame) {
    auto found = sourceAccess(frame.view(), operand(frame.view(), 0));
    if (!found) return "<none>";
    std::string text = found->text + " <-";
    for (const Ingredient& i : found->from) text += " " + i.text;
    return text;
  }
  std::string value(const MadeFrame& frame, uint32_t number) {
    auto found = sourceValue(frame.view(), operand(frame.view(), number));
    return found ? found->text : "<none>";
  }
  fir::Image image_ = goldenImage("list");
  MadeFrame sum_{image_, "sum", 0x7000}, run_{image_, "run", 0x7000}, main_{image_, "main", 0x7000};
};

TEST_F(SourceExpression, AddressesAreNamed) {
  EXPECT_EQ(access(sum_.at(Op::Load, 23)), "n->next <- n");
  EXPECT_EQ(access(sum_.at(Op::Store, 24)), "table[i].next <- i");
  EXPECT_EQ(access(sum_.at(Op::Load, 25, 0)), "q->next <- q");
  EXPECT_EQ(access(sum_.at(Op::Load, 25, 1)), "q->next->value <- q->next");
  EXPECT_EQ(access(sum_.at(Op::Load, 25, 2)), "copy.value <-");
  EXPECT_EQ(access(sum_.at(Op::Store, 26)), "q->name[i] <- q i");
  EXPECT_EQ(access(sum_.at(Op::Load, 30)), "vla[1] <-");
  EXPECT_EQ(access(run_.at(Op::Load, 41)), "text[0] <- text");
  EXPECT_EQ(access(run_.at(Op::Load, 42)), "handler <-");
}

TEST_F(SourceExpression, ValuesAreNamed) {
  EXPECT_EQ(value(sum_.at(Op::SDiv, 25), 0), "q->next->value");
  EXPECT_EQ(value(sum_.at(Op::SDiv, 25), 1), "copy.value");
  EXPECT_EQ(value(sum_.at(Op::CondBr, 22), 0), "i < k");
  EXPECT_EQ(value(run_.at(Op::CondBr, 40), 0), "c != 0");
  EXPECT_EQ(value(run_.at(Op::CondBr, 41), 0), "text[0] == 120");
  EXPECT_EQ(value(run_.at(Op::Call, 42, 1), 0), "handler");
  EXPECT_EQ(value(run_.at(Op::UDiv, 42), 0), "strlen()");
  EXPECT_EQ(value(main_.at(Op::Call, 49), 1), "x.next");
}

} // namespace
} // namespace faultline::replay
