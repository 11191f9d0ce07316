// A backward slice made in the most obvious way, to compare the walk (depend/backward_walk.h) with. It
// watches a replay forwards and keeps one record for each executed instruction: where each word and each byte
// that it used came from, and which instruction decided that it was executed. A slice is then a plain search,
// bit by bit.
//
// It shares nothing with src/depend but the rules that depend/code.h documents, and finds control dependences
// by trying all paths. Of outside code it knows only that something came from there.
#pragma once

#include "replay/decoded.h"
#include "replay/loaded_program.h"
#include "replay/observer.h"
#include "unit/depend/control_paths.h"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace faultline::depend::testing {

// ---- what was executed
// ------------------------------------------------------------------------------------------

// A part of what an executed instruction made.
struct Source {
  enum Part : uint8_t { Result, Memory, Argument, Outside };
  uint32_t instance = kNothing;
  Part part = Result;
  uint32_t number = 0; // Result: word; Memory: byte; Argument: 256 * operand + word; Outside: made there
};

struct Executed {
  uint64_t time = 0;
  uint32_t id = 0;
  const replay::LoadedModule* module = nullptr;
  const fir::Instruction* instruction = nullptr;
  std::vector<std::vector<Source>> operands = {}; // words of each; none: a constant
  std::vector<Source> loaded = {};                // bytes
  std::vector<Source> overwritten = {};           // Store: bytes; StoreVar: the word; what stood there before
  uint32_t chosen = 0;                            // operand that a Phi or Select took
  uint32_t control = kNothing;                    // what decided that it was executed
  uint32_t edge = kNothing;                       // Phi: what decided from where it came
  bool isFromOutside = false;                     // outside code called the function it is in
  bool calledInside = false;                      // a call of a function of the program
};

class Recorder : public replay::Observer {
public:
  std::vector<Executed> executed;
  std::unordered_map<uint64_t, uint32_t> at; // time -> instance

  void onInstruction(const replay::Instance& i, std::span<const uint64_t> words) override {
    Stack& stack = stacks_[thread_ = i.thread];
    if (stack.empty()) return;
    Frame& frame = stack.back();
    const fir::Image& image = *i.module->image;
    current_ = uint32_t(executed.size());
    at[i.time] = current_;
    executed.push_back({i.time, i.module->base + i.local, i.module, &image.instructions[i.local]});
    Executed& x = executed.back();
    const Body& body = *frame.body;
    uint32_t local = i.local - body.function->firstInstruction;
    enterBlock(frame, body, local);
    for (uint32_t parent : body.parents[frame.block])
      if (uint32_t branch = frame.lastEnd[parent];
          branch != kNothing && (x.control == kNothing || branch > x.control))
        x.control = branch;
    if (x.control == kNothing) x.control = frame.call;
    x.isFromOutside = x.control == kNothing && frame.isFromOutside;
    const fir::Instruction& instruction = *x.instruction;
    x.operands.resize(instruction.operandCount);
    bool isPhi = instruction.op == fir::Op::Phi;
    auto read = [&](uint32_t k, uint32_t count) {
      fir::Operand o = image.operandsOf(instruction)[k];
      if (fir::operandKind(o) != fir::OperandKind::Word) return;
      for (uint32_t j = 0; j < count; ++j)
        x.operands[k].push_back((isPhi ? frame.before : frame.words)[fir::operandIndex(o) + j]);
    };
    fir::forEachValue(image, instruction, read);
    auto value = [&](uint32_t k) {
      fir::Operand o = image.operandsOf(instruction)[k];
      bool isWord = fir::operandKind(o) == fir::OperandKind::Word;
      return isWord ? words[fir::operandIndex(o)] : i.module->constants[fir::operandIndex(o)];
    };
    if (instruction.op == fir::Op::Select) x.chosen = value(0) & 1 ? 1 : 2;
    if (isPhi) {
      for (uint32_t k = 0; k + 1 < instruction.operandCount; k += 2)
        if (fir::operandIndex(image.operandsOf(instruction)[k]) == frame.previous) x.chosen = k + 1;
      const Executed& end = executed[frame.previousEnd];
      x.edge = isBranch(end.instruction->op) ? frame.previousEnd : end.control;
    }
    define(frame, image, instruction);
    if (fir::isTerminator(image, instruction)) frame.lastEnd[frame.block] = current_;
    if (instruction.op == fir::Op::Call) frame.calling = current_;
  }
  void onLoad(uint64_t address, uint64_t size, const void*) override {
    auto& loaded = executed[current_].loaded;
    for (uint64_t b = 0; b < size; ++b) {
      auto it = memory_.find(address + b);
      loaded.push_back(it == memory_.end() ? Source{} : it->second);
    }
  }
  void onStore(uint64_t address, uint64_t size) override {
    for (uint64_t b = 0; b < size; ++b) {
      Source& place = memory_[address + b];
      executed[current_].overwritten.push_back(place);
      place = {current_, Source::Memory, uint32_t(b)};
    }
  }
  void onCall(const replay::DecodedFunction& callee, bool fromOutside) override {
    Stack& stack = stacks_[thread_];
    Frame made;
    made.body = &bodyOf(callee);
    made.words.resize(callee.words);
    made.lastEnd.resize(made.body->parents.size(), kNothing);
    made.isFromOutside = fromOutside && !stack.empty();
    if (!fromOutside && !stack.empty())
      passArguments(stack.back(), callee, made);
    else if (made.isFromOutside)
      for (Source& s : made.words) s = {kNothing, Source::Outside};
    stack.push_back(std::move(made));
  }
  void onReturn() override {
    Stack& stack = stacks_[thread_];
    if (stack.empty()) return;
    uint32_t call = stack.back().call;
    stack.pop_back();
    if (call == kNothing || stack.empty()) return;
    const fir::Instruction& i = *executed[call].instruction;
    if (i.dst == fir::kNone) return;
    uint32_t words = executed[call].module->image->types[i.type].words;
    for (uint32_t j = 0; j < words; ++j) stack.back().words[i.dst + j] = {current_, Source::Result, j};
  }
  void onSwitch(uint32_t thread) override { thread_ = thread; }
  void onUnwind() override {
    if (!stacks_[thread_].empty()) stacks_[thread_].pop_back();
  }
  void onOutsideWrite(uint64_t address, uint64_t size) override {
    for (uint64_t b = 0; b < size; ++b) memory_[address + b] = {kNothing, Source::Outside};
  }

