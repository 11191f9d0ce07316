#include "program/control_dependence.h"

#include "unit/depend/control_paths.h"
#include "unit/replay/assembler.h"

#include <gmock/gmock.h>
#include <random>

namespace faultline::fir {
namespace {

using depend::testing::Graph;
using replay::testing::Assembler;
using replay::testing::FunctionAssembler;
using replay::testing::raw;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// One function whose blocks branch like this: none returns, one is Br, two CondBr, more Switch.
class Made {
public:
  explicit Made(const Graph& graph) {
    FunctionAssembler f(a_, "f", {a_.i32});
    for (size_t b = 0; b < graph.size(); ++b) {
      if (b) f.block(true);
      const auto& to = graph[b];
      if (to.empty())
        f.ret();
      else if (to.size() == 1)
        f.br(to[0]);
      else if (to.size() == 2)
        f.condBr(f.argument(0), to[0], to[1]);
      else {
        std::vector<Operand> operands = {f.argument(0), raw(to[0])};
        for (size_t k = 1; k < to.size(); ++k) operands.insert(operands.end(), {a_.constant(k), raw(to[k])});
        f.put(Op::Switch, a_.i32, operands);
      }
    }
    f.finish();
    image_ = a_.image();
  }
  ControlDependence control() { return ControlDependence(image_, image_.functions[0]); }
  const Image& image() const { return image_; }

private:
  Assembler a_;
  Image image_;
};

TEST(ControlDependence, Diamond) {
  Made made({{1, 2}, {3}, {3}, {}});
  ControlDependence c = made.control();
  EXPECT_THAT(c.parents(0), IsEmpty());
  EXPECT_THAT(c.parents(1), ElementsAre(0));
  EXPECT_THAT(c.parents(2), ElementsAre(0));
  EXPECT_THAT(c.parents(3), IsEmpty());
  EXPECT_THAT(c.dependents(0), UnorderedElementsAre(1, 2));
  EXPECT_EQ(c.immediatePostDominator(0), 3u);
  EXPECT_EQ(c.immediatePostDominator(3), kNone);
  EXPECT_THAT(c.region(0, 1), ElementsAre(1));
  EXPECT_THAT(c.region(0, 3), IsEmpty());
}

TEST(ControlDependence, LoopDependsOnItself) {
  Made made({{1}, {2, 3}, {1}, {}});
  ControlDependence c = made.control();
  EXPECT_THAT(c.parents(1), ElementsAre(1));
  EXPECT_THAT(c.parents(2), ElementsAre(1));
  EXPECT_THAT(c.parents(3), IsEmpty());
  EXPECT_THAT(c.region(1, 2), UnorderedElementsAre(1, 2));
}

TEST(ControlDependence, NestedBranches) {
  Made made({{1, 5}, {2, 3}, {4}, {4}, {5}, {}});
  ControlDependence c = made.control();
  EXPECT_THAT(c.parents(1), ElementsAre(0));
  EXPECT_THAT(c.parents(2), ElementsAre(1));
  EXPECT_THAT(c.parents(3), ElementsAre(1));
  EXPECT_THAT(c.parents(4), ElementsAre(0));
  EXPECT_THAT(c.parents(5), IsEmpty());
}

TEST(ControlDependence, EarlyReturn) {
  Made made({{1, 2}, {}, {3}, {}});
  ControlDependence c = made.control();
  EXPECT_THAT(c.parents(1), ElementsAre(0));
  EXPECT_THAT(c.parents(2), ElementsAre(0)); // it is executed only because the function did not return before
  EXPECT_THAT(c.parents(3), ElementsAre(0));
  EXPECT_EQ(c.immediatePostDominator(0), kNone);
}

TEST(ControlDependence, SwitchWithFallingThrough) {
  Made made({{1, 2, 3}, {4}, {3}, {4}, {}});
  ControlDependence c = made.control();
  for (uint32_t b : {1, 2, 3}) EXPECT_THAT(c.parents(b), ElementsAre(0)) << b;
  EXPECT_THAT(c.parents(4), IsEmpty());
}

TEST(ControlDependence, BranchToOneBlockDecidesNothing) {
  Made made({{1, 1}, {}});
  EXPECT_THAT(made.control().parents(1), IsEmpty());
}

TEST(ControlDependence, EndlessLoop) {
  // while (1) { if (x) ...; }, beside a way out that is not taken
  Made made({{1, 4}, {2, 3}, {3}, {1}, {}});
  ControlDependence c = made.control();
  EXPECT_THAT(c.parents(1), ::testing::Contains(0));
  EXPECT_THAT(c.parents(2), ::testing::Contains(1));
  EXPECT_THAT(c.parents(4), ElementsAre(0));
}

TEST(ControlDependence, UnreachableBlocksDoNoHarm) {
  Made made({{1, 2}, {2}, {}, {1, 2}, {4}});
  ControlDependence c = made.control();
  EXPECT_THAT(c.parents(1), ::testing::Contains(0));
  EXPECT_THAT(c.parents(2), IsEmpty());
}

TEST(ControlDependence, LandingPadsDependOnTheCallsThatLeadThere) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32});
  auto invoke = [&](uint32_t normal, uint32_t unwind) {
    f.call(CallKind::Outside, a.voidType, {a.constant(0)}, 0, normal, unwind);
  };
  invoke(1, 3); // b0
  f.block();
  invoke(2, 3); // b1
  f.block();
  f.ret(); // b2
  f.block();
  f.add(Op::LandingPad, a.landing, {});
  f.condBr(f.argument(0), 4, 2); // b3
  f.block();
  f.br(2); // b4
  f.finish();
  Image image = a.image();
  ControlDependence c(image, image.functions[0]);
  EXPECT_THAT(c.parents(1), IsEmpty()); // not on whether b0 threw
  EXPECT_THAT(c.parents(2), IsEmpty());
  EXPECT_THAT(c.parents(3), UnorderedElementsAre(0, 1));
  EXPECT_THAT(c.parents(4), ElementsAre(3));
  EXPECT_THAT(c.successors(0), UnorderedElementsAre(1, 3));
}

