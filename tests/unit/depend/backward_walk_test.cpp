// Small programs of which the slice is known by heart, and traces and effects made by hand.
#include "depend/backward_walk.h"

#include "depend/models.h"
#include "depend/query.h"
#include "unit/replay/assembler.h"

#include <gmock/gmock.h>

namespace faultline::depend {
namespace {

using replay::testing::Assembler;
using replay::testing::FunctionAssembler;
using replay::testing::kData;
using replay::testing::Op;
using replay::testing::Operand;
using replay::testing::raw;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

replay::Replay openRun(Assembler& a, uint32_t main) {
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, main, {1, 2});
  replay::ReplayOptions options;
  options.endEpoch = 1u << 30;
  return replay::testing::openReplay(a, log, options);
}

// The slice of the last instruction before the return of `main`, for its operand.
class Sliced {
public:
  Sliced(Assembler& a, uint32_t main, uint32_t criterion, uint32_t operand, WalkOptions options = {})
      : replay_(openRun(a, main)) {
    struct Finder : replay::Observer {
      uint32_t wanted;
      uint64_t time = 0;
      void onInstruction(const replay::Instance& i, std::span<const uint64_t>) override {
        if (i.local == wanted) time = i.time;
      }
    } finder;
    finder.wanted = criterion;
    EXPECT_TRUE(bool(replay_.observe(finder)));
    History history(replay_, CallModels::standard(), {});
    auto made = sliceBackward(history, {.time = finder.time, .operands = {operand}}, options);
    EXPECT_TRUE(bool(made)) << made.error().message;
    if (made) slice = std::move(*made);
  }
  // Instructions in it but the criterion, by local id.
  std::vector<uint32_t> ids() const {
    std::vector<uint32_t> found;
    for (size_t k = 1; k < slice.nodes.size(); ++k) found.push_back(slice.nodes[k].id);
    std::sort(found.begin(), found.end());
    return found;
  }
  const Node& node(uint32_t id) const {
    for (const Node& n : slice.nodes)
      if (n.id == id) return n;
    ADD_FAILURE() << "no node of " << id;
    return slice.nodes[0];
  }
  Slice slice;

private:
  replay::Replay replay_;
};

TEST(BackwardWalk, FindsEachByteAtItsLastStore) {
  Assembler a;
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  uint32_t whole = f.next();
  f.store(a.i32, a.constant(kData), f.argument(1));
  uint32_t part = f.next();
  f.store(a.i8, a.constant(kData + 1), f.argument(0));
  uint32_t hidden = f.next();
  f.store(a.i8, a.constant(kData + 8), f.argument(0));
  auto ask = [&](uint32_t type, uint64_t address) {
    uint32_t load = f.next();
    Operand v = f.load(type, a.constant(address));
    uint32_t use = f.next();
    f.add(Op::Xor, a.i64, {v, a.constant(0)});
    return std::pair{load, use};
  };
  auto [load1, use1] = ask(a.i32, kData);
  auto [load2, use2] = ask(a.i8, kData + 1);
  auto [load3, use3] = ask(a.i16, kData + 2);
  auto [load4, use4] = ask(a.i16, kData + 100);
  f.ret();
  f.finish();
  (void)hidden;
  EXPECT_THAT(Sliced(a, f.id(), use1, 0).ids(), ElementsAre(whole, part, load1));
  EXPECT_THAT(Sliced(a, f.id(), use2, 0).ids(), ElementsAre(part, load2));
  EXPECT_THAT(Sliced(a, f.id(), use3, 0).ids(), ElementsAre(whole, load3));
  Sliced initial(a, f.id(), use4, 0);
  EXPECT_THAT(initial.ids(), ElementsAre(load4));
  ASSERT_EQ(initial.slice.leaves.size(), 1u);
  EXPECT_EQ(initial.slice.leaves[0].kind, Leaf::Initial);
  EXPECT_EQ(initial.slice.leaves[0].from, kData + 100);
  EXPECT_EQ(initial.slice.leaves[0].size, 2u);
}

TEST(BackwardWalk, KeepsBitFieldsApart) {
  Assembler a;
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  std::vector<uint32_t> first, second;
  // s.low (3 bits) = argument, then s.high (5 bits) = 9
  auto write = [&](std::vector<uint32_t>& ids, Operand value, uint64_t mask, unsigned at) {
    ids.push_back(f.next());
    Operand v = f.add(Op::And, a.i8, {value, a.constant(mask)});
    ids.push_back(f.next());
    v = f.add(Op::Shl, a.i8, {v, a.constant(at)});
    ids.push_back(f.next());
    Operand old = f.load(a.i8, a.constant(kData));
    ids.push_back(f.next());
    old = f.add(Op::And, a.i8, {old, a.constant(~(mask << at) & 0xff)});
    ids.push_back(f.next());
    v = f.add(Op::Or, a.i8, {old, v});
    ids.push_back(f.next());
    f.store(a.i8, a.constant(kData), v);
  };
  uint32_t narrow = f.next();
  Operand x = f.add(Op::Trunc, a.i8, {f.argument(1)}, a.i32),
          y = f.add(Op::Trunc, a.i8, {f.argument(0)}, a.i64);
  write(first, x, 7, 0);
  write(second, y, 31, 3);
  uint32_t load = f.next();
  Operand low = f.add(Op::And, a.i8, {f.load(a.i8, a.constant(kData)), a.constant(7)});
  uint32_t use = f.next();
  f.add(Op::Xor, a.i8, {low, a.constant(0)});
  f.ret();
  f.finish();
  Sliced s(a, f.id(), use, 0);
  // Of the second field's write: what it kept of the first, and that its value was shifted away (but not the
  // value); of the first: that it made room, but not for what it kept.
  EXPECT_THAT(s.ids(), ElementsAre(narrow, first[0], first[1], first[3], first[4], first[5], second[1],
                                   second[2], second[3], second[4], second[5], load, load + 1));
}

TEST(BackwardWalk, TakesWhatWasChosen) {
  Assembler a;
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  uint32_t x = f.next();
  Operand left = f.add(Op::Add, a.i64, {f.argument(0), a.constant(1)});
  Operand right = f.add(Op::Add, a.i64, {f.argument(0), a.constant(2)});
  uint32_t compare = f.next();
  Operand c = f.compare(32, a.i32, f.argument(1), a.constant(2)); // eq: true
  uint32_t select = f.next();
  Operand v = f.add(Op::Select, a.i64, {c, left, right}, a.i1);
  uint32_t use = f.next();
  f.add(Op::Xor, a.i64, {v, a.constant(0)});
  f.ret();
  f.finish();
  Sliced s(a, f.id(), use, 0);
  EXPECT_THAT(s.ids(), ElementsAre(x, compare, select));
  EXPECT_EQ(s.node(select).consumer, 0u);
  EXPECT_EQ(s.node(select).why, Why::Value);
  EXPECT_EQ(s.slice.nodes[s.node(compare).consumer].id, select);
  EXPECT_EQ(s.node(compare).why, Why::Control);
}

TEST(BackwardWalk, PhiBringsItsEdge) {
  Assembler a;
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  uint32_t compare = f.next();
  Operand c = f.compare(32, a.i32, f.argument(1), a.constant(3)); // eq: false
  uint32_t branch = f.next();
  f.condBr(c, 1, 2);
  f.block();
  f.br(2);
  f.block();
  uint32_t phi = f.next();
  Operand v = f.add(Op::Phi, a.i64, {raw(0), a.constant(5), raw(1), f.argument(0)});
  uint32_t use = f.next();
  f.add(Op::Xor, a.i64, {v, a.constant(0)});
  f.ret();
  f.finish();
  EXPECT_THAT(Sliced(a, f.id(), use, 0).ids(), ElementsAre(compare, branch, phi));
  EXPECT_THAT(Sliced(a, f.id(), use, 0, {.control = false}).ids(), ElementsAre(phi));
}

TEST(BackwardWalk, GoesIntoFunctionsAndBack) {
  Assembler a;
  FunctionAssembler g(a, "g", {a.i64, a.i64});
  uint32_t sum = g.next();
  Operand r = g.add(Op::Add, a.i64, {g.argument(0), a.constant(1)});
  uint32_t ret = g.next();
  g.ret(a.i64, r);
  g.finish();
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  uint32_t used = f.next();
  Operand x = f.add(Op::Add, a.i64, {f.argument(0), a.constant(1)});
  Operand y = f.add(Op::Add, a.i64, {f.argument(0), a.constant(2)});
  uint32_t call = f.next();
  Operand v = f.callInside(a.i64, g.symbol(), {x, y});
  f.callInside(a.i64, g.symbol(), {y, x}); // of no interest
  uint32_t use = f.next();
  f.add(Op::Xor, a.i64, {v, a.constant(0)});
  f.ret();
  f.finish();
  Sliced s(a, f.id(), use, 0);
  EXPECT_THAT(s.ids(), ElementsAre(sum, ret, used, call));
  EXPECT_EQ(s.node(call).why, Why::Call);
  EXPECT_EQ(s.slice.instructions.at(call).instances, 1u);
  // Not looked into: what it returns stands for itself.
  WalkOptions stop;
  stop.stopsAt = [](uint32_t, uint32_t function) { return function == 0; };
  Sliced stopped(a, f.id(), use, 0, stop);
  EXPECT_THAT(stopped.ids(), ElementsAre(call));
  ASSERT_EQ(stopped.slice.leaves.size(), 1u);
  EXPECT_EQ(stopped.slice.leaves[0].kind, Leaf::Stopped);
}

// s = 0; for (i = 0; i < 50; ++i) s += i;
uint32_t countingLoop(Assembler& a, uint32_t& use, uint32_t& sum) {
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  uint32_t i = f.variable(a.i32), s = f.variable(a.i32);
  f.set(a.i32, i, a.constant(0));
  f.set(a.i32, s, a.constant(0));
  f.br(1);
  f.block(true);
  f.condBr(f.compare(40, a.i32, f.get(a.i32, i), a.constant(50)), 2, 3);
  f.block();
  Operand x = f.get(a.i32, s), y = f.get(a.i32, i);
  sum = f.next();
  f.set(a.i32, s, f.add(Op::Add, a.i32, {x, y}));
  f.set(a.i32, i, f.add(Op::Add, a.i32, {f.get(a.i32, i), a.constant(1)}));
  f.br(1);
  f.block();
  Operand v = f.get(a.i32, s);
  use = f.next();
  f.add(Op::Xor, a.i32, {v, a.constant(0)});
  f.ret();
  f.finish();
  return f.id();
}

TEST(BackwardWalk, CountsOnWhereNodesEnd) {
  Assembler a;
  uint32_t use = 0, sum = 0, main = countingLoop(a, use, sum);
  Sliced all(a, main, use, 0);
  EXPECT_TRUE(all.slice.hasAllNodes);
  EXPECT_FALSE(all.slice.isBounded);
  EXPECT_EQ(all.slice.instructions.at(sum).instances, 50u);
  Sliced few(a, main, use, 0, {.nodeLimit = 20});
  EXPECT_FALSE(few.slice.hasAllNodes);
  EXPECT_LT(few.slice.nodes.size(), 60u);
  ASSERT_EQ(few.slice.instructions.size(), all.slice.instructions.size());
  for (auto& [id, count] : all.slice.instructions)
    EXPECT_EQ(few.slice.instructions.at(id).instances, count.instances) << id;
}

TEST(BackwardWalk, StopsAtItsLimit) {
  Assembler a;
  uint32_t use = 0, sum = 0, main = countingLoop(a, use, sum);
  Sliced all(a, main, use, 0);
  Sliced bounded(a, main, use, 0, {.stepLimit = 30});
  EXPECT_TRUE(bounded.slice.isBounded);
  EXPECT_LE(bounded.slice.nodes.size(), 40u);
  EXPECT_GT(bounded.slice.start, 0u);
  EXPECT_LT(bounded.slice.walked, all.slice.walked);
}

TEST(BackwardWalk, TellsWhatTheProgramWasGiven) {
  Assembler a;
  FunctionAssembler f(a, "main", {a.i64, a.i32});
  uint32_t use = f.next();
  f.add(Op::Xor, a.i32, {f.argument(1), a.constant(0)});
  f.ret();
  f.finish();
  Sliced s(a, f.id(), use, 0);
  EXPECT_THAT(s.ids(), IsEmpty());
  ASSERT_EQ(s.slice.leaves.size(), 1u);
  EXPECT_EQ(s.slice.leaves[0].kind, Leaf::ProgramStart);
  EXPECT_EQ(s.slice.leaves[0].from, 1u); // argument 1
}

// ---- a trace by hand
// ---------------------------------------------------------------------------------------------------

// The code of one image, without a run.
class ImageCode : public Code {
public:
  explicit ImageCode(Assembler& a) : image_(a.image()), segments_(image_) {
    for (const fir::Constant& c : image_.constants) constants_.push_back(c.value);
  }

protected:
  std::unique_ptr<SegmentCode> makeSegment(uint32_t number) override {
    return decodeSegment({&image_, &segments_, 0, 0, constants_}, 0, segments_[number]);
  }
  std::unique_ptr<FunctionCode> makeFunction(uint32_t, uint32_t number) override {
    return decodeFunction(image_, 0, number);
  }

private:
  fir::Image image_;
  fir::Segments segments_;
  std::vector<uint64_t> constants_;
};

// store [100] <- x; store [104] <- y; r = outside(100, n); v = load [200] | criterion
class OutsideWalk : public ::testing::Test {
protected:
  OutsideWalk() {
    FunctionAssembler f(a_, "f", {a_.i32, a_.i32, a_.i32});
    storeX_ = f.next();
    f.store(a_.i32, a_.constant(100), f.argument(0));
    storeY_ = f.next();
    f.store(a_.i32, a_.constant(104), f.argument(1));
    makeN_ = f.next();
    Operand n = f.add(Op::Add, a_.i32, {f.argument(2), a_.constant(1)});
    call_ = f.next();
    result_ = fir::operandIndex(f.callOutside(a_.i32, {a_.constant(100), n}));
    load_ = f.next();
    loaded_ = fir::operandIndex(f.load(a_.i32, a_.constant(200)));
    criterion_ = f.next();
    f.ret();
    f.finish();
  }
  // Of the loaded value, or of the call's result.
  std::vector<uint32_t> slice(bool ofResult) {
    ImageCode code(a_);
    BackwardWalk walk(code, {});
    replay::Trace trace;
    trace.start = 0;
    trace.end = criterion_;
    trace.others.push_back({.kind = replay::TraceOther::Enter, .module = 0, .function = 0});
    trace.others.push_back({.kind = replay::TraceOther::Outside, .segment = 0, .from = 1, .number = 7});
    trace.others.push_back({.kind = replay::TraceOther::Part, .segment = 1, .from = 0, .count = 1});
    using replay::TraceEvent;
    trace.events = {replay::makeEvent(TraceEvent::Other, 0), replay::makeEvent(TraceEvent::Segment, 0),
                    replay::makeEvent(TraceEvent::Other, 1), replay::makeEvent(TraceEvent::Other, 2)};
    walk.begin(trace.end, {{0, {{0, 0}}}}, 0);
    uint32_t node = walk.addCriterion(criterion_, 0, 0);
    walk.wantWord(0, ofResult ? result_ : loaded_, ~uint64_t(0), node);
    walk.walk(trace, [&](uint64_t number) {
      EXPECT_EQ(number, 7u);
      return &effect_;
    });
    EXPECT_TRUE(walk.isDone() || !ofResult);
    slice_ = walk.finish();
    std::vector<uint32_t> ids;
    for (size_t k = 1; k < slice_.nodes.size(); ++k) ids.push_back(slice_.nodes[k].id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  bool hasLeaf(Leaf::Kind kind) const {
    for (const Leaf& l : slice_.leaves)
      if (l.kind == kind) return true;
    return false;
  }

  Assembler a_;
  OutsideEffect effect_{.function = "outside", .isModelled = true};
  Slice slice_;
  uint32_t storeX_, storeY_, makeN_, call_, result_, load_, loaded_, criterion_;
};

TEST_F(OutsideWalk, CopiesByteByByte) {
  effect_.flows = {{.address = 196,
                    .size = 8,
                    .isBytewise = true,
                    .sources = {{.kind = FlowSource::Memory, .address = 100, .size = 8}}}};
  // Bytes 4 to 8 of what was copied, and what says from where.
  EXPECT_THAT(slice(false), ElementsAre(storeY_, makeN_, call_, load_));
}

TEST_F(OutsideWalk, MakesAllFromAll) {
  effect_.flows = {{.address = 200,
                    .size = 4,
                    .sources = {{.kind = FlowSource::Memory, .address = 100, .size = 8},
                                {.kind = FlowSource::Argument, .argument = 1}}}};
  EXPECT_THAT(slice(false), ElementsAre(storeX_, storeY_, makeN_, call_, load_));
}

TEST_F(OutsideWalk, MakesItsResult) {
  effect_.flows = {{.toResult = true, .sources = {{.kind = FlowSource::Argument, .argument = 1}}}};
  EXPECT_THAT(slice(true), ElementsAre(makeN_, call_));
  EXPECT_FALSE(hasLeaf(Leaf::BlackBox));
}

TEST_F(OutsideWalk, TellsInputAndWorld) {
  effect_.flows = {{.address = 198,
                    .size = 16,
                    .isBytewise = true,
                    .sources = {{.kind = FlowSource::Input, .address = 50, .size = 16}}}};
  EXPECT_THAT(slice(false), ElementsAre(call_, load_));
  ASSERT_TRUE(hasLeaf(Leaf::Input));
  EXPECT_EQ(slice_.leaves[0].from, 52u);
  EXPECT_EQ(slice_.leaves[0].size, 4u);
  effect_.flows = {{.toResult = true, .sources = {{.kind = FlowSource::World}}}};
  EXPECT_THAT(slice(true), ElementsAre(call_));
  EXPECT_TRUE(hasLeaf(Leaf::World));
}

TEST_F(OutsideWalk, WritesNothingThatIsWanted) {
  effect_.flows = {{.address = 204, .size = 4, .sources = {{.kind = FlowSource::World}}}};
  EXPECT_THAT(slice(false), ElementsAre(load_));
  ASSERT_TRUE(hasLeaf(Leaf::Initial));
}

TEST_F(OutsideWalk, WithoutAModelIsABlackBox) {
  effect_.isModelled = false;
  effect_.flows = {{.address = 200, .size = 4, .sources = {{.kind = FlowSource::Argument, .argument = 1}}}};
  EXPECT_THAT(slice(false), ElementsAre(makeN_, call_, load_));
  EXPECT_TRUE(hasLeaf(Leaf::BlackBox));
  EXPECT_EQ(slice_.blackBoxes.at("outside"), 1u);
}

// f: invoke g -> landing pad;  g: outside call that throws
TEST(BackwardWalk, GoesFromALandingPadToWhatThrew) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32});
  uint32_t call = f.next(), g = a.declare();
  f.call(fir::CallKind::Inside, a.voidType, {a.constant(0, g), f.argument(0)}, 0, 1, 2);
  f.block();
  f.ret();
  f.block();
  uint32_t pad = f.next();
  Operand caught = f.add(Op::LandingPad, a.landing, {});
  uint32_t criterion = f.next();
  f.ret();
  f.finish();
  FunctionAssembler inner(a, "g", {a.i32}, g);
  uint32_t thrown = inner.next();
  inner.callOutside(a.voidType, {inner.argument(0)});
  inner.ret();
  inner.finish();

