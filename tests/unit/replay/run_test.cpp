// Whole small programs: loops, calls, outside calls, exceptions, jumps, threads, faults.
#include "assembler.h"

#include "abi/state.h"

#include <csignal>

using namespace faultline;
using namespace faultline::replay;
using namespace faultline::replay::testing;
using fir::CallKind;

namespace {

enum { EQ = 32, NE, UGT, UGE, ULT, ULE, SGT, SGE, SLT, SLE };

// int f(int n) { int s = 0; while (n > 0) s += n--; return s; }
uint32_t sumFunction(Assembler& a, uint32_t& id) {
  FunctionAssembler f(a, "sum", {a.i32});
  uint32_t n = f.variable(a.i32), s = f.variable(a.i32);
  f.set(a.i32, n, f.argument(0));
  f.set(a.i32, s, a.constant(0));
  f.br(1);
  f.block(true);
  auto v = f.get(a.i32, n);
  auto c = f.compare(SGT, a.i32, v, a.constant(0));
  f.condBr(c, 2, 3);
  f.block();
  auto old = f.get(a.i32, n);
  auto less = f.add(Op::Add, a.i32, {old, a.constant(0xffffffff)});
  f.set(a.i32, n, less);
  auto sum = f.get(a.i32, s);
  auto more = f.add(Op::Add, a.i32, {sum, old});
  f.set(a.i32, s, more);
  f.br(1);
  f.block();
  auto r = f.get(a.i32, s);
  f.ret(a.i32, r);
  f.finish();
  id = f.id();
  return f.symbol();
}

TEST(Run, LoopInACall) {
  Assembler a;
  uint32_t sumId;
  uint32_t sum = sumFunction(a, sumId);
  FunctionAssembler f(a, "main", {a.i32});
  auto r = f.callInside(a.i32, sum, {f.argument(0)});
  f.store(a.i32, a.constant(kData), r);
  f.ret(a.i32, r);
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {100}).exit(103, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(r.ending().kind, Ending::Exited);
    EXPECT_EQ(peekMemory<uint32_t>(r, kData), 5050u);
    EXPECT_EQ(r.engine().epoch(), 103u); // main, sum, 101 times the loop's head
    EXPECT_EQ(r.now(), 4u + 4u + 3 * 101 + 7 * 100 + 2);
  });
}

TEST(Run, RecursionAHundredThousandDeep) {
  Assembler a;
  uint32_t self = a.declare();
  FunctionAssembler f(a, "down", {a.i64}, self);
  auto zero = f.compare(EQ, a.i64, f.argument(0), a.constant(0));
  f.condBr(zero, 1, 2);
  f.block();
  f.ret(a.i64, a.constant(7));
  f.block();
  auto less = f.add(Op::Sub, a.i64, {f.argument(0), a.constant(1)});
  auto r = f.callInside(a.i64, self, {less});
  auto more = f.add(Op::Add, a.i64, {r, a.constant(2)});
  f.ret(a.i64, more);
  f.finish();
  FunctionAssembler m(a, "main", {});
  auto v = m.callInside(a.i64, self, {a.constant(150000)});
  m.store(a.i64, a.constant(kData), v);
  m.ret();
  m.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, m.id(), {}).exit(150002, 3, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory(r, kData), 300007u);
    EXPECT_EQ(r.ending().status, 3u);
  });
}

TEST(Run, LoadsComeFromTheLogAndStayInMemory) {
  Assembler a;
  FunctionAssembler f(a, "main", {});
  auto first = f.load(a.i32, a.constant(kData));
  auto second = f.load(a.i32, a.constant(kData));
  auto sum = f.add(Op::Add, a.i32, {first, second});
  f.store(a.i32, a.constant(kData + 8), sum);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).load(1, f.id() + 1, 21, 4).exit(1, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory<uint32_t>(r, kData), 21u);
    EXPECT_EQ(peekMemory<uint32_t>(r, kData + 8), 42u);
  });
}

TEST(Run, OutsideCallWithCallbackAndEffect) {
  Assembler a;
  FunctionAssembler cb(a, "callback", {a.i64});
  cb.store(a.i64, a.constant(kData), cb.argument(0));
  cb.ret();
  cb.finish();
  FunctionAssembler f(a, "main", {});
  uint32_t site = f.next();
  auto r = f.callOutside(a.i64, {a.constant(1)});
  auto seen = f.load(a.i64, a.constant(kData + 16));
  auto sum = f.add(Op::Add, a.i64, {r, seen});
  f.store(a.i64, a.constant(kData + 8), sum);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {})
      .enter(1, site + 2, cb.id(), {5})
      .enter(2, site + 2, cb.id(), {6})
      .effect(3, site, kData + 16, std::string_view("\x0a\0\0\0\0\0\0\0", 8))
      .ret(site, 300)
      .exit(3, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory(r, kData), 6u);
    EXPECT_EQ(peekMemory(r, kData + 8), 310u);
  });
}