  static bool isBranch(fir::Op op) {
    return op == fir::Op::CondBr || op == fir::Op::Switch || op == fir::Op::IndirectBr;
  }

private:
  struct Body {
    const fir::Function* function;
    std::vector<uint32_t> blockOf; // each instruction
    std::vector<bool> isFirst;     // of its block
    Graph parents;
  };
  struct Frame {
    const Body* body = nullptr;
    std::vector<Source> words, before; // before: when the block was entered
    std::vector<uint32_t> lastEnd;     // of each block: the instance of its last instruction
    uint32_t block = 0, previous = kNothing, previousEnd = kNothing;
    uint32_t call = kNothing;    // that made this frame
    uint32_t calling = kNothing; // that is under way
    bool isFromOutside = false;
  };
  using Stack = std::vector<Frame>;

  const Body& bodyOf(const replay::DecodedFunction& f) {
    auto [it, isNew] = bodies_.try_emplace({f.module, f.number});
    if (!isNew) return it->second;
    Body& body = it->second;
    const fir::Image& image = *f.module->image;
    body.function = f.fir;
    auto blocks = image.blocksOf(*f.fir);
    for (uint32_t b = 0; b < blocks.size(); ++b) {
      body.blockOf.insert(body.blockOf.end(), blocks[b].count, b);
      body.isFirst.push_back(true);
      body.isFirst.resize(body.blockOf.size());
    }
    body.parents = controlParents(image, *f.fir);
    return body;
  }
  void enterBlock(Frame& frame, const Body& body, uint32_t local) {
    if (body.isFirst[local] && local) {
      frame.previous = frame.block;
      frame.previousEnd = frame.lastEnd[frame.block];
    }
    frame.block = body.blockOf[local]; // a jump may lead to the middle of one
    if (!body.isFirst[local]) return;
    if (executed.back().instruction->op == fir::Op::Phi) frame.before = frame.words;
  }
  void define(Frame& frame, const fir::Image& image, const fir::Instruction& i) {
    uint32_t first = i.dst, count = fir::resultWords(image, i);
    if (i.op == fir::Op::StoreVar) {
      first = fir::operandIndex(image.operandsOf(i)[0]);
      count = image.types[i.type].words;
    } else if (first == fir::kNone) {
      return;
    }
    // A call's result comes from outside, unless a function of the program returns it.
    if (i.op == fir::Op::StoreVar && count == 1) executed[current_].overwritten = {frame.words[first]};
    bool isOutside = i.op == fir::Op::Call || i.op == fir::Op::LandingPad || i.op == fir::Op::Opaque;
    for (uint32_t j = 0; j < count; ++j)
      frame.words[first + j] =
          isOutside ? Source{kNothing, Source::Outside} : Source{current_, Source::Result, j};
  }
  void passArguments(Frame& caller, const replay::DecodedFunction& callee, Frame& made) {
    made.call = caller.calling;
    Executed& call = executed[made.call];
    call.calledInside = true;
    const fir::Image& image = *callee.module->image;
    auto arguments = image.argumentsOf(*callee.fir);
    auto operands = call.module->image->operandsOf(*call.instruction);
    for (uint32_t n = 0; n < arguments.size() && n + 1 < operands.size(); ++n) {
      uint32_t words = image.types[arguments[n].type].words;
      bool isWord = fir::operandKind(operands[n + 1]) == fir::OperandKind::Word;
      call.operands[n + 1].clear();
      for (uint32_t j = 0; j < words; ++j) {
        made.words[arguments[n].word + j] = {made.call, Source::Argument, 256 * (n + 1) + j};
        if (isWord) call.operands[n + 1].push_back(caller.words[fir::operandIndex(operands[n + 1]) + j]);
      }
    }
  }

