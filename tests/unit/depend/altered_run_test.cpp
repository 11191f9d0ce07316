// What a slice promises, put to the test: a value that is not in it may be anything, the criterion stays as
// it is. The run is repeated with one value altered. Where that changes no decision and no address before the
// criterion, the criterion must have its value; where it does, the value may change by what then happens
// instead (no slice of what was executed can know of that), which is only counted.
#include "depend/models.h"
#include "depend/query.h"
#include "unit/depend/random_runs.h"

#include <fmt/format.h>

namespace faultline::depend::testing {
namespace {

// Follows a run, and alters what one instance computes.
class Alterer : public replay::Observer {
public:
  uint64_t alterAt = ~uint64_t(0), flip = 0; // time; bits to change
  uint64_t criterion = 0;
  uint32_t operand = 0;

  bool isDone = false; // the alteration was made
  uint64_t path = 14695981039346656037u;
  std::vector<uint64_t> value; // of the criterion's operand

  void onInstruction(const replay::Instance& i, std::span<const uint64_t> words) override {
    auto* w = const_cast<uint64_t*>(words.data());
    if (pending_) finish(w);
    if (i.time > criterion) return;
    add(i.local);
    const fir::Image& image = *i.module->image;
    const fir::Instruction& instruction = image.instructions[i.local];
    if (i.time == criterion) {
      fir::forEachValue(image, instruction, [&](uint32_t k, uint32_t count) {
        if (k != operand) return;
        uint32_t first = fir::operandIndex(image.operandsOf(instruction)[k]);
        value.assign(w + first, w + first + count);
      });
    }
    if (i.time == alterAt) begin(image, instruction, w);
  }
  void onStore(uint64_t address, uint64_t size) override { add(address * 64 + size); }
  void onLoad(uint64_t address, uint64_t size, const void*) override { add(address * 64 + size); }

private:
  void add(uint64_t x) { path = (path ^ x) * 1099511628211u; }
  static uint64_t limited(uint64_t bits, const fir::Type& type) {
    return type.kind == fir::TypeKind::Int && type.bits < 64 ? bits & ((uint64_t(1) << type.bits) - 1) : bits;
  }

  // A stored value is altered for the instruction alone, a result when it is there.
  void begin(const fir::Image& image, const fir::Instruction& i, uint64_t* w) {
    if (i.op == Op::Store) {
      fir::Operand o = image.operandsOf(i)[1];
      if (fir::operandKind(o) != fir::OperandKind::Word) return;
      word_ = fir::operandIndex(o);
      restored_ = w[word_];
      w[word_] ^= limited(flip, image.types[i.type]);
      isDone = w[word_] != restored_;
      restores_ = pending_ = true;
      return;
    }
    bool isVariable = i.op == Op::StoreVar;
    word_ = isVariable ? fir::operandIndex(image.operandsOf(i)[0]) : i.dst;
    bits_ = i.op == Op::ICmp ? flip & 1 : limited(flip, image.types[i.type]);
    restores_ = false;
    pending_ = true;
  }
  void finish(uint64_t* w) {
    pending_ = false;
    if (restores_) {
      w[word_] = restored_;
    } else {
      w[word_] ^= bits_;
      isDone = bits_ != 0;
    }
  }