TEST(Run, CallByPointerGoesInsideOrOutside) {
  Assembler a;
  FunctionAssembler g(a, "g", {a.i64});
  auto twice = g.add(Op::Mul, a.i64, {g.argument(0), a.constant(2)});
  g.ret(a.i64, twice);
  g.finish();
  FunctionAssembler f(a, "main", {a.pointer, a.pointer});
  auto x = f.call(CallKind::Either, a.i64, {f.argument(0), a.constant(21)});
  uint32_t site = f.next();
  auto y = f.call(CallKind::Either, a.i64, {f.argument(1), a.constant(21)});
  f.store(a.i64, a.constant(kData), x);
  f.store(a.i64, a.constant(kData + 8), y);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {g.address(), 0xdead0000}).ret(site, 1).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory(r, kData), 42u);
    EXPECT_EQ(peekMemory(r, kData + 8), 1u);
  });
}

TEST(Run, ExceptionThroughAFrame) {
  Assembler a;
  FunctionAssembler thrower(a, "thrower", {});
  thrower.callOutside(a.voidType, {}, 0); // returns
  uint32_t site = thrower.next();
  thrower.callOutside(a.voidType, {}, fir::kNoReturn);
  thrower.put(Op::Unreachable, a.voidType, {});
  thrower.finish();
  FunctionAssembler f(a, "main", {});
  f.call(CallKind::Inside, a.voidType, {a.constant(0, thrower.symbol())}, 0, 1, 2);
  f.block();
  f.ret();
  f.block();
  uint32_t pad = f.next();
  auto caught = f.add(Op::LandingPad, a.landing, {});
  auto object = f.add(Op::Extract, a.i64, {caught}, 0, 0);
  auto selector = f.add(Op::Extract, a.i32, {caught}, 0, 8);
  f.store(a.i64, a.constant(kData), object);
  f.store(a.i32, a.constant(kData + 8), selector);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).land(2, pad, 0x5000, 3, site + 2).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory(r, kData), 0x5000u);
    EXPECT_EQ(peekMemory(r, kData + 8), 3u);
  });
}

// Several calls of one epoch leave no record when they return; the site tells which one threw.
TEST(Run, ExceptionFromACallThatMightReturn) {
  Assembler a;
  FunctionAssembler f(a, "main", {});
  uint32_t site = f.next();
  f.call(CallKind::Outside, a.voidType, {a.constant(0)}, 0, 1, 3);
  f.block();
  f.call(CallKind::Outside, a.voidType, {a.constant(0)}, 0, 2, 3);
  f.block();
  f.store(a.i64, a.constant(kData), a.constant(1));
  f.br(4);
  f.block();
  uint32_t pad = f.next();
  f.add(Op::LandingPad, a.landing, {});
  f.br(4);
  f.block(true);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).land(1, pad, 0x5000, 3, site + 2).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) { EXPECT_EQ(peekMemory(r, kData), 0u); });
}

TEST(Run, ExceptionCaughtByOutsideCode) {
  Assembler a;
  FunctionAssembler cb(a, "callback", {});
  cb.callOutside(a.voidType, {}, fir::kNoReturn);
  cb.put(Op::Unreachable, a.voidType, {});
  cb.finish();
  FunctionAssembler f(a, "main", {});
  uint32_t site = f.next();
  auto r = f.callOutside(a.i64, {});
  f.store(a.i64, a.constant(kData), r);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).enter(1, site + 2, cb.id(), {}).ret(site, 9).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) { EXPECT_EQ(peekMemory(r, kData), 9u); });
}

TEST(Run, SetJumpReturnsAgain) {
  Assembler a;
  FunctionAssembler g(a, "jumper", {a.pointer});
  g.frame(64);
  uint32_t jump = g.next();
  g.call(CallKind::LongJmp, a.voidType, {a.constant(0), g.argument(0), a.constant(5)}, fir::kNoReturn);
  g.put(Op::Unreachable, a.voidType, {});
  g.finish();
  FunctionAssembler f(a, "main", {});
  uint32_t site = f.next();
  auto r = f.call(CallKind::SetJmp, a.i32, {a.constant(0), a.constant(kData + 64)});
  auto first = f.compare(EQ, a.i32, r, a.constant(0));
  f.condBr(first, 1, 2);
  f.block();
  f.callInside(a.voidType, g.symbol(), {a.constant(kData + 64)});
  f.put(Op::Unreachable, a.voidType, {});
  f.block();
  f.store(a.i32, a.constant(kData), r);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {})
      .ret(site, 0)
      .rejump(3, site, 5, jump + 2)
      .exit(4, 0, FL_EXT_ROOT); // an epoch begins behind setjmp
  expectEnds(a, log, [&](Replay& r) { EXPECT_EQ(peekMemory<uint32_t>(r, kData), 5u); });
}