TEST(ControlDependence, IsWhatItsDefinitionSays) {
  std::mt19937_64 random(3);
  auto below = [&](uint64_t n) { return random() % n; };
  uint64_t pairs = 0;
  for (int round = 0; round < 4000; ++round) {
    Graph graph(2 + below(11));
    for (auto& to : graph) {
      uint64_t kind = below(10), n = graph.size();
      size_t count = kind < 2 ? 0 : kind < 5 ? 1 : kind < 9 ? 2 : 3 + below(2);
      for (size_t k = 0; k < count; ++k) to.push_back(1 + uint32_t(below(n - 1))); // no way back to the entry
    }
    Made made(graph);
    ControlDependence found = made.control();
    Graph expected = depend::testing::controlParents(made.image(), made.image().functions[0]);
    std::vector<bool> reachable = depend::testing::reachableBlocks(graph);
    Graph dependents(graph.size());
    for (uint32_t b = 0; b < graph.size(); ++b) {
      for (uint32_t p : found.parents(b)) dependents[p].push_back(b);
      if (!reachable[b]) continue;
      pairs += expected[b].size();
      // Blocks that are never executed may be named, or not.
      std::vector<uint32_t> real;
      for (uint32_t p : found.parents(b))
        if (reachable[p]) real.push_back(p);
      std::erase_if(expected[b], [&](uint32_t p) { return !reachable[p]; });
      std::string text;
      for (auto& to : graph) text += ::testing::PrintToString(to);
      ASSERT_THAT(real, ::testing::UnorderedElementsAreArray(expected[b])) << "block " << b << " of " << text;
    }
    for (uint32_t b = 0; b < graph.size(); ++b)
      ASSERT_THAT(found.dependents(b), ::testing::UnorderedElementsAreArray(dependents[b]));
  }
  EXPECT_GT(pairs, 10000u);
}

} // namespace
} // namespace faultline::fir
