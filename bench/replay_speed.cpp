// How many FIR instructions per second replay walks on one core: a hot loop over an array and a call-heavy
// recursion, both built by hand.
//
//   ninja -C build/release bench_replay_speed && build/release/bin/bench_replay_speed
#include "abi/state.h"
#include "recording/log_writer.h"
#include "replay/replay.h"

#include <cstdio>
#include <ctime>

using namespace faultline;
using fir::makeOperand;
using fir::Op;
using fir::Operand;
using fir::OperandKind;

namespace {

constexpr uint64_t kCode = 0x400000, kData = 0x600000, kHash = 1;
constexpr uint8_t kSignedLess = 40;

class Builder {
public:
  Builder() {
    b.addString("");
    b.locations.push_back({0, 0, 0, fir::kNone});
    add(fir::TypeKind::Void, 0);
    add(fir::TypeKind::Int, 1);
    add(fir::TypeKind::Int, 32);
    add(fir::TypeKind::Int, 64);
    add(fir::TypeKind::Pointer, 64);
  }
  static constexpr uint32_t Void = 0, I32 = 2, I64 = 3, Pointer = 4; // 1: i1, of comparisons

  Operand constant(uint64_t v, uint32_t symbol = fir::kNone) {
    b.constants.push_back({v, symbol, fir::kNone});
    return makeOperand(OperandKind::Constant, uint32_t(b.constants.size() - 1));
  }
  static Operand word(uint32_t w) { return makeOperand(OperandKind::Word, w); }
  static Operand raw(uint32_t v) { return makeOperand(OperandKind::Raw, v); }

  void function(uint32_t arguments) {
    fir::Symbol s{};
    s.flags = fir::kFunction | fir::kDefined;
    s.initial = ~uint64_t(0);
    s.function = uint32_t(b.functions.size());
    s.debugType = fir::kNone;
    fir::Function f{};
    f.symbol = uint32_t(b.symbols.size());
    f.firstInstruction = uint32_t(b.instructions.size());
    f.firstBlock = uint32_t(b.blocks.size());
    f.firstArgument = uint32_t(b.arguments.size());
    f.argumentCount = arguments;
    f.frameAlign = 16;
    f.guardOffset = fir::kNone;
    f.returnType = I32;
    words = 0;
    for (uint32_t k = 0; k < arguments; ++k) b.arguments.push_back({words++, I32, 0});
    addresses.push_back(kCode + 64 * b.symbols.size());
    b.symbols.push_back(s);
    b.functions.push_back(f);
    block(false);
    put(Op::Entry, Void, {});
  }
  void block(bool epoch) {
    close();
    b.blocks.push_back({uint32_t(b.instructions.size()), 0, epoch});
  }
  void finish() {
    close();
    fir::Function& f = b.functions.back();
    f.instructionCount = uint32_t(b.instructions.size()) - f.firstInstruction;
    f.blockCount = uint32_t(b.blocks.size()) - f.firstBlock;
    f.words = words;
  }
  fir::Instruction& put(Op op, uint32_t type, std::vector<Operand> operands) {
    fir::Instruction i{};
    i.op = op;
    i.type = type;
    i.dst = fir::kNone;
    i.operandCount = uint16_t(operands.size());
    i.operands = uint32_t(b.operands.size());
    b.operands.insert(b.operands.end(), operands.begin(), operands.end());
    b.instructions.push_back(i);
    return b.instructions.back();
  }
  Operand make(Op op, uint32_t type, std::vector<Operand> operands, uint8_t sub = 0, uint32_t aux = 0,
               uint64_t imm = 0) {
    fir::Instruction& i = put(op, type, std::move(operands));
    i.sub = sub;
    i.aux = aux;
    i.imm = imm;
    i.dst = words++;
    return word(i.dst);
  }
  Operand call(Operand callee, Operand argument) {
    b.calls.push_back({fir::kNone, fir::kNone, fir::kNone, fir::kNone, 1, fir::kResultUsed});
    return make(Op::Call, I32, {callee, argument}, uint8_t(fir::CallKind::Inside),
                uint32_t(b.calls.size() - 1));
  }