  bool pending_ = false, restores_ = false;
  uint32_t word_ = 0;
  uint64_t restored_ = 0, bits_ = 0;
};

bool canBeAltered(const Executed& x) {
  switch (x.instruction->op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Shl:
  case Op::LShr:
  case Op::AShr:
  case Op::ICmp:
  case Op::Trunc:
  case Op::ZExt:
  case Op::SExt:
  case Op::Select:
  case Op::Load:
  case Op::LoadVar:
  case Op::StoreVar:
  case Op::Store:
  case Op::Phi:
  case Op::Extract: {
    // Not pointers: a wild one is no statement about the slice.
    auto kind = x.module->image->types[x.instruction->type].kind;
    return kind == fir::TypeKind::Int || kind == fir::TypeKind::Aggregate;
  }
  default:
    return false;
  }
}

// What a phi does not choose may not have been computed.
bool isDefined(const Executed& x, uint32_t operand) {
  for (const Source& s : x.operands[operand])
    if (s.instance == kNothing) return false;
  return x.instruction->op != Op::Phi;
}

struct Counts {
  uint64_t tried = 0, samePath = 0, changed = 0, changedElsewhere = 0, notReached = 0;
};

// Alters the instance and tells what became of the criterion.
void alter(ProgramMaker& made, const Alterer& straight, uint64_t at, uint64_t flip, Counts& counts) {
  Alterer altered;
  altered.criterion = straight.criterion;
  altered.operand = straight.operand;
  altered.alterAt = at;
  altered.flip = flip;
  replay::Replay replay = openRun(made);
  (void)replay.observe(altered, straight.criterion + 1); // it may well fail
  if (!altered.isDone) return;
  ++counts.tried;
  if (altered.path == straight.path) {
    ++counts.samePath;
    counts.changed += altered.value != straight.value;
  } else if (altered.value.empty()) {
    ++counts.notReached;
  } else {
    counts.changedElsewhere += altered.value != straight.value;
  }
}

TEST(AlteredRun, KeepsTheCriterionUnlessTheSliceHasTheInstance) {
  uint64_t programs = setting("FAULTLINE_SEEDS", 150), first = setting("FAULTLINE_FIRST_SEED", 0);
  Counts outside, inside;
  for (uint64_t seed = first; seed < first + programs; ++seed) {
    SCOPED_TRACE(seed);
    ProgramMaker made(seed);
    Recorder recorder;
    replay::Replay replay = openRun(made);
    ASSERT_TRUE(bool(replay.observe(recorder, 1500)));
    std::mt19937_64 random(seed);
    Asked asked = someQuestion(recorder, random);
    if (asked.operands.empty() || !isDefined(recorder.executed[asked.time], asked.operands[0])) continue;
    SCOPED_TRACE(fmt::format("time {} operand {}", asked.time, asked.operands[0]));
    HistoryOptions window;
    window.windowInstructions = 100;
    History run(replay, CallModels::standard(), window);
    auto slice = sliceBackward(run, {.time = asked.time, .operands = asked.operands});
    auto data = sliceBackward(run, {.time = asked.time, .operands = asked.operands}, {.control = false});
    ASSERT_TRUE(slice && data);
    std::set<uint64_t> times, dataTimes;
    for (const Node& n : slice->nodes) times.insert(n.time);
    for (const Node& n : data->nodes) dataTimes.insert(n.time);

    std::map<uint32_t, uint64_t> passedOn = ReferenceSlice(recorder, {}).onlyPassedOn();
    Alterer straight;
    straight.criterion = asked.time;
    straight.operand = asked.operands[0];
    replay::Replay again = openRun(made);
    ASSERT_TRUE(bool(again.observe(straight, asked.time + 1)));
    ASSERT_FALSE(straight.value.empty());
    std::vector<uint64_t> chosen(dataTimes.begin(), dataTimes.end()); // the last is the criterion
    chosen.pop_back();
    for (int k = 0; k < 30; ++k) {
      uint64_t at = asked.time ? random() % asked.time : 0;
      if (k % 3 == 0 && !chosen.empty()) at = chosen[random() % chosen.size()];
      if (!canBeAltered(recorder.executed[at])) continue;
      // Not the neighbours of a bit-field where it is stored: that is no value of this statement's.
      uint64_t flip = random() % 2 ? random() : uint64_t(1) << random() % 32;
      if (auto it = passedOn.find(uint32_t(at)); it != passedOn.end()) flip &= ~it->second;
      bool isInside = times.contains(at);
      if (isInside && !dataTimes.contains(at)) continue; // decides only
      Counts& counts = isInside ? inside : outside;
      uint64_t before = counts.changed;
      alter(made, straight, at, flip, counts);
      if (!isInside)
        ASSERT_EQ(counts.changed, before)
            << "altered instruction " << recorder.executed[at].id << " at " << at;
    }
  }
  auto tell = [](const char* what, const Counts& c) {
    fmt::print("altered {}: {}; on the same path {}, of which the criterion changed in {}; on another path "
               "it changed "
               "in {}, was not reached in {}\n",
               what, c.tried, c.samePath, c.changed, c.changedElsewhere, c.notReached);
  };
  tell("outside the slice", outside);
  tell("inside its data", inside);
  EXPECT_GT(outside.samePath, programs);
  // The test can fail: what is in the slice does matter, mostly.
  EXPECT_GT(inside.changed * 3, inside.samePath);
}

} // namespace
} // namespace faultline::depend::testing