  ImageCode code(a); // segments: 0 f's call, 1 its return, 2 the landing pad, 3 g's call, 4 its return
  BackwardWalk walk(code, {});
  using replay::TraceEvent;
  using replay::TraceOther;
  replay::Trace trace;
  trace.end = 5;
  trace.others = {{.kind = TraceOther::Outside, .segment = 3, .from = 0, .number = 0},
                  {.kind = TraceOther::Unwound, .module = 0, .function = 1},
                  {.kind = TraceOther::Land, .segment = 0},
                  {.kind = TraceOther::Part, .segment = 2, .from = 0, .count = 1}};
  trace.events = {replay::makeEvent(TraceEvent::Segment, 0), replay::makeEvent(TraceEvent::Segment, 3)};
  for (uint32_t k = 0; k < 4; ++k) trace.events.push_back(replay::makeEvent(TraceEvent::Other, k));
  walk.begin(trace.end, {{0, {{0, 0}}}}, 0);
  uint32_t node = walk.addCriterion(criterion, 0, 2);
  walk.wantWord(0, fir::operandIndex(caught), ~uint64_t(0), node);
  OutsideEffect effect{.function = "throw", .isModelled = true};
  walk.walk(trace, [&](uint64_t) { return &effect; });
  Slice slice = walk.finish();
  std::vector<std::pair<uint64_t, uint32_t>> found; // time, id
  for (const Node& n : slice.nodes) found.push_back({n.time, n.id});
  // Each once, and with the time at which it was executed.
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(std::pair(5, criterion), std::pair(4, pad),
                                                     std::pair(1, call), std::pair(3, thrown)));
}

} // namespace
} // namespace faultline::depend