  std::map<std::pair<const replay::LoadedModule*, uint32_t>, Body> bodies_;
  std::map<uint32_t, Stack> stacks_;
  std::unordered_map<uint64_t, Source> memory_;
  uint32_t thread_ = 0, current_ = kNothing;
};

// ---- the search
// -----------------------------------------------------------------------------------------------------

struct ReferenceOptions {
  bool addresses = true, control = true;
};

class ReferenceSlice {
public:
  ReferenceSlice(const Recorder& recorder, ReferenceOptions options) : r_(recorder), options_(options) {}

  // The instruction that was about to be executed at that time, and these operands of it.
  void ask(uint64_t time, const std::vector<uint32_t>& operands) {
    uint32_t instance = r_.at.at(time);
    const Executed& x = r_.executed[instance];
    included_.insert(instance);
    reachesOutside_ = options_.control && x.isFromOutside;
    decided(x.control);
    for (uint32_t k : operands) wantAll(x, k);
    run();
  }
  std::set<std::pair<uint64_t, uint32_t>> instances() const { // time, id
    std::set<std::pair<uint64_t, uint32_t>> found;
    for (uint32_t i : included_) found.insert({r_.executed[i].time, r_.executed[i].id});
    return found;
  }

  // Of each instance that serves to write bits back as they were: those bits of what it makes.
  std::map<uint32_t, uint64_t> onlyPassedOn() const {
    std::map<uint32_t, uint64_t> found;
    for (uint32_t k = 0; k < r_.executed.size(); ++k)
      if (std::optional<Bits> value = writtenBack(k)) {
        found[k] |= value->kept;
        for (uint32_t passed : value->through) found[passed] |= value->kept;
      }
    return found;
  }

  // Something was made outside of the program: the reference knows no more.
  bool reachesOutside() const { return reachesOutside_; }

private:
  using Op = fir::Op;
  using Key = std::tuple<uint32_t, uint8_t, uint32_t>;

  void want(const Source& s, uint64_t bits) {
    if (s.part == Source::Outside && bits) reachesOutside_ = true;
    if (s.instance == kNothing || !bits) return;
    uint64_t kept = bits & keptBits(s);
    if (kept) {
      const Executed& x = r_.executed[s.instance];
      want(x.overwritten.at(s.part == Source::Memory ? s.number : 0), kept);
      return want(s, bits & ~kept);
    }
    uint64_t& have = wanted_[{s.instance, s.part, s.number}];
    bits &= ~have;
    have |= bits;
    if (!bits) return;
    include(s.instance);
    todo_.push_back({s, bits});
  }
  void wantAll(const Executed& x, uint32_t k) {
    for (const Source& s : x.operands[k]) want(s, ~uint64_t(0));
  }
  void wantBit(const Executed& x, uint32_t k, uint64_t bit) {
    if (bit / 64 < x.operands[k].size()) want(x.operands[k][bit / 64], uint64_t(1) << bit % 64);
  }
  void wantUpTo(const Executed& x, uint32_t k, uint64_t bit) {
    for (uint64_t b = 0; b <= bit; ++b) wantBit(x, k, b);
  }
  void decided(uint32_t by) {
    if (options_.control && by != kNothing) include(by);
  }

