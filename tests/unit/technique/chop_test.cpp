// Where two slices meet: instances, not just statements.
#include "technique/chop/chop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace faultline::technique {
namespace {

using ::testing::ElementsAre;

// Instruction 10 * line + k stands in that line.
finding::Place placeOf(uint32_t id) { return {"/f.c", id / 10, 1, "f"}; }

depend::Slice sliceOf(std::vector<std::pair<uint64_t, uint32_t>> instances) {
  depend::Slice out;
  for (auto [time, id] : instances) {
    out.nodes.push_back({.time = time, .id = id});
    ++out.instructions[id].instances;
  }
  return out;
}

std::vector<finding::SliceStatement> statementsAt(std::vector<uint32_t> lines) {
  std::vector<finding::SliceStatement> out;
  for (uint32_t line : lines) out.push_back({.place = placeOf(line * 10), .instances = 5});
  return out;
}

std::vector<uint32_t> linesOf(const std::vector<finding::SliceStatement>& statements) {
  std::vector<uint32_t> out;
  for (const auto& s : statements) out.push_back(s.place.line);
  return out;
}

TEST(Chop, HasInstancesThatAreInBothAndConstantsBeside) {
  // Line 1 is a constant, 2 reads other input, 3 and 5 are on the way, 4 was reached only at another time.
  depend::Slice backward = sliceOf({{100, 50}, {90, 31}, {80, 31}, {70, 40}, {60, 20}, {50, 10}});
  depend::Slice forward = sliceOf({{75, 40}, {80, 31}, {100, 50}, {110, 60}});
  depend::Slice any = sliceOf({{60, 20}, {70, 40}, {75, 40}, {80, 31}, {100, 50}, {110, 60}});
  Chop found = chopOf(statementsAt({1, 2, 3, 4, 5}), {backward, forward, any, placeOf});
  EXPECT_THAT(linesOf(found.statements), ElementsAre(3, 5));
  EXPECT_THAT(linesOf(found.constants), ElementsAre(1));
  EXPECT_EQ(found.statements[0].instances, 1u) << "of its two, one carries this input";
  EXPECT_EQ(found.instances, 2u);
  EXPECT_EQ(found.forwardStatements, 4u) << "lines 3, 4, 5 and 6";
  EXPECT_TRUE(found.isByInstance);
}

TEST(Chop, OfSlicesThatWereTooLargeHasInstructionsThatAreInBoth) {
  depend::Slice backward = sliceOf({{100, 50}, {70, 40}}), forward = sliceOf({{75, 40}});
  forward.hasAllNodes = false;
  Chop found = chopOf(statementsAt({4, 5}), {backward, forward, forward, placeOf});
  EXPECT_THAT(linesOf(found.statements), ElementsAre(4));
  EXPECT_FALSE(found.isByInstance);
}

} // namespace
} // namespace faultline::technique
