#include "replay/failure.h"

#include "abi/state.h"
#include "unit/replay/stopped_state.h"

#include <csignal>

namespace faultline::replay {
namespace {

using namespace testing;
using fir::Op;

class FailureOf : public ::testing::Test {
protected:
  Failure diagnosed(const RunEnd& end, const MadeFrame& frame, size_t depth = 1) {
    std::vector<FrameView> frames(depth, frame.view());
    ObjectNames names(symbols_, std::span(frames).first(1), memory_);
    return diagnose(end, {frames, &memory_, &symbols_, &names});
  }
  RunEnd fault(int signal, uint64_t address, bool write, bool inside = true) {
    RunEnd end;
    end.signal = signal;
    end.address = address;
    end.isWrite = write;
    end.isInside = inside;
    return end;
  }
  RunEnd aborted(std::string_view standardError = "") {
    RunEnd end;
    end.signal = SIGABRT;
    end.standardError = standardError;
    return end;
  }
  fir::Image image_ = goldenImage("list");
  MadeMemory memory_;
  MadeSymbols symbols_{image_};
  MadeFrame sum_{image_, "sum", 0x700000}, run_{image_, "run", 0x700000}, main_{image_, "main", 0x700000};
};

TEST_F(FailureOf, ANullPointerIsNamed) {
  sum_.at(Op::Load, 23).setOperand(0, 8);
  Failure f = diagnosed(fault(SIGSEGV, 8, false), sum_);
  EXPECT_EQ(f.kind, FailureKind::Crash);
  EXPECT_EQ(f.message, "Segmentation fault: read of 0x8 (n->next, where n is NULL)");
  ASSERT_TRUE(f.criterion);
  EXPECT_EQ(f.criterion->operand, 0u);
  EXPECT_EQ(f.criterion->value, 8u);
  EXPECT_EQ(f.criterion->text, "&n->next");
}

TEST_F(FailureOf, AnIndexTooFarSaysHowFar) {
  uint64_t table = symbols_.address("table");
  sum_.at(Op::Store, 24).setOperand(0, table + 5 * 32 + 8);
  const fir::Instruction* gep = definitionOf(
      sum_.view(), fir::operandIndex(image_.operandsOf(image_.instructions[sum_.view().instruction])[0]));
  const fir::Instruction* element = definitionOf(sum_.view(), fir::operandIndex(image_.operandsOf(*gep)[0]));
  sum_.word(fir::operandIndex(image_.operandsOf(*element)[1])) = 5;
  EXPECT_EQ(diagnosed(fault(SIGSEGV, table + 5 * 32 + 8, true), sum_).message,
            "Segmentation fault: write to 0x110a8 (table[i].next, where i is 5; that is &table[5].next, 2 "
            "past the end)");
}

TEST_F(FailureOf, DivisionByZeroNamesTheDivisor) {
  sum_.at(Op::SDiv, 25).setOperand(1, 0);
  Failure f = diagnosed(fault(SIGFPE, 0x400000, false), sum_);
  EXPECT_EQ(f.kind, FailureKind::DivisionByZero);
  EXPECT_EQ(f.message, "Division by zero: copy.value is 0");
  EXPECT_EQ(f.criterion->operand, 1u);
  sum_.setOperand(1, 0xffffffff);
  EXPECT_EQ(diagnosed(fault(SIGFPE, 0x400000, false), sum_).kind, FailureKind::Crash);
}

TEST_F(FailureOf, ACallOutsideBlamesItsArgument) {
  run_.at(Op::Call, 42).setOperand(1, 0);
  Failure f = diagnosed(fault(SIGSEGV, 0, false, false), run_);
  EXPECT_EQ(f.message, "Segmentation fault in strlen(): read of 0x0 (argument 1, text is NULL)");
  EXPECT_EQ(f.callee, "strlen");
  EXPECT_EQ(f.criterion->operand, 1u);
}

TEST_F(FailureOf, ACallThroughANullPointerIsOne) {
  run_.at(Op::Call, 42, 1).setOperand(0, 0);
  for (bool inside : {true, false})
    EXPECT_EQ(diagnosed(fault(SIGSEGV, 0, false, inside), run_).message,
              "Segmentation fault: call of 0x0 (handler, a null pointer)");
}

TEST_F(FailureOf, AnAssertionIsQuoted) {
  Failure f = diagnosed(aborted("list: list.c:40: run: Assertion `x' failed.\n"), run_.at(Op::Call, 40));
  EXPECT_EQ(f.kind, FailureKind::Assertion);
  EXPECT_EQ(f.message, "Assertion `c != RED && \"no colour\"' failed");
  EXPECT_EQ(f.callee, "__assert_fail");
  EXPECT_EQ(f.criterion->text, "c != RED && \"no colour\"");
  EXPECT_EQ(f.criterion->operand, fir::kNone);
}

TEST_F(FailureOf, AbortIsAbort) {
  Failure f = diagnosed(aborted("free(): something it said before\n"), run_.at(Op::Call, 41));
  EXPECT_EQ(f.kind, FailureKind::Abort);
  EXPECT_EQ(f.message, "abort() called");
}

TEST_F(FailureOf, TheHeapsComplaintIsKept) {
  main_.at(Op::Call, 49).setOperand(1, 0x5550);
  Failure f = diagnosed(aborted("hello\nfree(): invalid pointer\n"), main_);
  EXPECT_EQ(f.kind, FailureKind::HeapCorruption);
  EXPECT_EQ(f.message, "free(): invalid pointer");
  EXPECT_EQ(f.criterion->text, "x.next");
  EXPECT_EQ(f.criterion->value, 0x5550u);
  EXPECT_EQ(diagnosed(aborted(), main_).message, "free() found the heap damaged");
}

TEST_F(FailureOf, AnExceptionIsReadFromStandardError) {
  Failure f = diagnosed(aborted("terminate called after throwing an instance of 'std::out_of_range'\n"
                                "  what():  vector::_M_range_check: 7\n"),
                        main_.at(Op::Call, 48));
  EXPECT_EQ(f.kind, FailureKind::UncaughtException);
  EXPECT_EQ(f.message, "Uncaught exception std::out_of_range: vector::_M_range_check: 7");
}

TEST_F(FailureOf, DeepRecursionIsAStackOverflow) {
  sum_.at(Op::Store, 24).setOperand(0, 1);
  uint64_t end = FL_FRAME_STACK_ADDRESS - FL_FRAME_STACK_SIZE;
  Failure f = diagnosed(fault(SIGSEGV, end + 16, true), sum_, 12345);
  EXPECT_EQ(f.kind, FailureKind::StackOverflow);
  EXPECT_EQ(f.message, "Stack overflow: 12,345 calls deep (12,345 of sum())");
  MadeFrame entry(image_, "sum", 0x700000);
  EXPECT_EQ(diagnosed(fault(SIGSEGV, 0x7ffc00000000, true), entry.at(Op::Entry, 20), 5000).kind,
            FailureKind::StackOverflow);
}

TEST_F(FailureOf, OtherEnds) {
  RunEnd end;
  end.exitStatus = 3;
  EXPECT_EQ(diagnosed(end, main_.at(Op::Ret, 50)).message, "Exit with status 3");
  EXPECT_EQ(diagnosed(end, main_).criterion->operand, 0u);
  end.exitStatus = 0;
  EXPECT_EQ(diagnosed(end, main_).kind, FailureKind::None);
  end.isSmashed = true;
  end.signal = SIGABRT;
  EXPECT_EQ(diagnosed(end, main_).kind, FailureKind::StackSmashing);
  EXPECT_EQ(diagnosed(fault(SIGILL, 0x400000, false), run_.at(Op::Unreachable, 41)).message,
            "Ran past the end of run(), or into code marked unreachable");
  RunEnd hang;
  hang.timedOut = true;
  EXPECT_EQ(diagnosed(hang, main_).kind, FailureKind::Hang);
  EXPECT_EQ(diagnosed(fault(SIGTERM, 0, false, false), main_).message, "Killed by signal 15 (Terminated)");
  EXPECT_EQ(diagnose(fault(SIGSEGV, 0, false), {{}, &memory_, &symbols_, nullptr}).kind, FailureKind::Crash);
}

// Calls that only C++ programs have, in an image made by hand: __cxa_throw(w0, @typeinfo, 0).
TEST(FailureOfCxx, AThrownErrorHasTypeAndText) {
  fir::ImageBuilder b;
  b.addString("");
  auto symbol = [&](const char* name, uint32_t flags) {
    fir::Symbol s{};
    s.name = s.displayName = b.addString(name);
    s.flags = flags;
    s.initial = ~uint64_t(0);
    s.function = s.debugType = fir::kNone;
    b.symbols.push_back(s);
  };
  symbol("__cxa_throw", fir::kFunction);
  symbol("_ZTISt13runtime_error", 0);
  b.constants = {{0, 0, fir::kNone}, {0, 1, fir::kNone}, {0, fir::kNone, fir::kNone}};
  auto constant = [](uint32_t k) { return fir::makeOperand(fir::OperandKind::Constant, k); };
  b.operands = {constant(0), fir::makeOperand(fir::OperandKind::Word, 0), constant(1), constant(2)};
  fir::Instruction call{};
  call.op = Op::Call;
  call.sub = uint8_t(fir::CallKind::Outside);
  call.operandCount = 4;
  call.dst = fir::kNone;
  b.instructions = {call};
  b.calls = {{0, fir::kNone, fir::kNone, fir::kNone, 3, 0}};
  fir::Function f{};
  f.instructionCount = 1;
  f.words = 1;
  b.functions = {f};
  auto image = fir::imageFromBytes(b.finish(1));
  ASSERT_TRUE(image);
  MadeMemory memory;
  memory.put(0x8008, uint64_t(0x9000));
  memory.putText(0x9000, "bad input");
  MadeSymbols symbols(*image);
  uint64_t words[] = {0x8000};
  FrameView frame{.image = &*image, .function = 0, .instruction = 0, .words = words};
  RunEnd end;
  end.signal = SIGABRT;
  Failure failure = diagnose(end, {std::span(&frame, 1), &memory, &symbols, nullptr});
  EXPECT_EQ(failure.kind, FailureKind::UncaughtException);
  EXPECT_EQ(failure.message, "Uncaught exception std::runtime_error: bad input");
}

} // namespace
} // namespace faultline::replay