  // ---- stores that write bits back as they were (depend/written_back.h)

  struct Bits { // of a value
    uint64_t zero = 0, kept = 0;
    std::vector<uint32_t> through = {}; // the load that the kept ones are of, and what they passed since then
  };
  static uint64_t low(uint64_t count) { return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1; }
  static bool isNumberType(const fir::Type& t) {
    return t.kind == fir::TypeKind::Int && t.words == 1 && t.lanes == 1;
  }
  // Since the last call or branch before x, up to it.
  uint32_t stretchStart(uint32_t x) const {
    auto ends = [&](uint32_t k) {
      const Executed& e = r_.executed[k];
      return e.instruction->op == Op::Call || fir::isTerminator(*e.module->image, *e.instruction);
    };
    while (x > 0 && !ends(x - 1)) --x;
    return x;
  }
  Bits bitsOf(const Executed& x, uint32_t k, uint32_t start) const {
    uint64_t n = 0;
    if (isNumber(x, k, n)) return {.zero = ~n};
    if (x.operands[k].size() != 1) return {};
    const Source& s = x.operands[k][0];
    if (s.part != Source::Result || s.instance == kNothing || s.instance < start) return {};
    return bitsOf(s.instance, start);
  }
  Bits bitsOf(uint32_t instance, uint32_t start) const {
    const Executed& x = r_.executed[instance];
    const fir::Instruction& i = *x.instruction;
    const fir::Image& image = *x.module->image;
    const fir::Type& type = image.types[i.type];
    if (!isNumberType(type)) return {};
    uint64_t all = low(type.bits), n = 0;
    switch (i.op) {
    case Op::Load:
    case Op::LoadVar:
      if (i.op == Op::Load && i.imm * 8 != type.bits) return {};
      return {~all, all, {instance}};
    case Op::And:
    case Op::Or:
    case Op::Xor: {
      Bits a = bitsOf(x, 0, start), b = bitsOf(x, 1, start), out;
      out.zero = i.op == Op::And ? a.zero | b.zero : a.zero & b.zero;
      uint64_t keepA = i.op != Op::And ? b.zero : isNumber(x, 1, n) ? n : 0;
      uint64_t keepB = i.op != Op::And ? a.zero : isNumber(x, 0, n) ? n : 0;
      const Bits& from = a.kept & keepA ? a : b;
      out.kept = a.kept & keepA ? a.kept & keepA : b.kept & keepB;
      if (!out.kept) return out;
      out.through = from.through;
      out.through.push_back(instance);
      return out;
    }
    case Op::Shl:
      if (!isNumber(x, 1, n) || n >= 64) return {};
      return {.zero = bitsOf(x, 0, start).zero << n | low(n) | ~all};
    case Op::LShr:
      if (!isNumber(x, 1, n) || n >= 64) return {};
      return {.zero = ~(~bitsOf(x, 0, start).zero >> n)};
    case Op::ZExt:
    case Op::Trunc:
      if (!isNumberType(image.types[i.aux])) return {};
      return {.zero = bitsOf(x, 0, start).zero | ~(all & low(image.types[i.aux].bits))};
    default:
      return {};
    }
  }
  static bool writes(Op op) {
    return op == Op::Store || op == Op::Copy || op == Op::Fill || op == Op::AtomicRMW || op == Op::CmpXchg ||
           op == Op::VaStart || op == Op::VaCopy || op == Op::Opaque;
  }
  // What an instance stores, if it is a store that keeps some of the bits.
  std::optional<Bits> writtenBack(uint32_t instance) const {
    const Executed& x = r_.executed[instance];
    const fir::Instruction& i = *x.instruction;
    bool isVariable = i.op == Op::StoreVar;
    if (!isVariable && i.op != Op::Store) return std::nullopt;
    const fir::Type& type = x.module->image->types[i.type];
    if (!isNumberType(type) || x.operands[1].empty()) return std::nullopt;
    Bits value = bitsOf(x, 1, stretchStart(instance));
    if (!value.kept || value.kept == low(type.bits)) return std::nullopt;
    const fir::Instruction& load = *r_.executed[value.through[0]].instruction;
    if (load.op != (isVariable ? Op::LoadVar : Op::Load)) return std::nullopt;
    fir::Operand place = x.module->image->operandsOf(i)[0];
    if (x.module->image->operandsOf(load)[0] != place) return std::nullopt;
    if (!isVariable && load.imm != i.imm) return std::nullopt;
    for (uint32_t k = value.through[0] + 1; k < instance; ++k) {
      const fir::Instruction& between = *r_.executed[k].instruction;
      if (!isVariable && writes(between.op)) return std::nullopt;
      if (between.op == Op::StoreVar && x.module->image->operandsOf(between)[0] == place) return std::nullopt;
    }
    return value;
  }
  // Bits of the word that the source is, or of its byte.
  uint64_t keptBits(const Source& s) const {
    bool isVariable = r_.executed[s.instance].instruction->op == Op::StoreVar;
    if (s.part != (isVariable ? Source::Result : Source::Memory)) return 0;
    std::optional<Bits> value = writtenBack(s.instance);
    if (!value) return 0;
    return isVariable ? value->kept : value->kept >> s.number * 8 & 0xff;
  }