  fir::ImageBuilder b;
  std::vector<uint64_t> addresses;
  uint32_t words = 0;

private:
  void add(fir::TypeKind kind, uint32_t bits) {
    b.types.push_back({kind, {}, bits, (bits + 7) / 8, (bits + 63) / 64, 1, fir::kNone});
  }
  void close() {
    if (b.blocks.size() > b.functions.back().firstBlock)
      b.blocks.back().count = uint32_t(b.instructions.size()) - b.blocks.back().first;
  }
};

// for (i = 0; i < n; ++i) s += a[i & 1023];
Builder loop() {
  Builder p;
  p.function(1);
  uint32_t i = p.words++, s = p.words++;
  p.put(Op::StoreVar, p.I32, {p.word(i), p.constant(0)});
  p.put(Op::StoreVar, p.I32, {p.word(s), p.constant(0)});
  p.put(Op::Br, p.Void, {p.raw(1)});
  p.block(true);
  auto v = p.make(Op::LoadVar, p.I32, {p.word(i)});
  auto c = p.make(Op::ICmp, p.I32, {v, p.word(0)}, kSignedLess);
  p.put(Op::CondBr, p.Void, {c, p.raw(2), p.raw(3)});
  p.block(false);
  auto w = p.make(Op::LoadVar, p.I32, {p.word(i)});
  auto low = p.make(Op::And, p.I32, {w, p.constant(1023)});
  auto wide = p.make(Op::SExt, p.I64, {low}, 0, p.I32);
  auto at = p.make(Op::Gep, p.Pointer, {p.constant(kData), wide, p.constant(4), p.raw(64)});
  auto x = p.make(Op::Load, p.I32, {at}, 0, 0, 4);
  auto sum = p.make(Op::LoadVar, p.I32, {p.word(s)});
  auto more = p.make(Op::Add, p.I32, {sum, x});
  p.put(Op::StoreVar, p.I32, {p.word(s), more});
  auto y = p.make(Op::LoadVar, p.I32, {p.word(i)});
  auto next = p.make(Op::Add, p.I32, {y, p.constant(1)});
  p.put(Op::StoreVar, p.I32, {p.word(i), next});
  p.put(Op::Br, p.Void, {p.raw(1)});
  p.block(false);
  auto r = p.make(Op::LoadVar, p.I32, {p.word(s)});
  p.put(Op::Ret, p.I32, {r});
  p.finish();
  return p;
}

// int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
Builder recursion() {
  Builder p;
  p.function(1);
  auto self = p.constant(0, 0);
  auto c = p.make(Op::ICmp, p.I32, {p.word(0), p.constant(2)}, kSignedLess);
  p.put(Op::CondBr, p.Void, {c, p.raw(1), p.raw(2)});
  p.block(false);
  p.put(Op::Ret, p.I32, {p.word(0)});
  p.block(false);
  auto a = p.make(Op::Sub, p.I32, {p.word(0), p.constant(1)});
  auto x = p.call(self, a);
  auto b = p.make(Op::Sub, p.I32, {p.word(0), p.constant(2)});
  auto y = p.call(self, b);
  auto sum = p.make(Op::Add, p.I32, {x, y});
  p.put(Op::Ret, p.I32, {sum});
  p.finish();
  return p;
}

struct Counter : replay::Observer {
  uint64_t seen = 0;
  void onInstruction(const replay::Instance&, std::span<const uint64_t>) override { ++seen; }
};

// Of the processor, so that other work on the machine does not count.
double now() { return double(std::clock()) / CLOCKS_PER_SEC; }

enum class Form { Fast, Plain, Observed };

// A jump to any time of a run that was walked once: back to a checkpoint, forwards from there.
void measureJumps(replay::Replay& replay) {
  uint64_t steps = replay.engine().steps(), state = 1;
  double total = 0, worst = 0;
  constexpr int kJumps = 40;
  for (int k = 0; k < kJumps; ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double start = now();
    if (auto done = replay.seek((state >> 16) % steps); !done)
      std::printf("%s\n", done.error().message.c_str());
    double seconds = now() - start;
    total += seconds;
    worst = std::max(worst, seconds);
  }
  std::printf("           jumps     %12llu instructions  %6.4f s mean, %6.4f s worst, %zu checkpoints\n",
              static_cast<unsigned long long>(steps), total / kJumps, worst, replay.checkpoints());
}

void measure(const char* name, Builder& p, uint64_t argument, Form form) {
  recording::LogWriter log;
  log.thread(0)
      .module(kHash, 0, uint32_t(p.b.instructions.size()), p.addresses)
      .enter(0, FL_EXT_ROOT, 0, {argument});
  auto image = fir::imageFromBytes(p.b.finish(kHash));
  auto reader = recording::LogReader::open(log.source());
  if (!image || !reader) return;
  replay::ReplayOptions options;
  options.onlyPlain = form != Form::Fast;
  options.endEpoch = uint64_t(1) << 40;
  std::vector<fir::Image> images;
  images.push_back(*image);
  auto replay = replay::Replay::open(std::move(images), std::move(*reader), options);
  if (!replay) return;
  Counter counter;
  double start = now();
  Result<void> done;
  if (form == Form::Observed)
    done = replay->observe(counter);
  else if (auto ending = replay->runToEnd(); !ending)
    done = ending.error();
  double seconds = now() - start;
  if (!done) std::printf("%s\n", done.error().message.c_str());
  uint64_t steps = replay->engine().steps();
  const char* forms[] = {"fast", "plain", "observed"};
  std::printf("%-10s %-9s %12llu instructions  %6.3f s  %7.1f million/s\n", name, forms[int(form)],
              static_cast<unsigned long long>(steps), seconds, double(steps) / seconds / 1e6);
  if (form == Form::Fast) measureJumps(*replay);
}

} // namespace

int main() {
  Builder a = loop(), b = recursion();
  for (Form form : {Form::Fast, Form::Plain, Form::Observed}) {
    measure("loop", a, form == Form::Fast ? 60'000'000 : 6'000'000, form);
    measure("recursion", b, form == Form::Fast ? 34 : 28, form);
  }
}
