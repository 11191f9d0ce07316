// Builds FIR and a log by hand.
//
//   Assembler a;
//   FunctionAssembler f = a.function("f", {a.i32});      // words 0.. are the arguments
//   auto sum = f.add(Op::Add, a.i32, {f.argument(0), a.constant(1)});
//   f.ret(a.i32, sum);
//   f.finish();
//   fir::Image image = a.image();
//
// A function is called by its address, Assembler::address(function).
#pragma once

#include "program/image.h"
#include "recording/log_reader.h"
#include "recording/log_writer.h"
#include "replay/replay.h"

#include <gtest/gtest.h>

namespace faultline::replay::testing {

using fir::makeOperand;
using fir::Op;
using fir::Operand;
using fir::OperandKind;
using recording::LogWriter;

inline constexpr uint64_t kHash = 0x1234;
inline constexpr uint64_t kCode = 0x400000;
inline constexpr uint64_t kData = 0x600000;

inline Operand word(uint32_t index) { return makeOperand(OperandKind::Word, index); }
inline Operand raw(uint32_t value) { return makeOperand(OperandKind::Raw, value); }

class Assembler {
public:
  Assembler() {
    builder.addString("");
    builder.locations.push_back({0, 0, 0, fir::kNone});
    voidType = type(fir::TypeKind::Void, 0);
    i1 = type(fir::TypeKind::Int, 1);
    i8 = type(fir::TypeKind::Int, 8);
    i16 = type(fir::TypeKind::Int, 16);
    i32 = type(fir::TypeKind::Int, 32);
    i64 = type(fir::TypeKind::Int, 64);
    pointer = type(fir::TypeKind::Pointer, 64);
    f32 = type(fir::TypeKind::Float, 32);
    f64 = type(fir::TypeKind::Double, 64);
    landing = type(fir::TypeKind::Aggregate, 128);
  }
  uint32_t type(fir::TypeKind kind, uint32_t bits) {
    builder.types.push_back({kind, {}, bits, (bits + 7) / 8, (bits + 63) / 64, 1, fir::kNone});
    return uint32_t(builder.types.size() - 1);
  }
  uint32_t vector(uint32_t element, uint32_t lanes) {
    fir::Type e = builder.types[element];
    uint32_t bits = e.bits * lanes;
    builder.types.push_back(
        {fir::TypeKind::Vector, {}, e.bits, (bits + 7) / 8, (bits + 63) / 64, lanes, element});
    return uint32_t(builder.types.size() - 1);
  }
  Operand constant(uint64_t value, uint32_t symbol = fir::kNone) {
    builder.constants.push_back({value, symbol, fir::kNone});
    return makeOperand(OperandKind::Constant, uint32_t(builder.constants.size() - 1));
  }
  Operand wide(std::vector<uint64_t> words) {
    builder.constants.push_back({0, fir::kNone, uint32_t(builder.wideWords.size())});
    builder.wideWords.insert(builder.wideWords.end(), words.begin(), words.end());
    return makeOperand(OperandKind::Constant, uint32_t(builder.constants.size() - 1));
  }
  uint32_t symbol(uint32_t flags, uint64_t address, uint64_t size = 0, std::string_view initial = {}) {
    fir::Symbol s{};
    s.flags = flags;
    s.size = size;
    s.function = s.debugType = fir::kNone;
    s.initial = initial.empty() ? ~uint64_t(0) : builder.bytes.size();
    builder.bytes.insert(builder.bytes.end(), initial.begin(), initial.end());
    builder.symbols.push_back(s);
    addresses.push_back(address);
    return uint32_t(builder.symbols.size() - 1);
  }
  // Declared, so that functions can call each other.
  uint32_t declare() {
    uint32_t s = symbol(fir::kFunction | fir::kDefined, kCode + 0x100 * builder.symbols.size());
    return s;
  }
  fir::Image image() {
    auto made = fir::imageFromBytes(builder.finish(kHash));
    EXPECT_TRUE(bool(made));
    return *made;
  }
  // A log that begins with thread 0 and this module.
  LogWriter log() {
    LogWriter w;
    w.thread(0).module(kHash, 0, uint32_t(builder.instructions.size()), addresses);
    return w;
  }

