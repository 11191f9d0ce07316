// What becomes of instructions: uses, flows, places.
#include "depend/code.h"

#include "unit/replay/assembler.h"

namespace faultline::depend {
namespace {

using replay::testing::Assembler;
using replay::testing::FunctionAssembler;
using replay::testing::Op;
using replay::testing::Operand;
using replay::testing::raw;
using replay::testing::word;

// One function of one block; the step of its n-th instruction, the Entry being number 0.
class Decoded {
public:
  explicit Decoded(Assembler& a) : image_(a.image()), segments_(image_) {
    for (const fir::Constant& c : image_.constants) constants_.push_back(c.value);
    ModuleCode module{&image_, &segments_, 0, 1000, constants_};
    code = decodeSegment(module, 0, segments_[0]);
    function = decodeFunction(image_, 0, 0);
  }
  const Step& step(uint32_t n) const { return code->steps.at(n); }
  const Use& use(uint32_t n, uint32_t k = 0) const { return code->uses.at(step(n).firstUse + k); }
  std::unique_ptr<SegmentCode> code;
  std::unique_ptr<FunctionCode> function;

private:
  fir::Image image_;
  fir::Segments segments_;
  std::vector<uint64_t> constants_;
};

TEST(Code, MasksAndShiftsByConstants) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32, a.i32});
  Operand x = f.argument(0);
  f.add(Op::And, a.i32, {x, a.constant(0xf0)}); // 1
  f.add(Op::And, a.i32, {a.constant(0x0f), x}); // 2
  f.add(Op::Or, a.i32, {x, a.constant(0xff)});  // 3
  f.add(Op::LShr, a.i32, {x, a.constant(4)});   // 4
  f.add(Op::Shl, a.i32, {x, a.constant(5)});    // 5
  f.add(Op::AShr, a.i32, {x, a.constant(6)});   // 6
  f.add(Op::Shl, a.i32, {x, f.argument(1)});    // 7
  f.add(Op::And, a.i32, {x, f.argument(1)});    // 8
  f.ret();
  f.finish();
  Decoded d(a);
  struct {
    uint32_t n;
    Flow flow;
    uint64_t parameter;
    uint32_t uses;
  } expected[] = {{1, Flow::Mask, 0xf0, 1}, {2, Flow::Mask, 0x0f, 1}, {3, Flow::Mask, ~uint64_t(0xff), 1},
                  {4, Flow::Up, 4, 1},      {5, Flow::Down, 5, 1},    {6, Flow::UpSigned, 6, 1},
                  {7, Flow::All, 0, 2},     {8, Flow::Same, 0, 2}};
  for (auto& e : expected) {
    SCOPED_TRACE(e.n);
    EXPECT_EQ(d.step(e.n).kind, StepKind::Compute);
    ASSERT_EQ(d.step(e.n).useCount, e.uses);
    EXPECT_EQ(d.use(e.n).flow, e.flow);
    EXPECT_EQ(d.use(e.n).parameter, e.parameter);
    EXPECT_EQ(d.use(e.n).word, 0u);
  }
  EXPECT_EQ(d.step(6).parameter, 32u); // its width, for the sign
}