TEST(Run, ThreadsTakeTurns) {
  Assembler a;
  FunctionAssembler w(a, "worker", {a.i64});
  auto v = w.load(a.i64, a.constant(kData));
  auto more = w.add(Op::Mul, a.i64, {v, w.argument(0)});
  w.store(a.i64, a.constant(kData), more);
  w.ret(a.i64, a.constant(0));
  w.finish();
  FunctionAssembler f(a, "main", {});
  uint32_t i = f.variable(a.i64);
  f.store(a.i64, a.constant(kData), a.constant(1));
  f.set(a.i64, i, a.constant(0));
  f.br(1);
  f.block(true);
  auto v2 = f.load(a.i64, a.constant(kData));
  auto plus = f.add(Op::Add, a.i64, {v2, a.constant(1)});
  f.store(a.i64, a.constant(kData), plus);
  auto n = f.get(a.i64, i);
  auto n2 = f.add(Op::Add, a.i64, {n, a.constant(1)});
  f.set(a.i64, i, n2);
  auto c = f.compare(ULT, a.i64, n2, a.constant(4));
  f.condBr(c, 1, 2);
  f.block();
  f.ret();
  f.finish();
  auto log = a.log();
  // main: epoch 1, loop 2, 3 | worker: 4, ends | main: 5, 6. 1 -> 3 -> 30 -> 32
  log.enter(0, FL_EXT_ROOT, f.id(), {})
      .thread(1)
      .switchTo(3, 1, 0)
      .enter(3, FL_EXT_ROOT, w.id(), {10})
      .switchTo(4, 0, FL_EXT_ROOT)
      .exit(6, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(peekMemory(r, kData), 32u);
    EXPECT_EQ(r.threads().size(), 2u);
  });
}

TEST(Run, StopsAtTheFaultingAccess) {
  Assembler a;
  FunctionAssembler f(a, "main", {a.pointer});
  f.store(a.i32, a.constant(kData), a.constant(1));
  auto p = f.add(Op::Gep, a.pointer, {f.argument(0)}, 0, 12);
  uint32_t at = f.next();
  auto v = f.load(a.i32, p);
  f.store(a.i32, a.constant(kData), v);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {0}).fault(1, SIGSEGV, 1, 12, false, FL_AT_INSTRUCTION);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(r.ending().kind, Ending::Fault);
    EXPECT_EQ(r.ending().signal, SIGSEGV);
    EXPECT_EQ(r.current().local, at);
    EXPECT_EQ(r.now(), 3u);
    EXPECT_EQ(peekMemory<uint32_t>(r, kData), 1u);
  });
}

TEST(Run, HandlerOfAFaultJumpsAway) {
  Assembler a;
  FunctionAssembler h(a, "handler", {a.i32});
  uint32_t jump = h.next();
  h.call(CallKind::LongJmp, a.voidType, {a.constant(0), a.constant(kData + 64), a.constant(1)},
         fir::kNoReturn);
  h.put(Op::Unreachable, a.voidType, {});
  h.finish();
  FunctionAssembler f(a, "main", {});
  uint32_t site = f.next();
  auto r = f.call(CallKind::SetJmp, a.i32, {a.constant(0), a.constant(kData + 64)});
  auto first = f.compare(EQ, a.i32, r, a.constant(0));
  f.condBr(first, 1, 2);
  f.block();
  auto q = f.add(Op::SDiv, a.i32, {a.constant(1), r});
  f.store(a.i32, a.constant(kData), q);
  f.ret();
  f.block();
  f.store(a.i32, a.constant(kData), a.constant(77));
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {})
      .ret(site, 0)
      .fault(2, SIGFPE, 1, 0x1000, false, FL_AT_INSTRUCTION) // an epoch begins behind setjmp
      .signal(2, SIGFPE, FL_AT_INSTRUCTION)
      .enter(2, FL_EXT_ROOT, h.id(), {SIGFPE})
      .rejump(3, site, 1, jump + 2)
      .exit(4, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) { EXPECT_EQ(peekMemory<uint32_t>(r, kData), 77u); });
}