  // What an instance needs whatever is wanted of it.
  void include(uint32_t instance) {
    if (!included_.insert(instance).second) return;
    const Executed& x = r_.executed[instance];
    decided(x.control);
    if (options_.control && x.isFromOutside) reachesOutside_ = true;
    switch (x.instruction->op) {
    case Op::CondBr:
    case Op::Switch:
    case Op::IndirectBr:
    case Op::Select:
      return wantAll(x, 0);
    case Op::Phi:
      return decided(x.edge);
    case Op::Call: // which function it was
      if (options_.control) wantAll(x, 0);
      if (x.module->image->calls[x.instruction->aux].normalBlock != fir::kNone)
        reachesOutside_ = true; // it may throw
      return;
    case Op::LandingPad:
    case Op::Opaque:
    case Op::ThreadLocal:
    case Op::VaStart:
    case Op::VaCopy:
      reachesOutside_ = true;
      return;
    case Op::Load:
    case Op::Store:
    case Op::AtomicRMW:
    case Op::CmpXchg:
      if (options_.addresses) wantAll(x, 0);
      return;
    case Op::Fill:
      if (options_.addresses) wantAll(x, 0), wantAll(x, 2);
      return;
    case Op::Copy:
      if (options_.addresses) wantAll(x, 0), wantAll(x, 1), wantAll(x, 2);
      return;
    default:
      return;
    }
  }

  void run() {
    while (!todo_.empty()) {
      auto [source, bits] = todo_.back();
      todo_.pop_back();
      const Executed& x = r_.executed[source.instance];
      for (uint64_t b = 0; b < 64; ++b) {
        if (!(bits >> b & 1)) continue;
        if (source.part == Source::Argument)
          wantBit(x, source.number / 256, source.number % 256 * 64 + b);
        else if (source.part == Source::Memory)
          stored(x, uint64_t(source.number) * 8 + b);
        else
          computed(x, uint64_t(source.number) * 64 + b);
      }
    }
  }

  void wantLoaded(const Executed& x) {
    for (const Source& s : x.loaded) want(s, 0xff);
  }
  // Bit r of what the instance wrote to memory.
  void stored(const Executed& x, uint64_t r) {
    switch (x.instruction->op) {
    case Op::Store:
      return wantBit(x, 1, r);
    case Op::Fill:
      return wantAll(x, 1);
    case Op::Copy:
      if (r / 8 < x.loaded.size()) want(x.loaded[r / 8], uint64_t(1) << r % 8);
      return;
    case Op::AtomicRMW:
      if (x.instruction->sub == 0) return wantBit(x, 1, r); // exchange
      return wantLoaded(x), wantUpTo(x, 1, r);
    case Op::CmpXchg:
      return wantLoaded(x), wantAll(x, 1), wantBit(x, 2, r);
    default:
      return;
    }
  }