TEST(Code, ExtensionsAndPieces) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32, a.landing});
  f.add(Op::Trunc, a.i8, {f.argument(0)}, a.i32);                          // 1
  f.add(Op::ZExt, a.i64, {f.argument(0)}, a.i32);                          // 2
  f.add(Op::SExt, a.i64, {f.argument(0)}, a.i32);                          // 3
  f.add(Op::Extract, a.i32, {f.argument(1)}, 0, 8);                        // 4
  f.add(Op::Insert, a.landing, {f.argument(1), f.argument(0)}, a.i32, 12); // 5
  f.add(Op::Add, a.i32, {f.argument(0), a.constant(1)});                   // 6
  f.add(Op::UDiv, a.i32, {f.argument(0), a.constant(3)});                  // 7
  f.ret();
  f.finish();
  Decoded d(a);
  EXPECT_EQ(d.use(1).flow, Flow::Extend);
  EXPECT_EQ(d.use(1).parameter, 8u);
  EXPECT_EQ(d.use(2).flow, Flow::Extend);
  EXPECT_EQ(d.use(2).parameter, 32u);
  EXPECT_EQ(d.use(3).flow, Flow::ExtendSigned);
  EXPECT_EQ(d.use(3).parameter, 32u);
  EXPECT_EQ(d.use(4).flow, Flow::Piece);
  EXPECT_EQ(d.use(4).parameter, 8u);
  EXPECT_EQ(d.use(4).words, 2u);
  EXPECT_EQ(d.use(5, 0).flow, Flow::Around);
  EXPECT_EQ(d.use(5, 1).flow, Flow::Inside);
  EXPECT_EQ(d.use(5, 1).parameter, 12u);
  EXPECT_EQ(d.use(5, 1).bytes, 4u);
  EXPECT_EQ(d.step(5).dstWords, 2u);
  EXPECT_EQ(d.use(6).flow, Flow::Carry);
  EXPECT_EQ(d.use(7).flow, Flow::All);
}

TEST(Code, PlacesOfAccessesAreThoseOfTheTrace) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.pointer, a.pointer, a.i64, a.i1});
  f.load(a.i32, f.argument(0));                                                    // 1: word 0
  f.store(a.i16, a.constant(0x5000), f.argument(2));                               // 2: none
  f.put(Op::Copy, a.voidType, {f.argument(0), a.constant(0x6000), f.argument(2)}); // 3: words 1, 2
  f.add(Op::Select, a.i64, {f.argument(3), f.argument(2), a.constant(0)}, a.i1);   // 4: word 3
  f.put(Op::Fill, a.voidType, {f.argument(1), a.constant(0), a.constant(16)});     // 5: word 4
  f.ret();
  f.finish();
  Decoded d(a);
  EXPECT_EQ(d.code->firstId, 1000u);
  EXPECT_EQ(d.code->traceWords, 5u);
  EXPECT_EQ(d.step(1).kind, StepKind::Load);
  EXPECT_FALSE(d.step(1).address.isConstant);
  EXPECT_EQ(d.step(1).address.traced, 0u);
  EXPECT_EQ(d.step(1).bytes, 4u);
  EXPECT_EQ(d.use(1).role, Role::Address);
  EXPECT_TRUE(d.step(2).address.isConstant);
  EXPECT_EQ(d.step(2).address.constant, 0x5000u);
  EXPECT_EQ(d.step(2).bytes, 2u);
  EXPECT_EQ(d.use(2).flow, Flow::Same);
  EXPECT_EQ(d.step(3).kind, StepKind::Copy);
  EXPECT_EQ(d.step(3).address.traced, 1u);
  EXPECT_EQ(d.step(3).source.constant, 0x6000u);
  EXPECT_EQ(d.step(3).size.traced, 2u);
  EXPECT_EQ(d.use(4, 0).role, Role::Condition);
  EXPECT_EQ(d.use(4, 1).flow, Flow::Chosen);
  EXPECT_EQ(d.use(4, 1).parameter, 1u);
  EXPECT_EQ(d.step(4).address.traced, 3u);
  EXPECT_EQ(d.step(4).useCount, 2u); // a constant is no use
  EXPECT_EQ(d.step(5).address.traced, 4u);
  EXPECT_EQ(d.step(5).size.constant, 16u);
  EXPECT_EQ(d.code->writes, (std::vector<uint32_t>{2, 3, 5}));
  EXPECT_EQ(d.function->arguments.size(), 4u);
  EXPECT_TRUE(d.code->beginsFunction && d.code->beginsBlock && d.code->endsBlock);
}