TEST(Run, SignalAtAnEpochPoint) {
  Assembler a;
  FunctionAssembler h(a, "handler", {a.i32});
  h.store(a.i32, a.constant(kData), h.argument(0));
  h.ret();
  h.finish();
  uint32_t sumId;
  uint32_t sum = sumFunction(a, sumId);
  FunctionAssembler f(a, "main", {});
  auto r = f.callInside(a.i32, sum, {a.constant(10)});
  auto seen = f.load(a.i32, a.constant(kData));
  auto all = f.add(Op::Add, a.i32, {r, seen});
  f.store(a.i32, a.constant(kData + 8), all);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {})
      .signal(5, SIGUSR1, FL_AT_EPOCH)
      .enter(5, FL_EXT_ROOT, h.id(), {1000})
      .exit(14, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) { EXPECT_EQ(peekMemory<uint32_t>(r, kData + 8), 1055u); });
}

TEST(Run, FrameStackAndGuard) {
  Assembler a;
  FunctionAssembler g(a, "g", {});
  g.frame(48, 32, 40);
  auto p = g.add(Op::Alloca, a.pointer, {}, 0, 8);
  g.store(a.pointer, a.constant(kData), p);
  auto d = g.add(Op::AllocaDyn, a.pointer, {a.constant(3)}, 8, 8);
  g.store(a.pointer, a.constant(kData + 8), d);
  uint32_t at = g.next();
  g.ret();
  g.finish();
  FunctionAssembler f(a, "main", {});
  f.callInside(a.voidType, g.symbol(), {});
  auto top = f.add(Op::StackSave, a.pointer, {});
  f.store(a.pointer, a.constant(kData + 16), top);
  f.ret();
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).exit(2, 0, FL_EXT_ROOT);
  expectEnds(a, log, [&](Replay& r) {
    uint64_t base = (FL_FRAME_STACK_ADDRESS - 48) & ~31ull;
    EXPECT_EQ(peekMemory(r, kData), base + 8);
    EXPECT_EQ(peekMemory(r, base + 40), FL_FRAME_GUARD);
    EXPECT_EQ(peekMemory(r, kData + 8), (base - 24) & ~15ull);
    EXPECT_EQ(peekMemory(r, kData + 16), FL_FRAME_STACK_ADDRESS);
  });
  auto smashed = a.log();
  smashed.enter(0, FL_EXT_ROOT, f.id(), {})
      .smashed(2, at)
      .fault(2, SIGABRT, 0, ~0ull, false, FL_AT_OUTSIDE, 0, at + 2);
  expectEnds(a, smashed, [&](Replay& r) {
    EXPECT_TRUE(r.ending().smashed);
    EXPECT_EQ(r.ending().signal, SIGABRT);
    EXPECT_EQ(r.current().local, at);
  });
}

TEST(Run, AbortIsTheCallThatNeverReturns) {
  Assembler a;
  FunctionAssembler f(a, "main", {});
  f.callOutside(a.voidType, {}, 0);
  uint32_t at = f.next();
  f.callOutside(a.voidType, {}, fir::kNoReturn);
  f.put(Op::Unreachable, a.voidType, {});
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).fault(1, SIGABRT, 0, ~0ull, false, FL_AT_OUTSIDE, 0, at + 2);
  expectEnds(a, log, [&](Replay& r) {
    EXPECT_EQ(r.current().local, at);
    EXPECT_TRUE(r.ending().outside);
  });
}

TEST(Run, KilledProcessStopsInItsLastEpoch) {
  Assembler a;
  uint32_t sumId;
  sumFunction(a, sumId);
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, sumId, {1000000});
  ReplayOptions options;
  options.endEpoch = 500;
  Replay r = openReplay(a, log, options);
  auto ending = r.runToEnd();
  ASSERT_TRUE(bool(ending));
  EXPECT_EQ(ending->kind, Ending::LogEnded);
  EXPECT_EQ(r.engine().epoch(), 500u);
}

TEST(Run, DivergenceNamesTheInstance) {
  Assembler a;
  FunctionAssembler f(a, "main", {});
  uint32_t site = f.next();
  auto r = f.callOutside(a.i64, {});
  f.ret(a.i64, r);
  f.finish();
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, f.id(), {}).ret(site + 1, 9).exit(1, 0, FL_EXT_ROOT);
  Replay replay = openReplay(a, log);
  auto ending = replay.runToEnd();
  ASSERT_FALSE(bool(ending));
  ASSERT_TRUE(replay.divergence().has_value());
  EXPECT_EQ(replay.divergence()->at.local, site);
}

} // namespace