  fir::ImageBuilder builder;
  std::vector<uint64_t> addresses;
  uint32_t voidType, i1, i8, i16, i32, i64, pointer, f32, f64, landing;
};

class FunctionAssembler {
public:
  FunctionAssembler(Assembler& a, std::string_view name, std::vector<uint32_t> arguments,
                    uint32_t symbol = fir::kNone)
      : a_(a) {
    f_ = {};
    f_.symbol = symbol == fir::kNone ? a.declare() : symbol;
    a.builder.symbols[f_.symbol].function = uint32_t(a.builder.functions.size());
    f_.firstInstruction = uint32_t(a.builder.instructions.size());
    f_.firstBlock = uint32_t(a.builder.blocks.size());
    f_.firstArgument = uint32_t(a.builder.arguments.size());
    f_.argumentCount = uint32_t(arguments.size());
    f_.frameAlign = 16;
    f_.guardOffset = fir::kNone;
    f_.name = a.builder.addString(name);
    for (uint32_t t : arguments) a.builder.arguments.push_back({take(t), t, 0});
    block();
    put(Op::Entry, a.voidType, {});
  }
  uint32_t symbol() const { return f_.symbol; }
  uint32_t id() const { return f_.firstInstruction; }
  uint64_t address() const { return a_.addresses[f_.symbol]; }
  uint32_t next() const { return uint32_t(a_.builder.instructions.size()); } // id of the next instruction
  uint32_t variable(uint32_t type) { return take(type); }