  bool isNumber(const Executed& x, uint32_t k, uint64_t& value) const {
    const fir::Image& image = *x.module->image;
    fir::Operand o = image.operandsOf(*x.instruction)[k];
    if (fir::operandKind(o) != fir::OperandKind::Constant) return false;
    if (image.constants[fir::operandIndex(o)].wide != fir::kNone) return false;
    value = x.module->constants[fir::operandIndex(o)];
    return true;
  }

  // Bit r of the result.
  void computed(const Executed& x, uint64_t r) {
    const fir::Instruction& i = *x.instruction;
    const fir::Image& image = *x.module->image;
    const fir::Type &type = image.types[i.type], &other = image.types[i.aux < image.types.size() ? i.aux : 0];
    bool isScalar = type.kind == fir::TypeKind::Int && type.words == 1 && type.lanes == 1;
    uint64_t n = 0;
    auto all = [&] {
      for (uint32_t k = 0; k < x.operands.size(); ++k) wantAll(x, k);
    };
    auto bitOfBoth = [&] { wantBit(x, 0, r), wantBit(x, 1, r); };
    switch (i.op) {
    case Op::Load:
      if (r / 8 < x.loaded.size()) want(x.loaded[r / 8], uint64_t(1) << r % 8);
      return;
    case Op::AtomicRMW:
      return wantLoaded(x);
    case Op::CmpXchg: // the old value, and whether it was the expected one
      if (r / 8 >= i.imm) wantAll(x, 1);
      return wantLoaded(x);
    case Op::Copy:
    case Op::Fill:
      return;
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
      if (!isScalar) return all();
      return wantUpTo(x, 0, r), wantUpTo(x, 1, r);
    case Op::And:
    case Op::Or:
      // A constant bit may decide alone.
      for (uint32_t k = 0; isScalar && k < 2; ++k)
        if (isNumber(x, k, n) && (n >> r & 1) != (i.op == Op::And)) return;
      return bitOfBoth();
    case Op::Xor:
      return bitOfBoth();
    case Op::Shl:
      if (!isScalar || !isNumber(x, 1, n)) return all();
      if (r >= n) wantBit(x, 0, r - n);
      return;
    case Op::LShr:
      if (!isScalar || !isNumber(x, 1, n)) return all();
      if (r + n < 64) wantBit(x, 0, r + n);
      return;
    case Op::AShr:
      if (!isScalar || !isNumber(x, 1, n)) return all();
      return wantBit(x, 0, std::min<uint64_t>(r + n, type.bits - 1));
    case Op::Trunc:
    case Op::ZExt:
      if (type.words != 1 || other.words != 1 || type.lanes != 1) return all();
      if (r < std::min(type.bits, other.bits)) wantBit(x, 0, r);
      return;
    case Op::SExt:
      if (type.words != 1 || other.words != 1 || type.lanes != 1) return all();
      return wantBit(x, 0, std::min<uint64_t>(r, other.bits - 1));
    case Op::BitCast:
      if (type.words != other.words) return all();
      return wantBit(x, 0, r);
    case Op::LoadVar:
    case Op::Ret:
      return wantBit(x, 0, r);
    case Op::StoreVar:
      return wantBit(x, 1, r);
    case Op::Select:
      if (other.kind == fir::TypeKind::Vector) return wantBit(x, 1, r), wantBit(x, 2, r);
      [[fallthrough]];
    case Op::Phi:
      if (x.chosen) wantBit(x, x.chosen, r);
      return;
    case Op::Extract:
      return wantBit(x, 0, i.imm * 8 + r);
    case Op::Insert: {
      uint64_t first = i.imm * 8, end = first + uint64_t(other.bytes) * 8;
      return r >= first && r < end ? wantBit(x, 1, r - first) : wantBit(x, 0, r);
    }
    default:
      return all();
    }
  }

  const Recorder& r_;
  ReferenceOptions options_;
  bool reachesOutside_ = false;
  std::set<uint32_t> included_;
  std::map<Key, uint64_t> wanted_;
  std::vector<std::pair<Source, uint64_t>> todo_;
};

} // namespace faultline::depend::testing