TEST(Code, PhisKeepUsesAndPredecessorsTogether) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.i32});
  f.condBr(f.argument(0), 1, 2);
  f.block();
  f.br(2);
  f.block();
  f.add(Op::Phi, a.i32, {raw(0), a.constant(1), raw(1), f.argument(0)});
  f.ret();
  f.finish();
  fir::Image image = a.image();
  fir::Segments segments(image);
  std::vector<uint64_t> constants(image.constants.size());
  auto code = decodeSegment({&image, &segments, 0, 0, constants}, 0, segments[2]);
  ASSERT_EQ(code->steps[0].kind, StepKind::Phi);
  ASSERT_EQ(code->steps[0].useCount, 2u);
  EXPECT_EQ(code->uses[0].words, 0u); // the constant
  EXPECT_EQ(code->uses[1].words, 1u);
  EXPECT_EQ(code->predecessors, (std::vector<uint32_t>{0, 1}));
  EXPECT_FALSE(code->beginsFunction);
  EXPECT_TRUE(code->beginsBlock);
}

// p->field = v, where the field has the bits 0xf0 of a byte.
struct BitFieldStore {
  uint32_t load = 0, clear = 0, set = 0, store = 0; // steps
};
BitFieldStore storeField(Assembler& a, FunctionAssembler& f, Operand p, Operand from, uint64_t shift = 4) {
  Operand low = f.add(Op::And, a.i8, {f.argument(1), a.constant(0xf)}); // 1
  Operand place = f.add(Op::Shl, a.i8, {low, a.constant(shift)});       // 2
  Operand unit = f.load(a.i8, from);                                    // 3
  Operand rest = f.add(Op::And, a.i8, {unit, a.constant(0x0f)});        // 4
  f.store(a.i8, p, f.add(Op::Or, a.i8, {rest, place}));                 // 5, 6
  return {3, 4, 5, 6};
}

TEST(Code, AStoreOfABitFieldKeepsItsNeighbours) {
  Assembler a;
  FunctionAssembler f(a, "f", {a.pointer, a.i8});
  BitFieldStore at = storeField(a, f, f.argument(0), f.argument(0));
  f.ret();
  f.finish();
  Decoded d(a);
  EXPECT_EQ(d.step(at.store).kept, 0x0fu);
  for (uint32_t k : {at.load, at.clear, at.set}) EXPECT_EQ(d.step(k).unread & 0x0fu, 0x0fu) << k;
  EXPECT_EQ(d.step(at.load).unread, 0xffu) << "what is not written back is masked away";
  EXPECT_EQ(d.step(2).unread, 0x0fu) << "the field's place is above";
  EXPECT_EQ(d.step(1).unread, 0xf0u);
}

TEST(Code, AStoreKeepsOnlyWhatIsSurelyThere) {
  auto keptBy = [](auto make) {
    Assembler a;
    FunctionAssembler f(a, "f", {a.pointer, a.i8, a.pointer});
    uint32_t store = make(a, f);
    f.ret();
    f.finish();
    return Decoded(a).step(store).kept;
  };
  EXPECT_EQ(keptBy([](Assembler& a, FunctionAssembler& f) {
              return storeField(a, f, f.argument(0), f.argument(2)).store; // from elsewhere
            }),
            0u);
  EXPECT_EQ(keptBy([](Assembler& a, FunctionAssembler& f) {
              return storeField(a, f, f.argument(0), f.argument(0), 2).store; // it overlaps the rest
            }),
            0x03u);
  EXPECT_EQ(keptBy([](Assembler& a, FunctionAssembler& f) { // something is written in between
              Operand unit = f.load(a.i8, f.argument(0));
              f.store(a.i8, f.argument(2), f.argument(1));
              f.store(a.i8, f.argument(0), f.add(Op::And, a.i8, {unit, a.constant(0x0f)}));
              return 4u;
            }),
            0u);
  EXPECT_EQ(keptBy([](Assembler& a, FunctionAssembler& f) { // stored as it was: whoever did that meant it
              f.store(a.i8, f.argument(0), f.load(a.i8, f.argument(0)));
              return 2u;
            }),
            0u);
}

} // namespace
} // namespace faultline::depend