  // Blocks in order; a branch may name one that comes later.
  uint32_t block(bool epoch = false) {
    close();
    a_.builder.blocks.push_back({next(), 0, epoch});
    return uint32_t(a_.builder.blocks.size() - 1 - f_.firstBlock);
  }
  fir::Instruction& put(Op op, uint32_t type, std::vector<Operand> operands) {
    fir::Instruction i{};
    i.op = op;
    i.type = type;
    i.dst = fir::kNone;
    i.operandCount = uint16_t(operands.size());
    i.operands = uint32_t(a_.builder.operands.size());
    a_.builder.operands.insert(a_.builder.operands.end(), operands.begin(), operands.end());
    a_.builder.instructions.push_back(i);
    return a_.builder.instructions.back();
  }
  // With a result of its own.
  Operand add(Op op, uint32_t type, std::vector<Operand> operands, uint32_t aux = 0, uint64_t imm = 0,
              uint8_t sub = 0, uint32_t resultType = fir::kNone) {
    fir::Instruction& i = put(op, type, std::move(operands));
    i.aux = aux;
    i.imm = imm;
    i.sub = sub;
    i.dst = take(resultType == fir::kNone ? type : resultType);
    return word(i.dst);
  }
  Operand load(uint32_t type, Operand address) {
    return add(Op::Load, type, {address}, 0, a_.builder.types[type].bytes);
  }
  void store(uint32_t type, Operand address, Operand value) {
    put(Op::Store, type, {address, value}).imm = a_.builder.types[type].bytes;
  }
  Operand get(uint32_t type, uint32_t variable) { return add(Op::LoadVar, type, {word(variable)}); }
  void set(uint32_t type, uint32_t variable, Operand value) {
    put(Op::StoreVar, type, {word(variable), value});
  }
  Operand compare(uint8_t predicate, uint32_t type, Operand a, Operand b) {
    return add(type == a_.f32 || type == a_.f64 ? Op::FCmp : Op::ICmp, type, {a, b}, 0, 0, predicate, a_.i1);
  }
  void br(uint32_t to) { put(Op::Br, a_.voidType, {raw(to)}); }
  void condBr(Operand c, uint32_t yes, uint32_t no) { put(Op::CondBr, a_.voidType, {c, raw(yes), raw(no)}); }
  void ret(uint32_t type, Operand value) {
    f_.returnType = type;
    put(Op::Ret, type, {value});
  }
  void ret() { put(Op::Ret, a_.voidType, {}); }
  // The result's word, if the type is not void.
  Operand call(fir::CallKind kind, uint32_t type, std::vector<Operand> operands,
               uint32_t flags = fir::kResultUsed, uint32_t normal = fir::kNone,
               uint32_t unwind = fir::kNone) {
    auto info = uint32_t(a_.builder.calls.size());
    a_.builder.calls.push_back(
        {fir::kNone, fir::kNone, normal, unwind, uint32_t(operands.size() - 1), flags});
    bool result = type != a_.voidType;
    uint32_t dst = result ? take(type) : fir::kNone;
    fir::Instruction& i = put(Op::Call, type, std::move(operands));
    i.sub = uint8_t(kind);
    i.aux = info;
    i.dst = dst;
    return word(result ? dst : 0);
  }
  Operand callInside(uint32_t type, uint32_t symbol, std::vector<Operand> arguments) {
    arguments.insert(arguments.begin(), a_.constant(0, symbol));
    return call(fir::CallKind::Inside, type, std::move(arguments));
  }
  Operand callOutside(uint32_t type, std::vector<Operand> arguments, uint32_t flags = fir::kResultUsed) {
    arguments.insert(arguments.begin(), a_.constant(0));
    return call(fir::CallKind::Outside, type, std::move(arguments), flags);
  }
  Operand argument(uint32_t k) { return word(a_.builder.arguments[f_.firstArgument + k].word); }
  void frame(uint32_t size, uint32_t align = 16, uint32_t guard = fir::kNone) {
    f_.frameSize = size;
    f_.frameAlign = align;
    f_.guardOffset = guard;
  }
  fir::Function& record() { return f_; }
  // Returns in an epoch of its own: the one before is then free of records, so that fast code runs it.
  void endInNextEpoch() {
    br(uint32_t(a_.builder.blocks.size()) - f_.firstBlock);
    block(true);
    ret();
    finish();
  }
  void finish() {
    close();
    f_.instructionCount = next() - f_.firstInstruction;
    f_.blockCount = uint32_t(a_.builder.blocks.size()) - f_.firstBlock;
    f_.words = words_;
    a_.builder.functions.push_back(f_);
  }

private:
  void close() {
    if (a_.builder.blocks.size() > f_.firstBlock)
      a_.builder.blocks.back().count = next() - a_.builder.blocks.back().first;
  }
  uint32_t take(uint32_t type) {
    uint32_t first = words_;
    words_ += std::max(1u, a_.builder.types[type].words);
    return first;
  }
  Assembler& a_;
  fir::Function f_;
  uint32_t words_ = 0;
};

inline Replay openReplay(Assembler& a, const LogWriter& log, ReplayOptions options = {}) {
  auto reader = recording::LogReader::open(log.source());
  EXPECT_TRUE(bool(reader));
  std::vector<fir::Image> images;
  images.push_back(a.image());
  auto replay = Replay::open(std::move(images), std::move(*reader), options);
  EXPECT_TRUE(bool(replay));
  return std::move(*replay);
}

// Runs to the end, in fast and in plain form.
inline void expectEnds(Assembler& a, const LogWriter& log, const std::function<void(Replay&)>& check) {
  for (bool plain : {false, true}) {
    SCOPED_TRACE(plain ? "plain" : "fast");
    ReplayOptions options;
    options.onlyPlain = plain;
    Replay replay = openReplay(a, log, options);
    auto ending = replay.runToEnd();
    ASSERT_TRUE(bool(ending)) << ending.error().message;
    check(replay);
  }
}

template <class T = uint64_t> T peekMemory(Replay& r, uint64_t address) {
  T value{};
  r.memoryView().read(address, {reinterpret_cast<uint8_t*>(&value), sizeof(T)});
  return value;
}

} // namespace faultline::replay::testing
